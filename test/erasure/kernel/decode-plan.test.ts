/**
 * @module
 * Plans of decoding against the plain locator, and the specification's example.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldTables, inverse, multiply, UNITS } from '../../../src/erasure/field.ts';
import { CODEC_V1 } from '../../../src/erasure/index.ts';
import { decodePlan } from '../../../src/erasure/kernel/decode-plan.ts';
import { toTower } from '../../../src/erasure/kernel/tower-field.ts';
import { locatorLogs } from '../../../src/erasure/locator.ts';
import { SEED, seeded } from '../../support/seed.ts';

const { exp } = fieldTables();

/** What `decode-plan.ts` documents, from the plain locator. */
function expectPlan(validatorCount: number, received: readonly number[]): void {
  const parameters = CODEC_V1.parameters(validatorCount);
  const k = parameters.systematicThreshold;
  const erased = new Uint8Array(parameters.codeLength).fill(1);
  for (const position of received) {
    erased[position] = 0;
  }
  const logs = locatorLogs(erased);
  const plan = decodePlan(parameters, received);
  const actual = plan.weights.length;
  expect(actual).toBe(validatorCount);
  expect([...plan.received]).toEqual(received);
  for (let i = 0; i < validatorCount; i += 1) {
    const block = Math.max(1, Math.floor(i / k));
    const weight =
      erased[i] === 0
        ? multiply(exp[logs[i]!]!, inverse(block))
        : multiply(exp[UNITS - logs[i]!]!, block);
    if (plan.logs[i] !== (UNITS - logs[i]!) % UNITS || plan.weights[i] !== toTower(weight)) {
      expect.unreachable(`n = ${validatorCount}, position ${i} of ${received}`);
    }
  }
}

describe('decodePlan', () => {
  it('gives the locator of the worked example', () => {
    const plan = decodePlan(CODEC_V1.parameters(8), [1, 4]);
    const locator = [48_059, 61_166, 52_428, 34_952, 61_166, 48_059, 34_952, 52_428];
    expect([...plan.logs]).toEqual(locator.map((log) => UNITS - log));
  });

  it(seeded('agrees with the plain locator for any pattern'), () => {
    const patterns = fc.integer({ min: 2, max: 1100 }).chain((n) =>
      fc.record({
        n: fc.constant(n),
        received: fc.subarray(
          Array.from({ length: n }, (_, i) => i),
          { minLength: CODEC_V1.parameters(n).systematicThreshold },
        ),
      }),
    );
    fc.assert(
      fc.property(patterns, ({ n, received }) => expectPlan(n, received)),
      { seed: SEED, numRuns: 60 },
    );
  });

  it.each([
    ['the last positions', 65_535],
    ['every third position', 3],
  ])('works at the size of the field from %s', (_, step) => {
    const n = 65_536;
    const received = Array.from({ length: 21_845 }, (__, i) => (n - 1 - i * step) & (n - 1));
    expectPlan(
      n,
      step === 3 ? received.sort((a, b) => a - b) : received.map((__, i) => n - 21_845 + i),
    );
  });

  it('finds the last plans again, and makes others anew', () => {
    const parameters = CODEC_V1.parameters(10);
    const first = decodePlan(parameters, [0, 1, 2, 4]);
    expect(decodePlan(parameters, Uint16Array.of(0, 1, 2, 4))).toBe(first);
    expect(decodePlan(CODEC_V1.parameters(11), [0, 1, 2, 4])).not.toBe(first);
    for (let i = 5; i < 10; i += 1) {
      decodePlan(parameters, [0, 1, 2, i]);
      decodePlan(parameters, [0, 1, 3, i]);
    }
    const again = decodePlan(parameters, [0, 1, 2, 4]);
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
  });

  it('is plain data', () => {
    const plan = decodePlan(
      CODEC_V1.parameters(300),
      Array.from({ length: 64 }, (_, i) => 3 * i),
    );
    expect(structuredClone(plan)).toEqual(plan);
  });
});
