/**
 * @module
 * The reader of foreign nodes: it reads what the encoder writes, refuses what the reference refuses, and
 * never ends with an error.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeNode } from '../../src/commitment/node-decoder.ts';
import { encodeBranch, encodeLeaf } from '../../src/commitment/node-format.ts';
import { concatBytes, fromHex } from '../../src/primitives/bytes.ts';
import { SEED, seeded } from '../support/seed.ts';

const partials = (maxLength: number): fc.Arbitrary<Uint8Array> =>
  fc.array(fc.nat(15), { maxLength }).map((nibbles) => Uint8Array.from(nibbles));

const values = fc.uint8Array({ maxLength: 200 });

const leaf = (hex: string): ReturnType<typeof decodeNode> => decodeNode(fromHex(hex));

describe('decodeNode', () => {
  it(seeded('reads any leaf that the encoder writes, and ignores bytes behind it'), () => {
    fc.assert(
      fc.property(partials(700), values, values, (partial, value, behind) => {
        const node = decodeNode(concatBytes([encodeLeaf(partial, value), behind]));
        expect(node).toEqual({ type: 'leaf', partial, value: { type: 'inline', bytes: value } });
      }),
      { seed: SEED, numRuns: 200 },
    );
  });

  it(seeded('reads any branch that the encoder writes'), () => {
    const children = fc.uniqueArray(fc.record({ nibble: fc.nat(15), reference: values }), {
      minLength: 1,
      maxLength: 16,
      selector: ({ nibble }) => nibble,
    });
    fc.assert(
      fc.property(
        partials(80),
        fc.option(values, { nil: undefined }),
        children,
        (partial, value, list) => {
          const sorted = [...list].sort((a, b) => a.nibble - b.nibble);
          const expected = Array.from(
            { length: 16 },
            (_, nibble) => list.find((child) => child.nibble === nibble)?.reference,
          );
          expect(decodeNode(encodeBranch(partial, value, sorted))).toEqual({
            type: 'branch',
            partial,
            value: value && { type: 'inline', bytes: value },
            children: expected,
          });
        },
      ),
      { seed: SEED, numRuns: 200 },
    );
  });

  it(seeded('is undefined for every truncation of a node'), () => {
    fc.assert(
      fc.property(partials(80), values, fc.nat(), (partial, value, at) => {
        const bytes = encodeLeaf(partial, value);
        expect(decodeNode(bytes.subarray(0, at % bytes.length))).toBeUndefined();
      }),
      { seed: SEED, numRuns: 200 },
    );
  });

  it(seeded('gives a node or undefined for any bytes'), () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 700 }), (bytes) => {
        const type = decodeNode(bytes)?.type ?? 'none';
        expect(['none', 'empty', 'leaf', 'branch']).toContain(type);
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  it.each([
    ['no bytes', ''],
    ['the reserved header 01', '01'],
    ['the reserved header 0f', '0f00000000'],
    ['a header alone', '46'],
    ['non-zero padding of an odd partial', '411304aa'],
    ['a branch without children', '800000'],
    ['a value length in a longer form than needed', '40010404'],
    ['a 4-byte length that fits 2 bytes', `4002fd0000${'00'.repeat(70)}`],
    ['a big-form length that fits 4 bytes', `4003ffffff00${'00'.repeat(40)}`],
    ['a big-form length of 5 bytes', `40070000000001${'00'.repeat(40)}`],
    ['a value length beyond the node', '4008aa'],
    ['a partial beyond the node', '4a00'],
    ['an endless nibble count', `7f${'ff'.repeat(600)}`],
  ])('refuses %s', (_, hex) => {
    expect(leaf(hex)).toBeUndefined();
  });

  it('reads hashed values of version 1, in leaves and branches', () => {
    const hash = '11'.repeat(32);
    expect(leaf(`2117${hash}`)).toBeUndefined();
    expect(leaf(`2256${hash}`)).toEqual({
      type: 'leaf',
      partial: Uint8Array.of(5, 6),
      value: { type: 'hashed', hash: fromHex(hash) },
    });
    expect(leaf(`11070100${hash}04aa`)).toMatchObject({
      type: 'branch',
      partial: Uint8Array.of(7),
      value: { type: 'hashed', hash: fromHex(hash) },
    });
  });

  it('reads any node that starts with 00 as the empty trie', () => {
    expect(leaf('00')).toEqual({ type: 'empty' });
    expect(leaf('00ffff')).toEqual({ type: 'empty' });
  });
});
