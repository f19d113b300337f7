/**
 * @module
 * Marble tests: RxJS's TestScheduler in run mode, where one frame is one millisecond of virtual
 * time. No real clock is involved.
 */

import { TestScheduler } from 'rxjs/testing';
import { expect } from 'vitest';

/** Helpers of the TestScheduler, and the scheduler itself for code that takes a `Runtime`. */
export type MarbleHelpers = Parameters<Parameters<TestScheduler['run']>[0]>[0] & {
  /** Pass it on as `runtime.scheduler`; its `now()` is the frame. */
  readonly scheduler: TestScheduler;
};

/**
 * Runs one marble test. Expectations are compared when `run` has returned or `flush` is called.
 *
 * @example
 * it('gives the slot up when unsubscribed', () => {
 *   marbles(({ cold, expectObservable, expectSubscriptions }) => {
 *     const slow = cold('  -----a|');
 *     const slowSubs = '   ^-!    ';
 *     const expected = '   ---    ';
 *     expectObservable(slow, slowSubs).toBe(expected);
 *     expectSubscriptions(slow.subscriptions).toBe(slowSubs);
 *   });
 * });
 */
export function marbles(run: (helpers: MarbleHelpers) => void): void {
  const scheduler = new TestScheduler((actual, expected) => {
    expect(actual).toEqual(expected);
  });
  scheduler.run((helpers) => {
    run({ ...helpers, scheduler });
  });
}
