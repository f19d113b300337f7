/**
 * @module
 * The numbers of codec v1 for a validator count, and the sizes that follow from a payload.
 */

import { ErasureError } from '../primitives/errors.ts';
import { recoveryThreshold, systematicThreshold } from '../primitives/thresholds.ts';
import type { CodeParameters } from './codec.ts';

/**
 * Code parameters of codec v1 (erasure spec §2): `codeLength` is the smallest power of two that is
 * at least the validator count.
 *
 * @throws {@link ErasureError} `too_many_validators`, `not_enough_validators`.
 */
export function parametersV1(validatorCount: number): CodeParameters {
  return {
    recoveryThreshold: recoveryThreshold(validatorCount),
    systematicThreshold: systematicThreshold(validatorCount),
    validatorCount,
    codeLength: 2 ** Math.ceil(Math.log2(validatorCount)),
  };
}

/**
 * Columns of a payload: one column is a symbol of each systematic chunk (erasure spec §3).
 *
 * @throws {@link ErasureError} `bad_payload` for an empty payload.
 * @throws RangeError when `payloadBytes` is no size.
 */
export function columnCount(payloadBytes: number, dataChunks: number): number {
  if (payloadBytes === 0) {
    throw new ErasureError('bad_payload', 'expected a payload of at least 1 byte');
  }
  if (!Number.isSafeInteger(payloadBytes) || payloadBytes < 0) {
    throw new RangeError(`payloadBytes: expected an integer > 0, got ${payloadBytes}`);
  }
  return Math.ceil(payloadBytes / (2 * dataChunks));
}
