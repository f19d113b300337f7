/**
 * @module
 * The choice of the scheme and what each scheme refuses.
 */

import { describe, expect, it } from 'vitest';
import { chunkMapping, type MappingScheme, schemeOf } from '../../src/mapping/assignment.ts';
import { chunkIndex, validatorIndex } from '../../src/primitives/ids.ts';

const SEED_BYTES = new Uint8Array(32).fill(9);

const mappingOf = (scheme: MappingScheme, validatorCount: number, coreIndex = 1) =>
  chunkMapping({ scheme, validatorCount, coreIndex, seed: SEED_BYTES });

describe('schemeOf', () => {
  it.each([
    ['nothing', [], 'identity'],
    ['a vector that ends before bit 2', [true, true], 'identity'],
    ['every bit but bit 2', [true, true, false, true, true], 'identity'],
    ['bit 2 alone', [false, false, true], 'rfc47'],
    ['every bit', [true, true, true, true, true], 'rfc47'],
  ] as const)('of %s is as it must be', (_, features, scheme) => {
    expect(schemeOf(features)).toBe(scheme);
  });
});

describe('chunkMapping', () => {
  it('identity gives every validator the chunk of its number, whatever core and seed', () => {
    const mapping = chunkMapping({ scheme: 'identity', validatorCount: 7, coreIndex: -5 });
    expect(mapping.chunkByValidator()).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(mapping.systematicHolders()).toEqual([0, 1]);
    expect(mapping.systematicThreshold).toBe(2);
  });

  it('identity does not fail for a count that the code does not have', () => {
    for (const n of [0, 1, 65_537]) {
      const mapping = mappingOf('identity', n);
      expect(mapping.chunkOf(validatorIndex(3))).toBe(3);
      expect(mapping.validatorOf(chunkIndex(3))).toBe(3);
      expect(mapping.chunkByValidator().length).toBe(n);
      expect(() => mapping.systematicThreshold).toThrow(/validators/);
    }
  });

  it('rfc47 gives core 1 of 7 validators the chunks 2 3 4 5 6 0 1', () => {
    const mapping = mappingOf('rfc47', 7);
    expect(mapping.chunkByValidator()).toEqual([2, 3, 4, 5, 6, 0, 1]);
    expect(mapping.systematicHolders()).toEqual([5, 6]);
    expect(mapping).toMatchObject({ scheme: 'rfc47', validatorCount: 7, systematicThreshold: 2 });
  });

  it('rfc47 does not read the seed', () => {
    const mapping = chunkMapping({ scheme: 'rfc47', validatorCount: 7, coreIndex: 1 });
    expect(mapping.chunkByValidator()).toEqual(mappingOf('rfc47', 7).chunkByValidator());
  });

  it('chacha8 turns one order by the core', () => {
    const order = (core: number): number[] => {
      const mapping = mappingOf('chacha8', 7, core);
      const turned = Array.from({ length: 7 }, (_, c) =>
        mapping.validatorOf(chunkIndex((c + 2 * core) % 7)),
      );
      return turned;
    };
    expect(order(3)).toEqual(order(0));
    expect(mappingOf('chacha8', 7, 0).systematicHolders()).toEqual(order(0).slice(0, 2));
  });

  it('chacha8 without a seed is misuse', () => {
    const question = { scheme: 'chacha8', validatorCount: 7, coreIndex: 1 } as const;
    expect(() => chunkMapping(question)).toThrow(TypeError);
    expect(() => chunkMapping({ ...question, seed: undefined })).toThrow(/seed: expected 32 bytes/);
    expect(() => chunkMapping({ ...question, seed: new Uint8Array(31) })).toThrow(RangeError);
  });

  describe.each(['rfc47', 'chacha8'] as const)('%s', (scheme) => {
    it('refuses counts that the code does not have', () => {
      for (const n of [0, 1]) {
        expect(() => mappingOf(scheme, n)).toThrow(
          expect.objectContaining({ code: 'not_enough_validators' }),
        );
      }
      expect(() => mappingOf(scheme, 65_537)).toThrow(
        expect.objectContaining({ code: 'too_many_validators' }),
      );
    });

    it.each([-1, 1.5, 2 ** 32, Number.NaN])('refuses core index %d', (core) => {
      expect(() => mappingOf(scheme, 7, core)).toThrow(/coreIndex: expected an integer/);
    });

    it.each([-1, 7, 0.5, Number.NaN])('refuses validator and chunk %d of 7', (index) => {
      const mapping = mappingOf(scheme, 7);
      expect(() => mapping.chunkOf(validatorIndex(index))).toThrow(/validator: expected/);
      expect(() => mapping.validatorOf(chunkIndex(index))).toThrow(/chunk: expected/);
    });
  });
});
