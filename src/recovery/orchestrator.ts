/**
 * @module
 * Runs recoveries: answers from the cache, lets equal requests share one run, and ends each in data or
 * in one typed error. Knows no strategy and no network.
 */

import type { LRUCache } from 'lru-cache';
import {
  catchError,
  concatMap,
  defer,
  finalize,
  lastValueFrom,
  type MonoTypeOperatorFunction,
  map,
  merge,
  NEVER,
  Observable,
  of,
  Subject,
  share,
  takeWhile,
  tap,
  throwError,
  timer,
} from 'rxjs';
import { hashPov } from '../codec/available-data.ts';
import { equalBytes } from '../primitives/bytes.ts';
import { hashReady } from '../primitives/hash.ts';
import type { RecoveryAccount } from './account.ts';
import { AccountBook } from './account-book.ts';
import { Admission, SharedTicket } from './admission.ts';
import { DataHolders } from './data-holders.ts';
import { RecoveryError } from './errors.ts';
import type { RecoveredEvent, RecoveryEvent } from './events.ts';
import type { RecoveredFrom } from './labels.ts';
import { copiedBytesOf, copyOfData } from './own-copy.ts';
import { RecoveryMeter } from './recovery-metrics.ts';
import {
  assertReceiptSession,
  type CheckedRequest,
  checkRequest,
  type RecoveryRequest,
} from './request.ts';
import { type CachedResult, recoveryKey, resultCache } from './result-cache.ts';
import { type RecoveryParts, type RunOutput, runRecovery } from './run.ts';
import { WorkLog, withCallerCopy } from './work-log.ts';

/** A result as a promise gives it. */
export type Recovered = Omit<RecoveredEvent, 'type' | 'atMs'>;

/** A recovery that somebody waits for. */
type Running = {
  readonly events$: Observable<RecoveryEvent>;
  readonly book: AccountBook;
  readonly ticket: SharedTicket;
  readonly holders: DataHolders;
};

/** Recovers the data of candidates. Made by `createRecovery`. */
export interface Recovery extends AsyncDisposable {
  /** Makes ready; resolves once hashes run at full speed. */
  start(): Promise<void>;
  /** Ends every running recovery with `stopped`. Ports that were passed in stay open. */
  stop(): Promise<void>;
  /**
   * Recovers one candidate.
   *
   * **Guarantees.** Cold. Ends with exactly one `recovered`, or errors with a `RecoveryError`; misuse is
   * a `TypeError` or `RangeError`, a receipt of the wrong size a `CodecError`. Equal requests that run at
   * the same time share one run; when the last subscriber leaves, everything stops in that turn.
   */
  recover(request: RecoveryRequest): Observable<RecoveryEvent>;
  /** The same as a promise. Aborting the signal rejects with `cancelled`. */
  recoverData(
    request: RecoveryRequest,
    options?: { readonly signal?: AbortSignal },
  ): Promise<Recovered>;
}

/** The recovery over given parts. */
export class Orchestrator implements Recovery {
  private readonly parts: RecoveryParts;
  private readonly cache: LRUCache<string, CachedResult>;
  private readonly admission: Admission;
  private readonly running = new Map<string, Running>();
  private readonly stopped$ = new Subject<void>();
  private isStarted = false;
  /** Tells a start that is still getting ready that it was stopped meanwhile. */
  private stopCount = 0;

  /** Nothing runs before {@link start}. */
  constructor(parts: RecoveryParts) {
    this.parts = parts;
    this.cache = resultCache(parts.settings.cacheEntries);
    const { maxConcurrent, maxWaiting } = parts.settings;
    this.admission = new Admission(maxConcurrent, maxWaiting);
  }

  /** See {@link Recovery.start}. */
  async start(): Promise<void> {
    const { stopCount } = this;
    await hashReady();
    if (stopCount === this.stopCount) {
      this.isStarted = true;
    }
  }

  /** See {@link Recovery.stop}. */
  async stop(): Promise<void> {
    this.stopCount += 1;
    this.isStarted = false;
    this.stopped$.next();
    if (this.parts.closesWork) {
      this.parts.work.close?.();
    }
  }

  /** The same as {@link stop}. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** See {@link Recovery.recover}. */
  recover(request: RecoveryRequest): Observable<RecoveryEvent> {
    return defer(() => {
      if (!this.isStarted) {
        throw new RecoveryError('stopped', 'not running: call start() first');
      }
      const checked = checkRequest(request);
      if (this.parts.settings.receiptSession === 'must_match') {
        assertReceiptSession(checked);
      }
      const key = recoveryKey(checked);
      const cached = this.kept(checked);
      return cached === undefined
        ? this.joinOrBegin(key, checked)
        : this.fromCache(checked, cached);
    }).pipe(map(withOwnData));
  }

  /** See {@link Recovery.recoverData}. */
  async recoverData(
    request: RecoveryRequest,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Recovered> {
    const { signal } = options;
    const events$ = this.recover(request);
    const last = await lastValueFrom(
      signal === undefined
        ? events$
        : endedBy(
            events$,
            this.aborted(signal, () => checkRequest(request)),
          ),
    );
    if (last.type !== 'recovered') {
      throw new TypeError(`a recovery ended with ${last.type}`);
    }
    return { data: last.data, from: last.from, account: last.account };
  }

  private joinOrBegin(key: string, request: CheckedRequest): Observable<RecoveryEvent> {
    const running = this.running.get(key);
    const { events$, book, ticket, holders } = running ?? this.begin(key, request);
    holders.add(request);
    const joined$ =
      running === undefined
        ? events$
        : // First the events: the run may be left, end or be stopped while the joiner hears the snapshot.
          merge(
            events$,
            defer(() =>
              of<RecoveryEvent>({
                type: 'joined',
                atMs: this.nowMs(),
                account: book.snapshot(),
              }),
            ),
          );
    const { timeoutMs } = request;
    if (timeoutMs === undefined) {
      return joined$;
    }
    const deadlineMs = this.nowMs() + timeoutMs;
    ticket.add(deadlineMs);
    return endedBy(joined$, this.deadline(timeoutMs, book)).pipe(
      beforeTeardown(() => ticket.remove(deadlineMs)),
    );
  }

  private begin(key: string, request: CheckedRequest): Running {
    const { candidate, sessionIndex } = request;
    const workLog = new WorkLog();
    const book = new AccountBook(candidate.candidateHash, sessionIndex, this.nowMs(), workLog);
    const meter = new RecoveryMeter(this.parts.metrics, this.parts.runtime.scheduler);
    const forget = (): void => {
      if (this.running.get(key) === running) {
        this.running.delete(key);
      }
    };
    const stopped$ = this.stopped$.pipe(
      map((): never => {
        throw new RecoveryError('stopped', 'the recovery instance was stopped');
      }),
    );
    const holders = new DataHolders();
    const ticket = new SharedTicket();
    const events$ = endedBy(
      this.admission.enter(ticket).pipe(
        // Who is let in because another was stopped is about to be stopped too.
        concatMap(() =>
          this.isStarted ? runRecovery(this.parts, request, { meter, holders, workLog }) : NEVER,
        ),
        map((output) => this.publish(key, { book, meter }, output)),
      ),
      stopped$,
    ).pipe(
      tap((event) => {
        book.add(event);
        meter.add(event);
      }),
      catchError((cause: unknown) => throwError(() => this.conclude(key, book, cause))),
      // Whoever asks again in the turn of the error begins afresh.
      tap({
        error: (error: unknown) => {
          meter.fail(error);
          forget();
        },
      }),
      finalize(() => meter.end()),
      beforeTeardown(forget),
      share(),
    );
    const running: Running = { events$, book, ticket, holders };
    this.running.set(key, running);
    return running;
  }

  /** Turns the data of a run into its last event, and keeps it. */
  private publish(
    key: string,
    { book, meter }: { readonly book: AccountBook; readonly meter: RecoveryMeter },
    output: RunOutput,
  ): RecoveryEvent {
    if (output.type !== 'data') {
      return output;
    }
    const { data, from } = output;
    meter.succeed(from, data.scaleBytes);
    this.cache.set(key, { type: 'data', data });
    return this.recovered(data.data, from, book.closed(this.nowMs()));
  }

  /** The error that callers get, with the account; `invalid` is kept. */
  private conclude(key: string, book: AccountBook, cause: unknown): unknown {
    if (!(cause instanceof RecoveryError)) {
      return cause;
    }
    const error = cause.withAccount(book.closed(this.nowMs()));
    if (error.code === 'invalid') {
      this.cache.set(key, { type: 'invalid', error });
    }
    return error;
  }

  /**
   * A kept result that answers the request. Data that was held against the erasure root may answer where
   * only the PoV hash is asked for, if that is right too; never the reverse, and `invalid` stays in its
   * check mode.
   */
  private kept(request: CheckedRequest): CachedResult | undefined {
    const own = this.cache.get(recoveryKey(request));
    if (own !== undefined || request.checkMode === 're_encode') {
      return own;
    }
    return [true, false]
      .map((useStore) =>
        this.cache.get(recoveryKey({ ...request, checkMode: 're_encode', useStore })),
      )
      .find(
        (result) =>
          result?.type === 'data' &&
          result.data.isTrusted !== true &&
          equalBytes(hashPov(result.data.data.pov), request.candidate.povHash),
      );
  }

  private fromCache(request: CheckedRequest, cached: CachedResult): Observable<RecoveryEvent> {
    if (cached.type === 'invalid') {
      return throwError(() => cached.error);
    }
    const { candidate, sessionIndex } = request;
    const book = new AccountBook(candidate.candidateHash, sessionIndex, this.nowMs());
    return of(this.recovered(cached.data.data, 'cache', book.closed(this.nowMs())));
  }

  private recovered(
    data: RecoveredEvent['data'],
    from: RecoveredFrom,
    account: RecoveryAccount,
  ): RecoveredEvent {
    return { type: 'recovered', atMs: this.nowMs(), data, from, account };
  }

  private deadline(timeoutMs: number, book: AccountBook): Observable<never> {
    return timer(timeoutMs, this.parts.runtime.scheduler).pipe(
      map((): never => {
        throw new RecoveryError(
          'unavailable',
          `not recovered within ${timeoutMs} ms`,
          { reason: 'deadline', timeoutMs },
          { account: book.closed(this.nowMs()) },
        );
      }),
    );
  }

  /** Errors with `cancelled` when the signal aborts; leaves no listener behind. */
  private aborted(signal: AbortSignal, check: () => CheckedRequest): Observable<never> {
    return new Observable((subscriber) => {
      // Now: the caller may have changed the request, or given its bytes away, when the signal aborts.
      const request = check();
      const onAbort = (): void => {
        const { candidate, sessionIndex } = request;
        const nowMs = this.nowMs();
        const book =
          this.running.get(recoveryKey(request))?.book ??
          new AccountBook(candidate.candidateHash, sessionIndex, nowMs);
        subscriber.error(
          new RecoveryError(
            'cancelled',
            'the caller gave up',
            {},
            { account: book.closed(nowMs), cause: signal.reason },
          ),
        );
      };
      if (signal.aborted) {
        onAbort();
        return;
      }
      signal.addEventListener('abort', onAbort);
      subscriber.add(() => signal.removeEventListener('abort', onAbort));
    });
  }

  private nowMs(): number {
    return this.parts.runtime.scheduler.now();
  }
}

/** What one caller does with its result must not reach the cache, which would hand it out as proven. */
function withOwnData(event: RecoveryEvent): RecoveryEvent {
  if (event.type !== 'recovered') {
    return event;
  }
  const { data, account } = event;
  const { work } = account;
  return {
    ...event,
    data: copyOfData(data),
    account:
      work === undefined
        ? account
        : { ...account, work: withCallerCopy(work, copiedBytesOf(data)) },
  };
}

/** The events, unless `end$` errors first; completes with `recovered` whatever `end$` does. */
function endedBy<T extends { readonly type: string }>(
  events$: Observable<T>,
  end$: Observable<never>,
): Observable<T> {
  return merge(end$, events$).pipe(takeWhile((event) => event.type !== 'recovered', true));
}

/** Does something when the stream is given up, before anything above it is told to stop. */
function beforeTeardown<T>(act: () => void): MonoTypeOperatorFunction<T> {
  return (source) =>
    new Observable((subscriber) => {
      subscriber.add(act);
      subscriber.add(source.subscribe(subscriber));
    });
}
