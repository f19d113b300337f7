/**
 * @module
 * The account of one recovery: who was asked for what, what came back and why each strategy ended.
 */

import type { DecodePath, WorkDescription } from '../coding/erasure-work.ts';
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

/**
 * What proving, decoding and checking was done with, and what it cost. `hashedChunks` counts chunks that
 * came and chunks that were made again to find a root, `reusedHashes` those whose proven hash went into
 * a root as it was.
 */
export type WorkRecord = WorkDescription & {
  /** How the last payload was decoded; absent where none was. */
  readonly path?: DecodePath;
  readonly hashedChunks: number;
  readonly reusedHashes: number;
  /** Bytes of chunks, proofs and payloads, by why they were copied. */
  readonly copiedBytes: {
    /** To where they are kept and worked on. */
    readonly load: number;
    /** Payloads, from there to memory of their own. */
    readonly result: number;
    /** By the check: an encoding made again, or a copy that nobody else can write to. */
    readonly check: number;
    /** For the caller who has this account. */
    readonly caller: number;
  };
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
  /** Absent where no work was begun: a kept result, or a session that is not known. */
  readonly work?: WorkRecord;
};
