import { type Observable, of, throwError, VirtualTimeScheduler } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { recoverWithRetries } from '../../src/callers/recover-with-retries.ts';
import { forApprovalChecker, forCollator } from '../../src/callers/requests.ts';
import {
  APPROVAL_RETRY,
  COLLATOR_RETRY,
  FULL_NODE_RETRY,
  type RetryPolicy,
} from '../../src/callers/retry-policy.ts';
import type { RecoveryErrorCode } from '../../src/recovery/errors.ts';
import type { RecoveryEvent } from '../../src/recovery/events.ts';
import type { RecoveryRequest } from '../../src/recovery/request.ts';
import { marbles } from '../support/marbles.ts';
import { RecoveryWorld } from '../support/recovery-world.ts';
import { collected, failure, RECOVERED, runtimeOf, STARTED } from './support.ts';

const request: RecoveryRequest = { receipt: new Uint8Array(324), sessionIndex: 10 };

/** Three tries, 3 ms before each but the first. */
const policy: RetryPolicy = {
  tries: 3,
  delay: { minMs: 3, maxMs: 3 },
  isFirstDelayed: false,
  repeatAfter: ['unavailable'],
};

const values: Record<string, RecoveryEvent> = { s: STARTED, r: RECOVERED };

/** A recovery that fails at once, and the first byte of each receipt that it was asked for. */
function failingAlways(): {
  recover(request: RecoveryRequest): Observable<RecoveryEvent>;
  firstBytes: (number | undefined)[];
} {
  return {
    firstBytes: [],
    recover({ receipt }) {
      this.firstBytes.push(receipt[0]);
      return throwError(() => failure('unavailable'));
    },
  };
}

/** A recovery whose tries are these, one after the other; the last one again and again. */
function inTurn(...tries: readonly Observable<RecoveryEvent>[]): {
  recover(): Observable<RecoveryEvent>;
  asked: number;
} {
  return {
    asked: 0,
    recover() {
      this.asked += 1;
      return tries[Math.min(this.asked, tries.length) - 1]!;
    },
  };
}

describe('recoverWithRetries, frame by frame', () => {
  const wait = (tryNumber: number, atMs: number, error = failure('unavailable')) => ({
    type: 'try_waiting',
    atMs,
    tryNumber,
    delayMs: 3,
    error,
    isTooEarly: false,
  });

  it('F-11: asks again after the wait, and completes with the data', () => {
    marbles(({ scheduler, cold, expectObservable, expectSubscriptions }) => {
      const first = cold(' s-#            ', values, failure('unavailable'));
      const second = cold('     s#        ', values, failure('unavailable'));
      const third = cold('          s-(r|)', values);
      const expected = '   s-w--sv--s-(r|)';
      const firstSubs = '  ^-!            ';
      const secondSubs = ' -----^!        ';
      const thirdSubs = '  ---------^-!   ';
      const parts = { recovery: inTurn(first, second, third), runtime: runtimeOf(scheduler) };
      expectObservable(recoverWithRetries(parts, request, policy)).toBe(expected, {
        ...values,
        w: wait(2, 2),
        v: wait(3, 6),
      });
      expectSubscriptions(first.subscriptions).toBe(firstSubs);
      expectSubscriptions(second.subscriptions).toBe(secondSubs);
      expectSubscriptions(third.subscriptions).toBe(thirdSubs);
    });
  });

  it('errors with the error of the last try, as it came', () => {
    marbles(({ scheduler, cold, expectObservable }) => {
      const last = failure('unavailable');
      const parts = {
        recovery: inTurn(
          cold<RecoveryEvent>('-#', {}, failure('unavailable')),
          cold('-#', {}, last),
        ),
        runtime: runtimeOf(scheduler),
      };
      expectObservable(recoverWithRetries(parts, request, { ...policy, tries: 2 })).toBe(
        '-w---#',
        { w: wait(2, 1) },
        last,
      );
    });
  });

  it('waits before the first try too where the policy says so', () => {
    marbles(({ scheduler, cold, expectObservable, expectSubscriptions }) => {
      const only = cold('   s(r|)', values);
      const subs = '     ---^!';
      const expected = ' w--s(r|)';
      const parts = { recovery: inTurn(only), runtime: runtimeOf(scheduler) };
      const delayed = { ...policy, isFirstDelayed: true };
      expectObservable(recoverWithRetries(parts, request, delayed)).toBe(expected, {
        ...values,
        w: { type: 'try_waiting', atMs: 0, tryNumber: 1, delayMs: 3 },
      });
      expectSubscriptions(only.subscriptions).toBe(subs);
    });
  });

  it('is cold: every subscription draws, waits and counts its tries afresh', () => {
    marbles(({ scheduler, cold, expectObservable }) => {
      const failing = cold<RecoveryEvent>('#', {}, failure('unavailable'));
      const recovery = inTurn(failing);
      const runtime = runtimeOf(scheduler);
      const events$ = recoverWithRetries({ recovery, runtime }, request, { ...policy, tries: 2 });
      expect(recovery.asked).toBe(0);
      expectObservable(events$).toBe(' w--#', { w: wait(2, 0) }, failure('unavailable'));
      expectObservable(events$, '-^').toBe('-w--#', { w: wait(2, 1) }, failure('unavailable'));
    });
  });

  it('leaves a recovery that never ends in the frame in which its caller leaves', () => {
    marbles(({ scheduler, cold, expectObservable, expectSubscriptions }) => {
      const never = cold('s------', values);
      const subs = '      ^---!  ';
      const parts = { recovery: inTurn(never), runtime: runtimeOf(scheduler) };
      expectObservable(recoverWithRetries(parts, request, policy), subs).toBe('s----', values);
      expectSubscriptions(never.subscriptions).toBe(subs);
    });
  });

  it('completes empty with a recovery that does, and repeats nothing', () => {
    marbles(({ scheduler, cold, expectObservable }) => {
      const parts = { recovery: inTurn(cold<RecoveryEvent>('--|')), runtime: runtimeOf(scheduler) };
      expectObservable(recoverWithRetries(parts, request, policy)).toBe('--|');
    });
  });

  it('passes on what a recovery throws instead of a stream', () => {
    marbles(({ scheduler, expectObservable }) => {
      const broken = new TypeError('receipt: expected a Uint8Array');
      const recovery = {
        recover: (): never => {
          throw broken;
        },
      };
      const parts = { recovery, runtime: runtimeOf(scheduler) };
      expectObservable(recoverWithRetries(parts, request, policy)).toBe('#', {}, broken);
    });
  });

  it('passes on what a clock throws', () => {
    marbles(({ scheduler, expectObservable }) => {
      const broken = new Error('no time');
      const recovery = inTurn(throwError(() => failure('unavailable')));
      const runtime = {
        ...runtimeOf(scheduler),
        scheduler: {
          now: (): never => {
            throw broken;
          },
          schedule: scheduler.schedule.bind(scheduler),
        },
      };
      expectObservable(recoverWithRetries({ recovery, runtime }, request, policy)).toBe(
        '#',
        {},
        broken,
      );
    });
  });
});

describe('recoverWithRetries', () => {
  /** Ends of a recovery that always fails so: how often it was asked and what came last. */
  function askedAfter(error: unknown, by: RetryPolicy): { asked: number; error: unknown } {
    const scheduler = new VirtualTimeScheduler();
    const recovery = inTurn(throwError(() => error));
    const run = collected(
      recoverWithRetries({ recovery, runtime: runtimeOf(scheduler) }, request, by),
    );
    scheduler.flush();
    return { asked: recovery.asked, error: run.end.error };
  }

  it.each<[RecoveryErrorCode, number, number]>([
    ['unavailable', 17, 2],
    ['invalid', 1, 2],
    ['local_fault', 1, 2],
    // The caller's own will, and an instance that is gone: nobody repeats them.
    ['cancelled', 1, 1],
    ['stopped', 1, 1],
  ])('asks after %s: approval %i times in all, a collator %i', (code, approval, collator) => {
    const error = failure(code);
    expect(askedAfter(error, APPROVAL_RETRY)).toEqual({ asked: approval, error });
    expect(askedAfter(error, COLLATOR_RETRY)).toEqual({ asked: collator, error });
    expect(askedAfter(error, FULL_NODE_RETRY)).toEqual({ asked: collator, error });
  });

  it('repeats no misuse', () => {
    const error = new RangeError('coreIndex: …');
    expect(askedAfter(error, COLLATOR_RETRY)).toEqual({ asked: 1, error });
  });

  it('asks an approval at 0, 60 s, … 960 s, with nothing alive in between but one timer', () => {
    const scheduler = new VirtualTimeScheduler();
    const atMs: number[] = [];
    const recovery = {
      recover: () => {
        atMs.push(scheduler.now());
        return throwError(() => failure('unavailable'));
      },
    };
    collected(
      recoverWithRetries({ recovery, runtime: runtimeOf(scheduler) }, request, APPROVAL_RETRY),
    );
    expect(scheduler.actions).toHaveLength(1);
    scheduler.flush();
    expect(atMs).toEqual(Array.from({ length: 17 }, (_, i) => 60_000 * i));
  });

  it('stops the waiting timer when its caller leaves', () => {
    const scheduler = new VirtualTimeScheduler();
    const recovery = inTurn(throwError(() => failure('unavailable')));
    const run = collected(
      recoverWithRetries({ recovery, runtime: runtimeOf(scheduler) }, request, APPROVAL_RETRY),
    );
    expect(scheduler.actions).toHaveLength(1);
    run.unsubscribe();
    expect(scheduler.actions).toHaveLength(0);
    scheduler.flush();
    expect(recovery.asked).toBe(1);
  });

  it('asks a collator at times drawn anew for each try, the same from the same seed', () => {
    const times = (seed: number): readonly number[] => {
      const scheduler = new VirtualTimeScheduler();
      const atMs: number[] = [];
      const recovery = {
        recover: () => {
          atMs.push(scheduler.now());
          return throwError(() => failure('unavailable'));
        },
      };
      const runtime = runtimeOf(scheduler, seed);
      collected(recoverWithRetries({ recovery, runtime }, request, COLLATOR_RETRY));
      scheduler.flush();
      return atMs;
    };
    const [first = 0, second = 0] = times(1);
    for (const waitMs of [first, second - first]) {
      expect(waitMs).toBeGreaterThanOrEqual(3_000);
      expect(waitMs).toBeLessThanOrEqual(6_000);
    }
    expect(first).not.toBe(second - first);
    expect(times(1)).toEqual([first, second]);
    expect(times(2)).not.toEqual([first, second]);
  });

  it('repeats thousands of times as it does two, on a stack that does not grow', () => {
    const scheduler = new VirtualTimeScheduler(undefined, Number.POSITIVE_INFINITY);
    const recovery = inTurn(throwError(() => failure('unavailable')));
    const many = { ...policy, tries: 3_000 };
    const run = collected(
      recoverWithRetries({ recovery, runtime: runtimeOf(scheduler) }, request, many),
    );
    scheduler.flush();
    expect(recovery.asked).toBe(3_000);
    expect(run.end.error).toMatchObject({ code: 'unavailable' });
  });

  it('refuses a policy out of range before anything is subscribed', () => {
    const parts = {
      recovery: inTurn(of(RECOVERED)),
      runtime: runtimeOf(new VirtualTimeScheduler()),
    };
    expect(() => recoverWithRetries(parts, request, { ...policy, tries: 0 })).toThrow(RangeError);
  });
});

describe('recoverWithRetries over a recovery', () => {
  it('F-10, F-11: finds at 60 s what nobody could be asked for at 0, since nothing was cached', async () => {
    let isFound = false;
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      groups: [[1, 2, 5]],
      behaviour: () => (isFound ? 'good' : 'dial_failed'),
    });
    world.scheduler.schedule(() => {
      isFound = true;
    }, 20_000);
    const { receipt, coreIndex } = world.candidate;
    const run = collected(
      recoverWithRetries(
        { recovery: world.recovery, runtime: runtimeOf(world.scheduler) },
        forApprovalChecker({ receipt, sessionIndex: 10, backingGroup: 0, coreIndex }),
        APPROVAL_RETRY,
      ),
    );
    world.scheduler.flush();
    const waits = run.values.filter(({ type }) => type === 'try_waiting');
    expect(waits).toMatchObject([{ tryNumber: 2, delayMs: 60_000, isTooEarly: false }]);
    expect(run.values.at(-1)).toMatchObject({ type: 'recovered', data: world.candidate.data });
  });

  it('F-32, F-33: hints at "too early" when nobody has a chunk yet, and has the PoV 3 to 6 s later', async () => {
    let isDistributed = false;
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      behaviour: () => (isDistributed ? 'good' : 'no_such'),
    });
    // Chunks are there 6 s after the first try could have begun.
    world.scheduler.schedule(() => {
      isDistributed = true;
    }, 6_001);
    const { receipt } = world.candidate;
    const tooSoon = {
      ...COLLATOR_RETRY,
      isFirstDelayed: false,
      delay: { minMs: 6_001, maxMs: 6_500 },
    };
    const run = collected(
      recoverWithRetries(
        { recovery: world.recovery, runtime: runtimeOf(world.scheduler) },
        forCollator({ receipt, sessionIndex: 10 }),
        tooSoon,
      ),
    );
    world.scheduler.flush();
    const waits = run.values.filter(({ type }) => type === 'try_waiting');
    expect(waits).toMatchObject([
      { tryNumber: 2, isTooEarly: true, error: { code: 'unavailable' } },
    ]);
    expect(run.values.at(-1)).toMatchObject({ type: 'recovered', from: 'regular_chunks' });
  });

  it('repeats an invalid from the cache, without asking anybody again', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7, kind: 'wrong_pov_hash' });
    const { receipt } = world.candidate;
    const run = collected(
      recoverWithRetries(
        { recovery: world.recovery, runtime: runtimeOf(world.scheduler) },
        forCollator({ receipt, sessionIndex: 10 }),
        COLLATOR_RETRY,
      ),
    );
    world.passUntil(6_001);
    const asked = world.network.asked.length;
    world.scheduler.flush();
    expect(run.end.error).toMatchObject({ code: 'invalid' });
    expect(run.values.filter(({ type }) => type === 'try_waiting')).toHaveLength(2);
    expect(world.network.asked).toHaveLength(asked);
  });
});

describe('recoverWithRetries and the bytes of its caller', () => {
  it('asks for the same candidate again, whatever becomes of the buffer of its receipt', () => {
    const scheduler = new VirtualTimeScheduler();
    const recovery = failingAlways();
    const receipt = new Uint8Array(324).fill(1);
    const { end } = collected(
      recoverWithRetries(
        { recovery, runtime: runtimeOf(scheduler) },
        { ...request, receipt },
        policy,
      ),
    );
    receipt.fill(2);
    scheduler.flush();
    expect(recovery.firstBytes).toEqual([1, 1, 1]);
    expect(end.error).toMatchObject({ code: 'unavailable' });
  });
});
