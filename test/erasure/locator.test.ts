/**
 * @module
 * The error locator against its sum and the specification's example.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldTables, UNITS } from '../../src/erasure/field.ts';
import { locatorLogs } from '../../src/erasure/locator.ts';
import { SEED, seeded } from '../support/seed.ts';

const { exp: EXP, log: LOG } = fieldTables();

/** The sum of the definition; `one` is what the logarithm of no product at all is. */
function naiveLog(erased: Uint8Array, i: number): number {
  let sum = 0;
  erased.forEach((isErased, e) => {
    sum += isErased === 1 && e !== i ? LOG[i ^ e]! : 0;
  });
  return sum % UNITS;
}

describe('locatorLogs', () => {
  it('gives the example of the specification', () => {
    const erased = Uint8Array.from([1, 0, 1, 1, 0, 1, 1, 1]);
    const logs = locatorLogs(erased);
    expect([...logs]).toEqual([48_059, 61_166, 52_428, 34_952, 61_166, 48_059, 34_952, 52_428]);
    expect([...logs].map((log) => EXP[log])).toEqual([0xc, 0xf, 0xd, 6, 0xf, 0xc, 6, 0xd]);
  });

  it(seeded('agrees with the sum for any pattern'), () => {
    const pattern = fc
      .integer({ min: 0, max: 8 })
      .chain((t) =>
        fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 2 ** t, maxLength: 2 ** t }),
      );
    fc.assert(
      fc.property(pattern, (bits) => {
        const erased = Uint8Array.from(bits);
        const expected = bits.map((_, i) => naiveLog(erased, i));
        expect([...locatorLogs(erased)]).toEqual(expected);
      }),
      { seed: SEED, numRuns: 60 },
    );
  });

  it('works at the size of the field', () => {
    const erased = Uint8Array.from({ length: 65_536 }, (_, i) => ((i * 31) % 7 === 0 ? 0 : 1));
    const logs = locatorLogs(erased);
    for (const i of [0, 1, 7, 32_768, 65_535]) {
      expect(logs[i], `position ${i}`).toBe(naiveLog(erased, i));
    }
  });
});
