/**
 * @module
 * What goes into and comes out of the recovery of blocks in order: plain data.
 */

import type { Observable } from 'rxjs';
import type { CandidateHash } from '../primitives/ids.ts';
import type { RecoveredEvent } from '../recovery/events.ts';
import type { RetriedEvent } from './recover-with-retries.ts';
import type { CollatorCandidate } from './requests.ts';
import type { RetryPolicy } from './retry-policy.ts';

/** A parachain block. Two parachains may have equal blocks, so that the id belongs to the name. */
export type ParaBlock = {
  readonly paraId: number;
  /** Hash of its header, which is the para head hash of its candidate: 64 lower-case hex characters. */
  readonly headHash: string;
};

/** A candidate whose block is to be recovered. */
export type PendingCandidate = CollatorCandidate & {
  /** Hash of the header before it, which the receipt does not say: 64 lower-case hex characters. */
  readonly parentHeadHash: string;
};

/** What the caller's chain says. */
export type ChainInput = {
  /**
   * Candidates seen pending availability, as they are seen; a parent before its child where both are
   * new. One that is in the queue or was given out may come again, nothing follows from it. Ends the
   * whole when it errors; when it completes, what is queued is still recovered.
   */
  readonly pending$: Observable<PendingCandidate>;
  /** Blocks that became known by another way. One that errors ends the whole. */
  readonly imported$?: Observable<ParaBlock>;
  /**
   * Whether a block is still to be recovered: unknown locally, and above the local finalized number.
   * Asked on arrival and before each try, and of a parent that was given up when a child of it comes: one
   * that is not wanted is known. One that throws ends the whole. Default: always.
   */
  readonly isWanted?: (block: ParaBlock) => boolean;
};

/** Numbers of the queue. */
export type InOrderSettings = {
  /** Waits and tries of each block; by the role of the node. Default `COLLATOR_RETRY`. */
  readonly policy: RetryPolicy;
  /** Recoveries under way at most. Default 4: more would compete for the same validators. */
  readonly parallel: number;
  /**
   * Blocks at most that are being recovered, or were, while their parent is still to be given out: bounds
   * the data held. Default 8, some 80 MiB at the largest PoV.
   */
  readonly maxAhead: number;
  /** Blocks in the queue at most; beyond, new ones are given up. Default 256. */
  readonly maxQueued: number;
};

/** A block and its candidate. */
export type QueuedBlock = ParaBlock & { readonly candidateHash: CandidateHash };

/**
 * Why a block was given up.
 *
 * - `failed`: its recoveries ended without data; `error` is the last one's.
 * - `parent_given_up`: its parent was, so that it could not be imported.
 * - `queue_full`: too many blocks are waiting.
 * - `own_ancestor`: by what the caller says it comes before itself.
 */
export type GivenUpReason = 'failed' | 'parent_given_up' | 'queue_full' | 'own_ancestor';

/** What happens to the blocks. Each ends in one of `recovered`, `skipped` and `given_up`. */
export type InOrderEvent =
  | {
      /** A wait, or an event of the block's recovery; its data comes with `recovered`. */
      readonly type: 'progress';
      readonly block: QueuedBlock;
      readonly event: Exclude<RetriedEvent, RecoveredEvent>;
    }
  | {
      /** The block's data; its parent was given out before it or is no longer queued. */
      readonly type: 'recovered';
      readonly atMs: number;
      readonly block: QueuedBlock;
      readonly candidate: PendingCandidate;
      readonly result: RecoveredEvent;
    }
  | {
      /** The block is not needed: it was imported meanwhile, or `isWanted` says so. */
      readonly type: 'skipped';
      readonly atMs: number;
      readonly block: QueuedBlock;
      readonly reason: 'imported' | 'not_wanted';
    }
  | {
      readonly type: 'given_up';
      readonly atMs: number;
      readonly block: QueuedBlock;
      readonly reason: GivenUpReason;
      readonly error?: unknown;
    };
