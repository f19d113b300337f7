/**
 * @module
 * The public events of one recovery. They are plain data: the report, the metrics and the command
 * line are all made from them, and two runs of one seed give the same list.
 */

import type { AvailableData } from '../codec/available-data.ts';
import type { AuthorityId, CandidateHash, ChunkIndex, ValidatorIndex } from '../primitives/ids.ts';
import type { RecoveryAccount } from './account.ts';

/** The ways to get the data; also the metric label, spelled as upstream spells it. */
export type StrategyType = 'full_from_backers' | 'systematic_chunks' | 'regular_chunks';

/** Every strategy type, in the order in which the default plan tries them. */
export const STRATEGY_TYPES: readonly StrategyType[] = [
  'full_from_backers',
  'systematic_chunks',
  'regular_chunks',
];

/** What is asked for: one chunk, or the full data. */
export type AttemptKind = 'chunk' | 'available_data';

/**
 * What one attempt brought. `canceled` (upstream's spelling) is counted under `error` in metrics.
 * `success` for full data means that it passed the check.
 */
export type AnswerType =
  | 'success'
  | 'no_such_chunk'
  | 'no_such_data'
  | 'timeout'
  | 'invalid'
  | 'error'
  | 'canceled';

/**
 * Why a strategy ended.
 *
 * - `recovered`: it has the data.
 * - `sources_exhausted`: what is held, on the way and still to be asked is less than needed.
 * - `nobody_to_ask`: there was no source at the start.
 * - `too_large`: a backer announced more than the size limit.
 * - `out_of_time`: the strategy's share of time is over.
 * - `not_decodable`: the proven chunks do not decode.
 * - `check_failed`: the decoded data is not what was committed to.
 */
export type StrategyEndReason =
  | 'recovered'
  | 'sources_exhausted'
  | 'nobody_to_ask'
  | 'too_large'
  | 'out_of_time'
  | 'not_decodable'
  | 'check_failed';

/** Who supplied the result: a strategy, our own store, or an earlier recovery. */
export type RecoveredFrom = StrategyType | 'store' | 'cache';

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

/** The data, proven to be what the candidate committed to, as the check mode defines it. */
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
  | { readonly type: 'strategy_started'; readonly atMs: number; readonly strategy: StrategyType }
  | StrategyEvent
  | RecoveredEvent;
