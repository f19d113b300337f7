/**
 * @module
 * What a write refuses before it does anything.
 */

import { equalBytes } from '../primitives/bytes.ts';
import { HASH_BYTES } from '../primitives/hash.ts';
import type { ValidatorIndex } from '../primitives/ids.ts';
import { assertValidatorCount } from '../primitives/thresholds.ts';
import type { CandidateIdentity } from './context.ts';
import { StoreError } from './errors.ts';
import type { Metadata } from './metadata.ts';

/** Misuse: an impossible validator count, or a root of another size. */
export function assertIdentity({ erasureRoot, validatorCount }: CandidateIdentity): void {
  assertValidatorCount(validatorCount);
  if (erasureRoot.length !== HASH_BYTES) {
    throw new RangeError(`erasureRoot: expected ${HASH_BYTES} bytes, got ${erasureRoot.length}`);
  }
}

/** `validator_index_out_of_range` unless the session has this validator. */
export function assertValidator(validator: ValidatorIndex, validatorCount: number): void {
  if (!(Number.isInteger(validator) && validator >= 0 && validator < validatorCount)) {
    throw new StoreError('validator_index_out_of_range', 'no validator has this index', {
      validatorIndex: validator,
      validatorCount,
    });
  }
}

/** `conflicting_candidate` when a candidate is known under another root or validator count. */
export function assertSameCandidate(
  metadata: Metadata | undefined,
  candidate: CandidateIdentity,
): void {
  if (
    metadata !== undefined &&
    !(
      metadata.validatorCount === candidate.validatorCount &&
      equalBytes(metadata.erasureRoot, candidate.erasureRoot)
    )
  ) {
    throw new StoreError('conflicting_candidate', 'held under another root or validator count', {
      validatorCount: candidate.validatorCount,
      heldValidatorCount: metadata.validatorCount,
    });
  }
}
