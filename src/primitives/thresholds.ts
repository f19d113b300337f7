/**
 * @module
 * The two thresholds of the code (erasure spec §2). They are different numbers: recovery waits for
 * one, the code and the chunk mapping are built on the other.
 */

import { ErasureError } from './errors.ts';
import { MAX_VALIDATORS, MIN_VALIDATORS } from './limits.ts';

/** Refuses a validator count that the code does not support. */
export function assertValidatorCount(validatorCount: number): void {
  if (validatorCount > MAX_VALIDATORS) {
    throw new ErasureError('too_many_validators', `at most ${MAX_VALIDATORS} validators`, {
      validatorCount,
    });
  }
  if (!(validatorCount >= MIN_VALIDATORS)) {
    throw new ErasureError('not_enough_validators', `at least ${MIN_VALIDATORS} validators`, {
      validatorCount,
    });
  }
  if (!Number.isInteger(validatorCount)) {
    throw new RangeError(`validatorCount: expected an integer, got ${validatorCount}`);
  }
}

/**
 * f + 1: how many chunks the reference waits for.
 *
 * @throws {@link ErasureError} `too_many_validators`, `not_enough_validators`.
 */
export function recoveryThreshold(validatorCount: number): number {
  assertValidatorCount(validatorCount);
  return Math.floor((validatorCount - 1) / 3) + 1;
}

/**
 * The largest power of two that is at most f + 1: how many chunks carry the payload itself, and how
 * many of any kind determine it.
 *
 * @throws {@link ErasureError} `too_many_validators`, `not_enough_validators`.
 */
export function systematicThreshold(validatorCount: number): number {
  return 2 ** Math.floor(Math.log2(recoveryThreshold(validatorCount)));
}
