/**
 * @module
 * How a recovery ends without data. `unavailable` and `invalid` are never merged.
 */

import { AvailabilityError, type ErrorDetails, isErrorOf } from '../primitives/errors.ts';
import type { ChunkIndex } from '../primitives/ids.ts';
import type { RecoveryAccount } from './account.ts';

/**
 * - `unavailable`: the data could not be had; says nothing about the candidate. `details.reason`
 *   is `sources_exhausted` or `deadline`.
 * - `invalid`: the data was had and is provably not what the candidate committed to.
 * - `cancelled`: the caller gave up.
 * - `local_fault`: something of ours failed; says nothing about the candidate.
 * - `stopped`: the recovery instance was stopped, or was not started.
 */
export type RecoveryErrorCode = 'unavailable' | 'invalid' | 'cancelled' | 'local_fault' | 'stopped';

/** What proves that a candidate is invalid. Anybody can repeat it from the chunks named here. */
export type InvalidEvidence = {
  /**
   * - `not_decodable`: chunks that are proven under the erasure root do not decode to a value.
   * - `root_mismatch`: the decoded value, encoded again, has another erasure root.
   * - `pov_hash_mismatch`: the decoded PoV has another hash than the receipt says.
   */
  readonly reason: 'not_decodable' | 'root_mismatch' | 'pov_hash_mismatch';
  /** The proven chunks that were decoded. */
  readonly chunkIndices: readonly ChunkIndex[];
  /** n of the session as the directory told it; with another n, other data belongs to the same root. */
  readonly validatorCount: number;
  /** Hash that the receipt commits to, hex. */
  readonly expected?: string;
  /** Hash that the decoded data has, hex. */
  readonly actual?: string;
  /** Code of the decoder, with `not_decodable`. */
  readonly code?: string;
};

/** A recovery ended without data. Carries the account and, for `invalid`, the evidence. */
export class RecoveryError extends AvailabilityError<RecoveryErrorCode> {
  override readonly name = 'RecoveryError';
  /** Who did what; absent only when nothing had begun. */
  readonly account: RecoveryAccount | undefined;
  /** Present exactly with `invalid`. */
  readonly evidence: InvalidEvidence | undefined;

  /** @param context - Account, evidence and the error below, as far as there are any. */
  constructor(
    code: RecoveryErrorCode,
    message: string,
    details: ErrorDetails = {},
    context: {
      readonly account?: RecoveryAccount | undefined;
      readonly evidence?: InvalidEvidence | undefined;
      readonly cause?: unknown;
    } = {},
  ) {
    super(code, message, details, context.cause);
    this.account = context.account;
    this.evidence = context.evidence;
  }

  /** The same error with the account of the recovery that it ended. */
  withAccount(account: RecoveryAccount): RecoveryError {
    return new RecoveryError(this.code, this.message, this.details, {
      account,
      evidence: this.evidence,
      cause: this.cause,
    });
  }
}

/** Whether an error is how a recovery ended. Works across copies of the package, unlike `instanceof`. */
export function isRecoveryError(error: unknown): error is RecoveryError {
  return isErrorOf(error, 'RecoveryError');
}

/** An error of kind `local_fault`; `reason` is a fixed word, for reports and tests. */
export function localFault(reason: string, cause?: unknown): RecoveryError {
  return new RecoveryError('local_fault', `a local fault: ${reason}`, { reason }, { cause });
}

/** Leaves recovery errors alone; whatever else went wrong is a fault of ours, never a verdict. */
export function asRecoveryError(cause: unknown, reason: string): Error {
  return isRecoveryError(cause) ? cause : localFault(reason, cause);
}
