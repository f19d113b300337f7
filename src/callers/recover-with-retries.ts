/**
 * @module
 * Runs one recovery until it has the data or its policy is used up. Waits by the scheduler and draws
 * from the chance of the `Runtime`; unsubscribing stops the wait or the recovery, whichever it is at.
 */

import { concat, defer, ignoreElements, type Observable, of, retry, throwError, timer } from 'rxjs';
import { isRecoveryError, type RecoveryError } from '../recovery/errors.ts';
import type { RecoveryEvent } from '../recovery/events.ts';
import type { Recovery } from '../recovery/orchestrator.ts';
import type { Runtime } from '../recovery/ports.ts';
import type { RecoveryRequest } from '../recovery/request.ts';
import { checkPolicy, drawDelay, type RetryPolicy } from './retry-policy.ts';
import { looksTooEarly } from './too-early.ts';

/** What callers recover with. */
export type CallerParts = {
  /** Whatever recovers; started and stopped by its owner. */
  readonly recovery: Pick<Recovery, 'recover'>;
  /** Clock and chance of the waits; the recovery has its own. */
  readonly runtime: Runtime;
};

/** A try waits for its turn. */
export type TryWaiting = {
  readonly type: 'try_waiting';
  readonly atMs: number;
  /** Of the try that follows, from 1. */
  readonly tryNumber: number;
  readonly delayMs: number;
  /** How the try before ended; absent before the first. */
  readonly error?: RecoveryError;
  /** Whether that looks as if it began before chunks were distributed, see {@link looksTooEarly}. */
  readonly isTooEarly?: boolean;
};

/** What a repeated recovery emits: the events of every try, and the waits between them. */
export type RetriedEvent = RecoveryEvent | TryWaiting;

/**
 * Recovers a candidate, again and again as the policy says.
 *
 * **Guarantees.** Cold. Ends with exactly one `recovered`, or errors with the error of the last try as it
 * came. Between two tries nothing is alive but one timer. An error that the policy does not name ends it
 * at once, and so do `cancelled`, `stopped` and misuse. Nothing is remembered between tries: each starts
 * afresh (`unavailable` is not cached; an `invalid` is, so that its repetition costs nothing).
 *
 * @throws RangeError for a policy out of its range.
 */
export function recoverWithRetries(
  parts: CallerParts,
  request: RecoveryRequest,
  policy: RetryPolicy,
): Observable<RetriedEvent> {
  checkPolicy(policy);
  return defer(() => {
    const own = withOwnReceipt(request);
    let tryNumber = 0;
    let failure: RecoveryError | undefined;
    return defer(() => {
      tryNumber += 1;
      return concat(
        waitBefore(parts.runtime, policy, tryNumber, failure),
        defer(() => parts.recovery.recover(own)),
      );
    }).pipe(
      retry({
        count: policy.tries - 1,
        delay: (error: unknown) => {
          if (!isRepeatable(error, policy)) {
            return throwError(() => error);
          }
          failure = error;
          return of(undefined);
        },
      }),
    );
  });
}

/**
 * A request whose receipt does not change in the minutes between two tries: the data is held against it.
 * Another type is left for the recovery to refuse.
 */
function withOwnReceipt(request: RecoveryRequest): RecoveryRequest {
  const { receipt } = request;
  return receipt instanceof Uint8Array ? { ...request, receipt: new Uint8Array(receipt) } : request;
}

/** The wait before a try: its event, then silence as long. Nothing where the policy wants none. */
function waitBefore(
  { scheduler, random }: Runtime,
  { delay, isFirstDelayed }: RetryPolicy,
  tryNumber: number,
  error: RecoveryError | undefined,
): Observable<RetriedEvent> {
  if (tryNumber === 1 && !isFirstDelayed) {
    return of();
  }
  const delayMs = drawDelay(delay, random);
  const waiting: TryWaiting = {
    type: 'try_waiting',
    atMs: scheduler.now(),
    tryNumber,
    delayMs,
    ...(error === undefined ? {} : { error, isTooEarly: looksTooEarly(error) }),
  };
  return concat(of(waiting), timer(delayMs, scheduler).pipe(ignoreElements()));
}

function isRepeatable(error: unknown, { repeatAfter }: RetryPolicy): error is RecoveryError {
  return isRecoveryError(error) && repeatAfter.some((code) => code === error.code);
}
