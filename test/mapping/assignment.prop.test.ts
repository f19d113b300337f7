/**
 * @module
 * Every mapping is a permutation and knows its inverse; over the cores the load is even.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkMapping, type MappingQuestion } from '../../src/mapping/assignment.ts';
import { chunkIndex, validatorIndex } from '../../src/primitives/ids.ts';
import { systematicThreshold } from '../../src/primitives/thresholds.ts';
import { SEED, seeded } from '../support/seed.ts';

const questions: fc.Arbitrary<MappingQuestion> = fc.record({
  scheme: fc.constantFrom('identity', 'rfc47', 'chacha8'),
  validatorCount: fc.integer({ min: 2, max: 1200 }),
  coreIndex: fc.nat(2 ** 32 - 1),
  seed: fc.uint8Array({ minLength: 32, maxLength: 32 }),
});

describe('chunkMapping', () => {
  it(seeded('is a permutation, and validatorOf undoes chunkOf'), () => {
    fc.assert(
      fc.property(questions, (question) => {
        const n = question.validatorCount;
        const mapping = chunkMapping(question);
        const table = mapping.chunkByValidator();
        expect([...table].sort((a, b) => a - b)).toEqual(Array.from({ length: n }, (_, i) => i));
        table.forEach((chunk, validator) => {
          expect(mapping.chunkOf(validatorIndex(validator))).toBe(chunk);
          expect(mapping.validatorOf(chunk)).toBe(validator);
        });
        const holders = mapping.systematicHolders();
        expect(holders.map((validator) => table[validator])).toEqual(
          Array.from({ length: systematicThreshold(n) }, (_, c) => chunkIndex(c)),
        );
      }),
      { seed: SEED, numRuns: 60 },
    );
  });

  it(seeded('lets every validator hold each chunk once over n cores in a row, for odd n'), () => {
    const odd = fc.nat(40).map((half) => 2 * half + 3);
    fc.assert(
      fc.property(odd, fc.constantFrom('rfc47' as const, 'chacha8' as const), (n, scheme) => {
        // The threshold is a power of two, so it has an inverse modulo an odd n.
        const seed = new Uint8Array(32).fill(n);
        const held = Array.from({ length: n }, (_, coreIndex) =>
          chunkMapping({ scheme, validatorCount: n, coreIndex, seed }).chunkOf(validatorIndex(1)),
        );
        expect(new Set(held).size).toBe(n);
      }),
      { seed: SEED, numRuns: 30 },
    );
  });
});
