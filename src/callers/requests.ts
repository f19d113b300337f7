/**
 * @module
 * The requests of the three parties that recover, each with what it does on every end of a recovery
 * (recovery spec §8). They build data; nothing is checked or asked before `recover`.
 */

import type { RecoveryRequest } from '../recovery/request.ts';

/**
 * How long an approval check may take from its start to its vote: 120 s (recovery spec §8.1). Here it
 * bounds one recovery; a caller whose check also executes the candidate leaves when its own time is up.
 */
export const APPROVAL_CHECK_TIMEOUT_MS = 120_000;

/** What an approval checker knows of a candidate. */
export type ApprovalCandidate = {
  /** The candidate receipt, 324 bytes. */
  readonly receipt: Uint8Array;
  readonly sessionIndex: number;
  /** The group that backed the candidate. Given, not recomputed: groups rotate meanwhile. */
  readonly backingGroup: number;
  /** The core that the candidate occupied in the block which includes it. */
  readonly coreIndex: number;
};

/** What a dispute participant knows of a candidate. */
export type DisputedCandidate = {
  /** The candidate receipt, 324 bytes. */
  readonly receipt: Uint8Array;
  readonly sessionIndex: number;
  /** The group that backed the candidate, where it is known. */
  readonly backingGroup?: number;
};

/** What a parachain node knows of a candidate that is pending availability. */
export type CollatorCandidate = {
  /** The candidate receipt, 324 bytes, in its plain form (without the commitments). */
  readonly receipt: Uint8Array;
  /** Session of the child of the relay block in which the candidate was seen pending. */
  readonly sessionIndex: number;
  /** The group that backed the candidate, where it is known: it is then asked first, below the size limit. */
  readonly backingGroup?: number;
  /** The core that the candidate occupies, where it is known: systematic chunks are then tried. */
  readonly coreIndex?: number;
};

/**
 * The request of a validator that was assigned to check a candidate (recovery spec §8.1). Repeat it
 * under `APPROVAL_RETRY`.
 *
 * | end | what the caller does |
 * |---|---|
 * | data | fetches the code and executes the candidate with this PoV and this validation data |
 * | `invalid` | issues a local "invalid" statement, which raises a dispute; the approval fails |
 * | `unavailable` | no vote, so that it counts as a no-show and others step in; again after 60 s, up to 16 times, while the check is still needed |
 * | `local_fault`, `stopped` | no vote; says nothing about the candidate |
 * | unsubscribed | nothing; whoever else waits for the candidate still gets it |
 *
 * Its own deadline of {@link APPROVAL_CHECK_TIMEOUT_MS} ends in `unavailable`, reason `deadline`.
 *
 * @throws TypeError when group or core is missing: without them the fast ways would silently be left out.
 */
export function forApprovalChecker(candidate: ApprovalCandidate): RecoveryRequest {
  const { receipt, sessionIndex, backingGroup, coreIndex } = candidate;
  assertGiven('backingGroup', backingGroup);
  assertGiven('coreIndex', coreIndex);
  return {
    receipt,
    sessionIndex,
    backingGroup,
    coreIndex,
    checkMode: 're_encode',
    timeoutMs: APPROVAL_CHECK_TIMEOUT_MS,
  };
}

/**
 * The request of a validator that takes part in a dispute (recovery spec §8.2).
 *
 * Spec: no group and no core are passed, so that regular chunks are the only way.
 * Impl: the same, and a group that is named is asked for the full data last, when the chunks did not
 * suffice. The backers are a party to the dispute: they are no first choice, and their answer is
 * checked like every other.
 *
 * | end | what the caller does |
 * |---|---|
 * | data | executes the candidate and votes according to the outcome |
 * | `invalid` | votes **against** the candidate |
 * | `unavailable` | no vote, outcome "unavailable" |
 * | `local_fault`, `stopped`, misuse | no vote, outcome "error" |
 *
 * It is not repeated. At most 3 participations run in parallel, which is the caller's to keep.
 */
export function forDispute(candidate: DisputedCandidate): RecoveryRequest {
  const { receipt, sessionIndex, backingGroup } = candidate;
  const request: RecoveryRequest = {
    receipt,
    sessionIndex,
    checkMode: 're_encode',
    strategies: ['regular_chunks'],
  };
  return backingGroup === undefined
    ? request
    : { ...request, backingGroup, strategies: ['regular_chunks', 'full_from_backers'] };
}

/**
 * The request of a parachain node that misses a block (recovery spec §8.3): our own store is bypassed
 * (that role has none) and the PoV's hash alone is checked, so nothing is known about the erasure root
 * and the validation data. Repeat it under `COLLATOR_RETRY` or `FULL_NODE_RETRY`.
 *
 * Spec: neither group nor core is passed, so that regular chunks are the only way.
 * Impl: the same unless the caller names them; then backers are asked first and systematic chunks second.
 *
 * | end | what the caller does |
 * |---|---|
 * | data | decompresses the PoV, decodes the block, imports it once its parent is known |
 * | any error | all alike, also `invalid`: one retry after another random delay, then the block and those waiting for it are given up |
 *
 * `unavailable` is normal here: the chunks may still be on their way to the validators.
 */
export function forCollator(candidate: CollatorCandidate): RecoveryRequest {
  const { receipt, sessionIndex, backingGroup, coreIndex } = candidate;
  return {
    receipt,
    sessionIndex,
    ...(backingGroup === undefined ? {} : { backingGroup }),
    ...(coreIndex === undefined ? {} : { coreIndex }),
    checkMode: 'pov_hash',
    useStore: false,
  };
}

function assertGiven(name: string, value: number | undefined): void {
  if (typeof value !== 'number') {
    throw new TypeError(`${name}: expected a number, got ${typeof value}`);
  }
}
