/**
 * @module
 * The bounded set of live attempts for chunks of one recovery. It belongs to the recovery: attempts on
 * the way survive a change of strategy when the settings say so, and nobody is asked the same twice.
 * The rules are in `window-rules.ts`, `attempt-set.ts`, `retry-table.ts` and `predicates.ts`; this
 * file drives them with streams and timers.
 */

import { Observable, type Subscriber, Subscription } from 'rxjs';
import type { VerifiedChunk } from '../src/primitives/chunk.ts';
import type { AuthorityId } from '../src/primitives/ids.ts';
import type { StrategyEvent } from '../src/recovery/events.ts';
import type { StrategyType } from '../src/recovery/labels.ts';
import type { RecoveryContext } from '../src/recovery/strategy.ts';
import { maxChunkAnswerBytes } from './answer-limit.ts';
import { askChunk, type ChunkAnswer } from './ask-chunk.ts';
import { attemptFinished } from './attempt-finished.ts';
import { AttemptSet } from './attempt-set.ts';
import { type AnswerCounts, isUnavailable } from './predicates.ts';
import type { RequestQueue } from './request-queue.ts';
import { keyText, RetryTable, type SourceKey } from './retry-table.ts';
import { SilenceTimer } from './silence-timer.ts';
import { recordFailure, takeBackup, takeBatch } from './window-rules.ts';

/** One strategy's use of the window. */
export type WindowPhase = {
  readonly strategy: StrategyType;
  readonly queue: RequestQueue;
  /** Attempts in all per source. */
  readonly attempts: number;
  /** Who may be asked in the place of a validator that failed for good. Used up by the phase. */
  readonly backups: AuthorityId[];
  /** Chunks that end the phase. */
  readonly threshold: number;
  /**
   * Whether a source that failed may be asked again, or be replaced by a backup. An attempt of an
   * earlier phase may have nothing to do with this one.
   */
  wants(source: SourceKey): boolean;
  /** Chunks held that count towards the threshold. */
  held(): number;
  /** Live attempts wanted now. */
  desired(counts: AnswerCounts): number;
};

type Attempt = {
  readonly attemptId: number;
  readonly source: SourceKey;
  readonly startedAtMs: number;
  readonly subscription: Subscription;
};

/** An answer and when it came. */
type Arrival = {
  readonly attempt: Attempt;
  readonly answer: ChunkAnswer;
  readonly cameAtMs: number;
};

type ActivePhase = {
  readonly phase: WindowPhase;
  readonly sink: Subscriber<StrategyEvent>;
  responses: number;
  errors: number;
  /** The round has ended (nothing on the way, or silence), so that the next may start. */
  isRoundOver: boolean;
};

/** Live and late attempts of one recovery. Unsubscribing stops them all and their timers. */
export class RequestWindow {
  /** What went wrong with whom. */
  readonly retries: RetryTable = new RetryTable();
  private readonly context: RecoveryContext;
  private readonly maxAnswerBytes: number;
  private readonly attempts = new AttemptSet<Attempt>();
  private readonly asking = new Set<string>();
  /** Answers not yet looked at, in order of arrival. */
  private readonly inbox: Arrival[] = [];
  private active: ActivePhase | undefined;
  private isPumping = false;
  /** A fault of ours that nobody has been told. */
  private fault: { readonly cause: unknown } | undefined;
  private readonly silence: SilenceTimer;
  private wakeUp = Subscription.EMPTY;

  /** An empty window. */
  constructor(context: RecoveryContext) {
    this.context = context;
    this.maxAnswerBytes = maxChunkAnswerBytes(context);
    const { scheduler } = context.runtime;
    this.silence = new SilenceTimer(scheduler, context.settings.softTimeoutMs, () =>
      this.onSilence(),
    );
  }

  /** Whether this source is being asked at this moment. */
  isAsking(source: SourceKey): boolean {
    return this.asking.has(keyText(source));
  }

  /**
   * Collects chunks until the phase's threshold is held or can no longer be reached, then completes.
   * What was collected is in the context's known chunks.
   */
  collect(phase: WindowPhase): Observable<StrategyEvent> {
    return new Observable((sink) => {
      if (this.fault !== undefined) {
        sink.error(this.fault.cause);
        return;
      }
      const active = { phase, sink, responses: 0, errors: 0, isRoundOver: true };
      this.active = active;
      if (this.attempts.total > 0) {
        this.silence.hear();
      }
      sink.add(() => {
        if (this.active === active) {
          this.leavePhase();
        }
      });
      this.pump();
    });
  }

  /** Stops every attempt and says so. Answers that came but were not looked at are reported as such. */
  cancelAll(): readonly StrategyEvent[] {
    const arrivals = new Map(this.inbox.map((arrival) => [arrival.attempt.attemptId, arrival]));
    const answer = { type: 'canceled', code: 'not_needed', bytes: 0 } as const;
    const cameAtMs = this.nowMs();
    const events = this.attempts.all().map((attempt) => {
      this.forget(attempt);
      attempt.subscription.unsubscribe();
      return this.finished(arrivals.get(attempt.attemptId) ?? { attempt, answer, cameAtMs });
    });
    this.inbox.length = 0;
    return events;
  }

  /** Stops everything, silently. */
  unsubscribe(): void {
    this.leavePhase();
    this.cancelAll();
  }

  private leavePhase(): void {
    this.active = undefined;
    this.silence.stop();
    this.wakeUp.unsubscribe();
  }

  /** Runs steps until there is nothing to do but wait. Answers that come meanwhile wait in the inbox. */
  private pump(): void {
    if (this.isPumping) {
      return;
    }
    this.isPumping = true;
    try {
      while (this.active !== undefined && this.step(this.active)) {
        // Each step does its own work.
      }
    } catch (cause: unknown) {
      // Steps run in timers and answers, where nobody else would hear of it.
      this.active?.sink.error(cause);
    } finally {
      this.isPumping = false;
    }
  }

  /** One look at the window. Returns whether another one is due. */
  private step(active: ActivePhase): boolean {
    const { phase } = active;
    const held = phase.held();
    const counts = { held, inFlight: this.attempts.total, queued: phase.queue.length };
    if (held >= phase.threshold || isUnavailable(counts, phase.threshold)) {
      this.endPhase(active);
      // The next strategy may have begun its phase inside the completion of this one.
      return this.active !== undefined;
    }
    const next = this.inbox.shift();
    if (next !== undefined) {
      this.settle(active, next);
      return true;
    }
    if (this.attempts.total === 0) {
      active.isRoundOver = true;
    }
    this.launch(active);
    if (this.active === active && this.inbox.length === 0) {
      this.waitForReadiness(active);
    }
    return this.inbox.length > 0;
  }

  private endPhase({ sink }: ActivePhase): void {
    this.leavePhase();
    if (!this.context.settings.carryInFlight) {
      for (const event of this.cancelAll()) {
        sink.next(event);
      }
    }
    sink.complete();
  }

  private launch(active: ActivePhase): void {
    const { phase } = active;
    if (this.context.settings.refill === 'after_round' && !active.isRoundOver) {
      return;
    }
    // A round in which nobody is left to ask is a round too: it ends at the next silence, not at the
    // next answer (recovery spec §4.6).
    active.isRoundOver = false;
    const nowMs = this.nowMs();
    const batch = takeBatch(phase.queue, this.attempts.live, phase.desired(active), nowMs);
    if (batch.length === 0) {
      return;
    }
    const attempts = batch.map((source) => this.register(active, source, nowMs));
    if (this.active !== active) {
      return;
    }
    this.silence.hear();
    for (const attempt of attempts) {
      this.send(attempt);
    }
  }

  private register({ phase, sink }: ActivePhase, source: SourceKey, nowMs: number): Attempt {
    const attempt = {
      attemptId: this.context.nextAttemptId(),
      source,
      startedAtMs: nowMs,
      subscription: new Subscription(),
    };
    this.attempts.push(attempt.attemptId, attempt);
    this.asking.add(keyText(source));
    sink.next({
      type: 'attempt_started',
      atMs: nowMs,
      attemptId: attempt.attemptId,
      kind: 'chunk',
      strategy: phase.strategy,
      source: source.authority,
      validatorIndex: source.validatorIndex,
    });
    return attempt;
  }

  private send(attempt: Attempt): void {
    if (attempt.subscription.closed) {
      return;
    }
    const { request } = this.context;
    const answer$ = askChunk(this.context, {
      candidateHash: request.candidate.candidateHash,
      sessionIndex: request.sessionIndex,
      validatorIndex: attempt.source.validatorIndex,
      authority: attempt.source.authority,
      maxBytes: this.maxAnswerBytes,
    });
    attempt.subscription.add(
      answer$.subscribe({
        next: (answer) => {
          this.inbox.push({ attempt, answer, cameAtMs: this.nowMs() });
          this.pump();
        },
        error: (cause: unknown) => {
          // Between two phases nobody listens; the attempt would be waited for in the next for ever.
          this.fault = { cause };
          this.active?.sink.error(cause);
        },
      }),
    );
  }

  private settle(active: ActivePhase, arrival: Arrival): void {
    const { attempt, answer } = arrival;
    this.forget(attempt);
    this.silence.hear();
    active.responses += 1;
    if (answer.type === 'success') {
      active.sink.next(this.finished(arrival));
      this.keep(active, attempt, answer.chunk);
      return;
    }
    active.errors += 1;
    const { source } = attempt;
    const delayMs = recordFailure(this.retries, {
      source,
      answer,
      networkRetries: this.context.settings.networkRetries,
    });
    if (active.phase.wants(source)) {
      this.queueAgain(active.phase, source, delayMs);
    }
    active.sink.next(this.finished(arrival));
  }

  private forget({ attemptId, source }: Attempt): void {
    this.attempts.take(attemptId);
    this.asking.delete(keyText(source));
  }

  private queueAgain(phase: WindowPhase, source: SourceKey, delayMs: number): void {
    if (this.retries.canRetry(source, phase.attempts)) {
      phase.queue.pushFront(source, delayMs === 0 ? undefined : this.nowMs() + delayMs);
      return;
    }
    const backup = takeBackup(phase.backups, source.validatorIndex, this.retries);
    if (backup !== undefined) {
      phase.queue.pushFront({ authority: backup, validatorIndex: source.validatorIndex });
    }
  }

  private keep({ sink }: ActivePhase, attempt: Attempt, chunk: VerifiedChunk): void {
    const { authority, validatorIndex } = attempt.source;
    if (this.context.known.add({ chunk, validatorIndex })) {
      const { chunkIndex } = chunk;
      const { attemptId } = attempt;
      sink.next({ type: 'chunk_held', atMs: this.nowMs(), chunkIndex, from: authority, attemptId });
    }
  }

  private finished({ attempt, answer, cameAtMs }: Arrival): StrategyEvent {
    return attemptFinished(attempt, answer, this.nowMs(), cameAtMs);
  }

  private onSilence(): void {
    const active = this.active;
    if (active === undefined) {
      return;
    }
    for (const attemptId of this.attempts.softCancel()) {
      active.sink.next({ type: 'attempt_late', atMs: this.nowMs(), attemptId });
    }
    active.isRoundOver = true;
    this.pump();
  }

  /** When a slot is free but every waiting source has to be left alone for a while. */
  private waitForReadiness(active: ActivePhase): void {
    this.wakeUp.unsubscribe();
    if (this.attempts.live >= active.phase.desired(active)) {
      return;
    }
    const readyMs = active.phase.queue.nextReadyMs();
    const nowMs = this.nowMs();
    if (readyMs !== undefined && readyMs > nowMs) {
      this.wakeUp = this.context.runtime.scheduler.schedule(() => this.pump(), readyMs - nowMs);
    }
  }

  private nowMs(): number {
    return this.context.runtime.scheduler.now();
  }
}
