/**
 * @module
 * The account of one recovery: who was asked for what, what came back and why each strategy ended.
 */

import type { AuthorityId, CandidateHash, ChunkIndex, ValidatorIndex } from '../primitives/ids.ts';
import type { AnswerType, AttemptKind, StrategyEndReason, StrategyType } from './labels.ts';

/** One attempt in the account. `answer` is absent while it runs; `isLate` once past its soft timeout. */
export type AttemptRecord = {
  readonly attemptId: number;
  readonly kind: AttemptKind;
  readonly strategy: StrategyType;
  readonly source: AuthorityId;
  readonly validatorIndex: ValidatorIndex;
  readonly startedAtMs: number;
  readonly isLate: boolean;
  /** Whether it brought what was not there before: a chunk of a new index, or the full data itself. */
  readonly isUseful: boolean;
  readonly answer?: AnswerType;
  readonly code?: string;
  readonly protocol?: string;
  readonly ms?: number;
  readonly bytes: number;
};

/** One strategy in the account. `endedAtMs` and `reason` are absent while it runs or when it was cut short. */
export type StrategyRecord = {
  readonly strategy: StrategyType;
  readonly startedAtMs: number;
  readonly endedAtMs?: number;
  readonly reason?: StrategyEndReason;
  /** How many chunks it has to hold before it decodes; absent where it collects none. */
  readonly chunksNeeded?: number;
  readonly announcedBytes?: number;
};

/** Sums over all attempts. `issued = succeeded + failed + canceled + running`, always. */
export type AttemptTotals = {
  readonly issued: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly canceled: number;
  readonly running: number;
  /** Answer bytes on the wire, without framing. */
  readonly bytes: number;
};

/** Who did what in one recovery. */
export type RecoveryAccount = {
  readonly candidateHash: CandidateHash;
  readonly sessionIndex: number;
  /** When the first caller asked; a recovery may wait for its turn after that. */
  readonly startedAtMs: number;
  /** When it was over for the caller who has this account; absent in a snapshot of a running one. */
  readonly endedAtMs?: number;
  readonly strategies: readonly StrategyRecord[];
  readonly attempts: readonly AttemptRecord[];
  /** Chunk indices held, in order of arrival. */
  readonly chunksHeld: readonly ChunkIndex[];
  readonly totals: AttemptTotals;
};
