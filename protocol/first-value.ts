/**
 * @module
 * The one place where the peer turns an Observable into a promise: what a store holds, for an answer.
 */

import type { Observable } from 'rxjs';
import { errorOf } from './abort-reason.ts';

/**
 * The first value, or `undefined` when there is none. An abort unsubscribes at once and rejects with
 * the signal's reason.
 */
export function firstValue<T>(source: Observable<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise<T | undefined>((resolve, reject) => {
    if (signal.aborted) {
      reject(errorOf(signal.reason));
      return;
    }
    const onAbort = (): void => {
      subscription.unsubscribe();
      reject(errorOf(signal.reason));
    };
    const done = (): void => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort, { once: true });
    const subscription = source.subscribe({
      next: (value) => {
        done();
        resolve(value);
        queueMicrotask(() => subscription.unsubscribe());
      },
      error: (error: unknown) => {
        done();
        reject(errorOf(error));
      },
      complete: () => {
        done();
        resolve(undefined);
      },
    });
  });
}
