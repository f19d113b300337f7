/**
 * @module
 * The public events of one recovery. They are plain data: the report, the metrics and the command
 * line are all made from them, and two runs of one seed give the same list.
 */

import type { AvailableData } from '../codec/available-data.ts';
import type { AuthorityId, CandidateHash, ChunkIndex, ValidatorIndex } from '../primitives/ids.ts';
import type { RecoveryAccount } from './account.ts';
import type {
  AnswerType,
  AttemptKind,
  RecoveredFrom,
  StrategyEndReason,
  StrategyType,
} from './labels.ts';

/** An attempt was sent. */
export type AttemptStarted = {
  readonly type: 'attempt_started';
  readonly atMs: number;
  /** Unique within the recovery, ascending from 0. */
  readonly attemptId: number;
  readonly kind: AttemptKind;
  readonly strategy: StrategyType;
  /** Who was asked. */
  readonly source: AuthorityId;
  /** Whose chunk was asked for; for full data, the place of the source itself. */
  readonly validatorIndex: ValidatorIndex;
};

/** An attempt is over. */
export type AttemptFinished = {
  readonly type: 'attempt_finished';
  readonly atMs: number;
  readonly attemptId: number;
  readonly answer: AnswerType;
  /** Finer reason of `invalid`, `timeout` and `error`: a proof fault, a codec or a request code. */
  readonly code?: string;
  /** Name of the protocol that answered. */
  readonly protocol?: string;
  readonly ms: number;
  /** Size of the answer on the wire, without framing; 0 when there was none. */
  readonly bytes: number;
};

/** What happens during a strategy. */
export type StrategyEvent =
  | AttemptStarted
  | AttemptFinished
  | { readonly type: 'attempt_late'; readonly atMs: number; readonly attemptId: number }
  | {
      readonly type: 'chunk_held';
      readonly atMs: number;
      readonly chunkIndex: ChunkIndex;
      /** Whose answer brought it, or our own store. */
      readonly from: AuthorityId | 'store';
      /** The attempt whose answer brought it, finished before; absent for our own store. */
      readonly attemptId?: number;
    }
  | { readonly type: 'decoding'; readonly atMs: number; readonly chunkCount: number }
  | { readonly type: 'checking'; readonly atMs: number }
  | {
      readonly type: 'strategy_ended';
      readonly atMs: number;
      readonly strategy: StrategyType;
      readonly reason: StrategyEndReason;
      /** With `too_large`: how many bytes the backer announced. */
      readonly announcedBytes?: number;
    };

/**
 * The data, proven to be what the candidate committed to, as the check mode defines it. Its bytes are
 * this caller's own: writing to them or transferring them changes nobody else's result.
 */
export type RecoveredEvent = {
  readonly type: 'recovered';
  readonly atMs: number;
  readonly data: AvailableData;
  readonly from: RecoveredFrom;
  readonly account: RecoveryAccount;
};

/** Everything a recovery emits. Failure is an error, see `RecoveryError`. */
export type RecoveryEvent =
  | {
      readonly type: 'started';
      readonly atMs: number;
      readonly candidateHash: CandidateHash;
      readonly sessionIndex: number;
    }
  | {
      /** This caller was added to a running recovery; what happened before is in the account. */
      readonly type: 'joined';
      readonly atMs: number;
      readonly account: RecoveryAccount;
    }
  | {
      /** Something about the request that the caller should look at; the recovery goes on. */
      readonly type: 'warning';
      readonly atMs: number;
      /** `core_index_mismatch`: the receipt names another core than the request, whose core is used. */
      readonly code: 'core_index_mismatch';
      readonly requested: number;
      readonly inReceipt: number;
    }
  | {
      readonly type: 'strategy_started';
      readonly atMs: number;
      readonly strategy: StrategyType;
      /**
       * How many chunks it has to hold before it decodes, of the systematic ones where those are
       * collected; absent where it collects none.
       */
      readonly chunksNeeded?: number;
    }
  | StrategyEvent
  | RecoveredEvent;
