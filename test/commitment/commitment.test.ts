/**
 * @module
 * The commitment in use: the specification's worked example, agreement of its methods, misuse.
 */

import { describe, expect, it } from 'vitest';
import { HEX_TRIE_COMMITMENT } from '../../src/commitment/commitment.ts';
import { fromHex, toHex } from '../../src/primitives/bytes.ts';
import { hashReady } from '../../src/primitives/hash.ts';

await hashReady();

/** The six chunks of the worked example (erasure spec §3 and §5.5). */
const EXAMPLE = [
  '000104050809',
  '020306070000',
  '039d0799067b',
  '019f059b0e72',
  '0bfd0ff90fd5',
  '09ff0dfb07dc',
].map((hex) => fromHex(hex));

const chunksOf = (n: number): Uint8Array[] =>
  Array.from({ length: n }, (_, i) => Uint8Array.of(i & 255, i >> 8));

describe('HEX_TRIE_COMMITMENT.commit', () => {
  it('gives root and nodes of the worked example', () => {
    const { root, proofs } = HEX_TRIE_COMMITMENT.commit(EXAMPLE);
    expect(toHex(root)).toBe('46a29ebcc6a72071a126b822e938d3dcebd9e7f67aab4d3cadcfce16fba3156a');
    expect(proofs[0]!.map((node) => node.length)).toEqual([202, 37]);
    expect(toHex(proofs[0]![0]!)).toMatch(/^81003f0080156722f8e547af5b64e884dd7e4e07ae0a494f/);
    expect(toHex(proofs[0]![1]!)).toBe(
      '4600000080d710a3df796e1dc26aea131106b0c95271b3b5ec69268944a40cd82f5b168fb6',
    );
  });

  it('shares the bytes of common nodes between proofs', () => {
    const { proofs } = HEX_TRIE_COMMITMENT.commit(chunksOf(300));
    expect(new Set(proofs.map(([root]) => root)).size).toBe(1);
    expect(new Set(proofs.map((proof) => proof[1])).size).toBe(16);
  });
});

describe.each([2, 6, 16, 17, 256, 257, 1000, 4097])('HEX_TRIE_COMMITMENT, n = %i', (n) => {
  const chunks = chunksOf(n);
  const committed = HEX_TRIE_COMMITMENT.commit(chunks);

  it('root agrees with commit', () => {
    expect(HEX_TRIE_COMMITMENT.root(chunks)).toEqual(committed.root);
  });

  it('prove agrees with commit', () => {
    for (const i of [0, Math.floor(n / 2), n - 1]) {
      expect(HEX_TRIE_COMMITMENT.prove(chunks, i)).toEqual(committed.proofs[i]);
    }
  });
});

describe('misuse of HEX_TRIE_COMMITMENT', () => {
  it('refuses counts that the code does not have', () => {
    const { commit, root, prove } = HEX_TRIE_COMMITMENT;
    for (const run of [commit, root, (chunks: Uint8Array[]) => prove(chunks, 0)]) {
      expect(() => run([])).toThrow(expect.objectContaining({ code: 'not_enough_validators' }));
      expect(() => run(chunksOf(1))).toThrow(
        expect.objectContaining({ code: 'not_enough_validators' }),
      );
      const tooMany = new Array<Uint8Array>(65_537).fill(Uint8Array.of(1));
      expect(() => run(tooMany)).toThrow(expect.objectContaining({ code: 'too_many_validators' }));
    }
  });

  it.each([-1, 6, 1.5, Number.NaN])('prove refuses chunk index %d of 6', (index) => {
    expect(() => HEX_TRIE_COMMITMENT.prove(EXAMPLE, index)).toThrow(RangeError);
  });
});
