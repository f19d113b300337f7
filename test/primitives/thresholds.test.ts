/**
 * @module
 * The two thresholds against their definitions, for every validator count there is.
 */

import { describe, expect, it } from 'vitest';
import {
  assertValidatorCount,
  recoveryThreshold,
  systematicThreshold,
} from '../../src/primitives/thresholds.ts';

const refuses = (n: number, error: unknown): void => {
  for (const run of [assertValidatorCount, recoveryThreshold, systematicThreshold]) {
    expect(() => run(n), `${run.name}(${n})`).toThrow(error);
  }
};

describe('recoveryThreshold and systematicThreshold', () => {
  it('are f + 1 and the largest power of two not above it', () => {
    let f = 0;
    let power = 1;
    for (let n = 2; n <= 65_536; n += 1) {
      f += 3 * (f + 1) < n ? 1 : 0;
      power *= 2 * power <= f + 1 ? 2 : 1;
      if (recoveryThreshold(n) !== f + 1 || systematicThreshold(n) !== power) {
        expect.unreachable(`n = ${n}`);
      }
    }
  });

  it('refuse fewer than 2 and more than 65,536 validators', () => {
    for (const n of [-1, 0, 1, Number.NaN]) {
      refuses(n, expect.objectContaining({ code: 'not_enough_validators' }));
    }
    for (const n of [65_537, 2 ** 32, Number.POSITIVE_INFINITY]) {
      refuses(n, expect.objectContaining({ code: 'too_many_validators' }));
    }
  });

  it('refuse counts that are no integer', () => {
    refuses(2.5, RangeError);
  });
});
