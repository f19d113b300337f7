/**
 * @module
 * Why a store operation ended without a result. Entries that turn out to be corrupt while reading
 * are not errors: they are counted, dropped and answered as "not held".
 */

import { AvailabilityError } from '../primitives/errors.ts';

/**
 * What stopped a store operation.
 *
 * Refused by the caller's own input, nothing was written:
 * - `invalid_erasure_root`: the data does not encode to the given root; `cause` is set when it does
 *   not encode at all.
 * - `invalid_chunk`: the chunk's proof does not hold; `details.reason` is the proof fault, or
 *   `bad_proof_bounds` for a proof that could not travel.
 * - `validator_index_out_of_range`: no validator has this index; `details` has both numbers.
 * - `conflicting_candidate`: the same candidate is held under another root or validator count.
 *
 * The database below, `cause` is its error:
 * - `store_locked`: another process, or this one, has the path open.
 * - `store_unavailable`: the path cannot be created, is not a database, or is damaged as a whole.
 * - `read_failed`, `write_failed`: a single read or write; a failed write left nothing half written.
 * - `closed`: the store was closed before the operation began, or during a pruning pass.
 * - `corrupt_metadata`: stored metadata that cannot be read. Only the metadata decoder throws it; the
 *   store answers by dropping the candidate.
 */
export type StoreErrorCode =
  | 'invalid_erasure_root'
  | 'invalid_chunk'
  | 'validator_index_out_of_range'
  | 'conflicting_candidate'
  | 'store_locked'
  | 'store_unavailable'
  | 'read_failed'
  | 'write_failed'
  | 'closed'
  | 'corrupt_metadata';

/** A store operation ended without a result; see {@link StoreErrorCode}. */
export class StoreError extends AvailabilityError<StoreErrorCode> {
  override readonly name = 'StoreError';
}
