/**
 * @module
 * Keeps the account of a recovery: a fold over its events, so that it can be made again from a recorded
 * list. Only what the erasure work cost is no event, and read from its log.
 */

import { unreachable } from '../primitives/errors.ts';
import type { CandidateHash, ChunkIndex } from '../primitives/ids.ts';
import type { AttemptRecord, AttemptTotals, RecoveryAccount, StrategyRecord } from './account.ts';
import type { RecoveryEvent } from './events.ts';
import type { AnswerType } from './labels.ts';
import type { WorkLog } from './work-log.ts';

const NO_TOTALS: AttemptTotals = {
  issued: 0,
  succeeded: 0,
  failed: 0,
  canceled: 0,
  running: 0,
  bytes: 0,
};

/** Collects the events of one recovery. Adding is O(1); the account is made when it is asked for. */
export class AccountBook {
  private readonly candidateHash: CandidateHash;
  private readonly sessionIndex: number;
  private readonly startedAtMs: number;
  private readonly workLog: Pick<WorkLog, 'record'> | undefined;
  private readonly strategies: StrategyRecord[] = [];
  private readonly attempts = new Map<number, AttemptRecord>();
  private readonly chunksHeld: ChunkIndex[] = [];

  /** An empty account; with `workLog`, it says what the erasure work was. */
  constructor(
    candidateHash: CandidateHash,
    sessionIndex: number,
    startedAtMs: number,
    workLog?: Pick<WorkLog, 'record'>,
  ) {
    this.candidateHash = candidateHash;
    this.sessionIndex = sessionIndex;
    this.startedAtMs = startedAtMs;
    this.workLog = workLog;
  }

  /** Takes one event in. Events that say nothing about who did what are ignored. */
  add(event: RecoveryEvent): void {
    switch (event.type) {
      case 'strategy_started': {
        const { type: _type, atMs, ...strategy } = event;
        this.strategies.push({ ...strategy, startedAtMs: atMs });
        return;
      }
      case 'strategy_ended':
        this.endStrategy(event);
        return;
      case 'attempt_started': {
        const { type: _type, atMs, ...attempt } = event;
        this.attempts.set(event.attemptId, {
          ...attempt,
          startedAtMs: atMs,
          isLate: false,
          isUseful: false,
          bytes: 0,
        });
        return;
      }
      case 'attempt_late':
        this.change(event.attemptId, { isLate: true });
        return;
      case 'attempt_finished':
        this.endAttempt(event);
        return;
      case 'chunk_held':
        this.chunksHeld.push(event.chunkIndex);
        if (event.attemptId !== undefined) {
          this.change(event.attemptId, { isUseful: true });
        }
        return;
      case 'started':
      case 'joined':
      case 'warning':
      case 'decoding':
      case 'checking':
      case 'recovered':
        return;
      default:
        unreachable(event);
    }
  }

  /** The account as of now; attempts without an answer are `running`. */
  snapshot(): RecoveryAccount {
    return this.accountOf([...this.attempts.values()]);
  }

  /** The account of somebody for whom the recovery is over: what is without an answer was canceled. */
  closed(atMs: number): RecoveryAccount {
    const attempts = [...this.attempts.values()].map(
      (attempt): AttemptRecord =>
        attempt.answer === undefined
          ? { ...attempt, answer: 'canceled', ms: atMs - attempt.startedAtMs }
          : attempt,
    );
    return { ...this.accountOf(attempts), endedAtMs: atMs };
  }

  private accountOf(attempts: readonly AttemptRecord[]): RecoveryAccount {
    const work = this.workLog?.record();
    return {
      candidateHash: this.candidateHash,
      sessionIndex: this.sessionIndex,
      startedAtMs: this.startedAtMs,
      strategies: [...this.strategies],
      attempts,
      chunksHeld: [...this.chunksHeld],
      totals: attempts.reduce(addAttempt, NO_TOTALS),
      ...(work === undefined ? {} : { work }),
    };
  }

  private change(attemptId: number, fields: Partial<AttemptRecord>): void {
    const attempt = this.attempts.get(attemptId);
    if (attempt !== undefined) {
      this.attempts.set(attemptId, { ...attempt, ...fields });
    }
  }

  /** Full data that passed its check is the result: an attempt for it that succeeds is useful. */
  private endAttempt(event: RecoveryEvent & { type: 'attempt_finished' }): void {
    const { type: _type, atMs: _atMs, attemptId, ...outcome } = event;
    const isResult =
      outcome.answer === 'success' && this.attempts.get(attemptId)?.kind === 'available_data';
    this.change(attemptId, { ...outcome, ...(isResult ? { isUseful: true } : {}) });
  }

  private endStrategy(event: RecoveryEvent & { type: 'strategy_ended' }): void {
    const last = this.strategies.pop();
    if (last !== undefined) {
      this.strategies.push({
        ...last,
        endedAtMs: event.atMs,
        reason: event.reason,
        ...(event.announcedBytes === undefined ? {} : { announcedBytes: event.announcedBytes }),
      });
    }
  }
}

function addAttempt(totals: AttemptTotals, attempt: AttemptRecord): AttemptTotals {
  const outcome = outcomeOf(attempt.answer);
  return {
    ...totals,
    issued: totals.issued + 1,
    [outcome]: totals[outcome] + 1,
    bytes: totals.bytes + attempt.bytes,
  };
}

function outcomeOf(
  answer: AnswerType | undefined,
): 'succeeded' | 'failed' | 'canceled' | 'running' {
  if (answer === undefined) {
    return 'running';
  }
  return answer === 'success' ? 'succeeded' : answer === 'canceled' ? 'canceled' : 'failed';
}
