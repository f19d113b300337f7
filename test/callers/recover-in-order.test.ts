import { from, NEVER, type Observable, of, Subject, throwError, VirtualTimeScheduler } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { ChainInput, PendingCandidate } from '../../src/callers/in-order-events.ts';
import { recoverInOrder } from '../../src/callers/recover-in-order.ts';
import type { RetryPolicy } from '../../src/callers/retry-policy.ts';
import type { RecoveryEvent } from '../../src/recovery/events.ts';
import type { RecoveryRequest } from '../../src/recovery/request.ts';
import { type MarbleHelpers, marbles } from '../support/marbles.ts';
import {
  collected,
  failure,
  headHash,
  numberOf,
  pending,
  RECOVERED,
  runtimeOf,
  wordOf,
} from './support.ts';

/** Two tries, 2 ms before each. */
const policy: RetryPolicy = {
  tries: 2,
  delay: { minMs: 2, maxMs: 2 },
  isFirstDelayed: true,
  repeatAfter: ['unavailable', 'invalid', 'local_fault'],
};

/** Block 1, its child 2, and its child 3; block 7 of another para. */
const blocks: Record<string, PendingCandidate> = {
  a: pending(1, 0),
  b: pending(2, 1),
  c: pending(3, 2),
  x: pending(7, 6, 2_001),
};
const imported = {
  a: { paraId: 2_000, headHash: headHash(1) },
  b: { paraId: 2_000, headHash: headHash(2) },
  x: { paraId: 2_001, headHash: headHash(7) },
};
const results = { r: RECOVERED };

/** A recovery that answers by block number. */
function byBlock(answers: Record<number, Observable<RecoveryEvent>>): {
  recover(request: RecoveryRequest): Observable<RecoveryEvent>;
  requests: RecoveryRequest[];
} {
  return {
    requests: [],
    recover(request) {
      this.requests.push(request);
      return answers[numberOf(request.receipt)]!;
    },
  };
}

/** Runs and writes down the words, waits left out, each with its frame. */
function follow(
  { scheduler }: Pick<MarbleHelpers, 'scheduler'>,
  recovery: ReturnType<typeof byBlock>,
  chain: ChainInput,
  settings: Parameters<typeof recoverInOrder>[2] = {},
): { readonly words: string[]; readonly end: { error?: unknown; isComplete: boolean } } {
  const words: string[] = [];
  const end: { error?: unknown; isComplete: boolean } = { isComplete: false };
  recoverInOrder({ recovery, runtime: runtimeOf(scheduler) }, chain, {
    policy,
    ...settings,
  }).subscribe({
    next: (event) => {
      if (event.type !== 'progress') {
        words.push(`${scheduler.now()} ${wordOf(event)}`);
      }
    },
    error: (error: unknown) => {
      end.error = error;
    },
    complete: () => {
      end.isComplete = true;
    },
  });
  return { words, end };
}

describe('recoverInOrder, one block', () => {
  it('waits, recovers and gives the data out with block and candidate', () => {
    marbles(({ scheduler, cold, expectObservable, expectSubscriptions }) => {
      const pending$ = cold('-(a|)', blocks);
      const pendingSubs = '  ^!';
      const one = cold('     ----(r|)', results);
      const oneSubs = '      ---^---!';
      const expected = '     -w-----(r|)';
      const recovery = byBlock({ 1: one });
      const runtime = runtimeOf(scheduler);
      const block = {
        ...imported.a,
        candidateHash: expect.stringMatching(/^[0-9a-f]{64}$/) as never,
      };
      const waiting = { type: 'try_waiting', atMs: 1, tryNumber: 1, delayMs: 2 } as const;
      expectObservable(recoverInOrder({ recovery, runtime }, { pending$ }, { policy })).toBe(
        expected,
        {
          w: { type: 'progress', block, event: waiting },
          r: { type: 'recovered', atMs: 7, block, candidate: blocks['a'], result: RECOVERED },
        },
      );
      expectSubscriptions(pending$.subscriptions).toBe(pendingSubs);
      expectSubscriptions(one.subscriptions).toBe(oneSubs);
    });
  });

  it('asks as a collator: no store, PoV hash, with the group and core that were named', () => {
    marbles((helpers) => {
      const recovery = byBlock({ 1: of(RECOVERED) });
      const named = { ...blocks['a']!, backingGroup: 4, coreIndex: 5 };
      follow(helpers, recovery, { pending$: of(named) });
      helpers.flush();
      expect(recovery.requests).toEqual([
        {
          receipt: named.receipt,
          sessionIndex: 10,
          backingGroup: 4,
          coreIndex: 5,
          checkMode: 'pov_hash',
          useStore: false,
        },
      ]);
    });
  });

  it.each(['unavailable', 'invalid', 'local_fault'] as const)(
    'F-32: retries once after another wait when it ends in %s, then gives up with the error',
    (code) => {
      marbles((helpers) => {
        const failing = helpers.cold<RecoveryEvent>('-#', {}, failure(code));
        const { words, end } = follow(helpers, byBlock({ 1: failing }), {
          pending$: of(blocks['a']!),
        });
        helpers.expectSubscriptions(failing.subscriptions).toBe(['--^!', '-----^!']);
        helpers.flush();
        expect(words).toEqual(['6 g1 failed']);
        expect(end).toEqual({ isComplete: true });
      });
    },
  );

  it('starts afresh a block that was given up and comes again', () => {
    marbles((helpers) => {
      const failing = helpers.cold<RecoveryEvent>('#', {}, failure('unavailable'));
      const pending$ = helpers.cold('a---------a|', blocks);
      const { words } = follow(helpers, byBlock({ 1: failing }), { pending$ });
      helpers
        .expectSubscriptions(failing.subscriptions)
        .toBe(['--(^!)', '----(^!)', '------------(^!)', '--------------(^!)']);
      helpers.flush();
      expect(words).toEqual(['4 g1 failed', '14 g1 failed']);
    });
  });

  it('ignores a repetition of a block that is queued or was given out', () => {
    marbles((helpers) => {
      const one = helpers.cold('   --(r|)', results);
      const oneSubs = '            --^-!';
      const pending$ = helpers.cold('aa-a--a---a|', blocks);
      const { words } = follow(helpers, byBlock({ 1: one }), { pending$ });
      helpers.expectSubscriptions(one.subscriptions).toBe(oneSubs);
      helpers.flush();
      expect(words).toEqual(['4 r1']);
    });
  });

  it('ignores the repetition of a block that was given out, also once it was imported', () => {
    marbles((helpers) => {
      const { words } = follow(helpers, byBlock({ 1: of(RECOVERED) }), {
        pending$: helpers.cold(' a----a|', blocks),
        imported$: helpers.cold('---i', { i: imported.a }),
      });
      helpers.flush();
      expect(words).toEqual(['2 r1']);
    });
  });

  it('gives up a block whose request is misuse, and goes on with others', () => {
    marbles((helpers) => {
      const misuse = new RangeError('sessionIndex: …');
      const { words } = follow(
        helpers,
        byBlock({ 1: throwError(() => misuse), 7: of(RECOVERED) }),
        { pending$: of(blocks['a']!, blocks['x']!) },
      );
      helpers.flush();
      expect(words).toEqual(['2 g1 failed', '2 r7']);
    });
  });
});

describe('recoverInOrder, imported meanwhile', () => {
  it.each([
    ['before it comes', 'i-------', '-a|', undefined, '1 s1 imported'],
    ['during its wait', '--i-----', '-a|', undefined, '2 s1 imported'],
    ['during its try', ' ----i---', '-a|', ['---^!'], '4 s1 imported'],
  ])('skips a block that is imported %s', (_when, marble, pendingMarble, subs, word) => {
    marbles((helpers) => {
      const one = helpers.cold('---(r|)', results);
      const pending$ = helpers.cold(pendingMarble, blocks);
      const imported$ = helpers.cold(marble.trim(), { i: imported.a });
      const { words, end } = follow(helpers, byBlock({ 1: one }), { pending$, imported$ });
      helpers.expectSubscriptions(one.subscriptions).toBe(subs ?? []);
      helpers.flush();
      expect(words).toEqual([word]);
      expect(end.isComplete).toBe(true);
    });
  });

  it('skips a block that is imported while it waits for its retry', () => {
    marbles((helpers) => {
      const one = helpers.cold<RecoveryEvent>('-#', {}, failure('unavailable'));
      const imported$ = helpers.cold('         ----i', { i: imported.a });
      const { words } = follow(helpers, byBlock({ 1: one }), {
        pending$: of(blocks['a']!),
        imported$,
      });
      helpers.expectSubscriptions(one.subscriptions).toBe('--^!');
      helpers.flush();
      expect(words).toEqual(['4 s1 imported']);
    });
  });

  it('takes an imported block of another para for another block', () => {
    marbles((helpers) => {
      const twin = { paraId: 2_001, headHash: headHash(1) };
      const { words } = follow(helpers, byBlock({ 1: of(RECOVERED) }), {
        pending$: of(blocks['a']!),
        imported$: of(twin),
      });
      helpers.flush();
      expect(words).toEqual(['2 r1']);
    });
  });

  it('gives out a child that was held for a parent which is imported', () => {
    marbles((helpers) => {
      const imported$ = helpers.cold('-----i', { i: imported.a });
      const { words } = follow(helpers, byBlock({ 1: NEVER, 2: of(RECOVERED) }), {
        pending$: of(blocks['a']!, blocks['b']!),
        imported$,
      });
      helpers.flush();
      expect(words).toEqual(['5 s1 imported', '5 r2']);
    });
  });

  it('skips what is not wanted on arrival, and asks again before each try', () => {
    marbles((helpers) => {
      const { scheduler } = helpers;
      const asked: string[] = [];
      const failing = helpers.cold<RecoveryEvent>('-#', {}, failure('unavailable'));
      const { words } = follow(helpers, byBlock({ 1: failing }), {
        pending$: of(blocks['a']!, blocks['x']!),
        isWanted: ({ paraId, headHash: hash }) => {
          asked.push(`${scheduler.now()} ${paraId}`);
          expect(hash).toHaveLength(64);
          // Finalized at 5: below the finalized number from then on.
          return paraId === 2_000 && scheduler.now() < 5;
        },
      });
      helpers.expectSubscriptions(failing.subscriptions).toBe('--^!');
      helpers.flush();
      expect(asked).toEqual(['0 2000', '0 2001', '2 2000', '5 2000']);
      expect(words).toEqual(['0 s7 not_wanted', '5 s1 not_wanted']);
    });
  });
});

describe('recoverInOrder, parent and child', () => {
  it('F-34: gives out the parent first, though the child is recovered before it', () => {
    marbles((helpers) => {
      const one = helpers.cold('---------(r|)', results);
      const two = helpers.cold('--(r|)', results);
      const { words } = follow(helpers, byBlock({ 1: one, 2: two }), {
        pending$: of(blocks['a']!, blocks['b']!),
      });
      helpers.expectSubscriptions(one.subscriptions).toBe('--^--------!');
      helpers.expectSubscriptions(two.subscriptions).toBe('--^-!');
      helpers.flush();
      expect(words).toEqual(['11 r1', '11 r2']);
    });
  });

  it('F-34: begins the parent first, though the child came and could begin before it', () => {
    marbles((helpers) => {
      const recovery = byBlock({ 1: of(RECOVERED), 2: of(RECOVERED) });
      const pending$ = helpers.cold('ba|', blocks);
      const { words } = follow(helpers, recovery, { pending$ });
      helpers.flush();
      expect(words).toEqual(['3 r1', '3 r2']);
      expect(recovery.requests.map(({ receipt }) => numberOf(receipt))).toEqual([1, 2]);
    });
  });

  it('recovers several candidates of one para in one relay block side by side, in order', () => {
    marbles((helpers) => {
      const pending$ = helpers.cold('(abc|)', blocks);
      const one = helpers.cold('-----(r|)', results);
      const two = helpers.cold('-(r|)    ', results);
      const three = helpers.cold('---(r|)', results);
      const { words } = follow(helpers, byBlock({ 1: one, 2: two, 3: three }), { pending$ });
      for (const { subscriptions } of [one, two, three]) {
        expect(subscriptions).toEqual([]);
      }
      helpers.expectSubscriptions(one.subscriptions).toBe('  --^----!');
      helpers.expectSubscriptions(two.subscriptions).toBe('  --^!');
      helpers.expectSubscriptions(three.subscriptions).toBe('--^--!');
      helpers.flush();
      expect(words).toEqual(['7 r1', '7 r2', '7 r3']);
    });
  });

  it('lets no para wait for another', () => {
    marbles((helpers) => {
      const { words } = follow(helpers, byBlock({ 1: NEVER, 2: of(RECOVERED), 7: of(RECOVERED) }), {
        pending$: of(blocks['a']!, blocks['b']!, blocks['x']!),
      });
      helpers.flush();
      expect(words).toEqual(['2 r7']);
    });
  });

  it('takes a parent that is not queued for known', () => {
    marbles((helpers) => {
      const { words } = follow(helpers, byBlock({ 2: of(RECOVERED) }), {
        pending$: of(blocks['b']!),
      });
      helpers.flush();
      expect(words).toEqual(['2 r2']);
    });
  });

  it('gives up with a block those waiting for it: held, running, waiting and yet to come', () => {
    marbles((helpers) => {
      const failing = helpers.cold<RecoveryEvent>('-#', {}, failure('unavailable'));
      const three = helpers.cold('-------(r|)', results);
      const pending$ = helpers.cold('(abc)-d---e|', {
        ...blocks,
        d: pending(4, 3),
        e: pending(5, 4),
      });
      const recovery = byBlock({ 1: failing, 2: of(RECOVERED), 3: three });
      const { words, end } = follow(helpers, recovery, { pending$ });
      helpers.expectSubscriptions(failing.subscriptions).toBe(['--^!', '-----^!']);
      helpers.expectSubscriptions(three.subscriptions).toBe('--^---!');
      helpers.flush();
      expect(words).toEqual([
        '6 g1 failed',
        '6 g2 parent_given_up',
        '6 g3 parent_given_up',
        '6 g4 parent_given_up',
        '10 g5 parent_given_up',
      ]);
      expect(end.isComplete).toBe(true);
    });
  });

  it('takes a child again once its parent, given up before, was imported', () => {
    marbles((helpers) => {
      const failing = helpers.cold<RecoveryEvent>('#', {}, failure('unavailable'));
      const imported$ = helpers.cold('-------i', { i: imported.a });
      const { words } = follow(helpers, byBlock({ 1: failing, 2: of(RECOVERED) }), {
        pending$: helpers.cold('a----b--b|', blocks),
        imported$,
      });
      helpers.flush();
      expect(words).toEqual(['4 g1 failed', '5 g2 parent_given_up', '10 r2']);
    });
  });

  it('takes a child whose parent was given up and is not wanted any more', () => {
    marbles((helpers) => {
      const failing = helpers.cold<RecoveryEvent>('#', {}, failure('unavailable'));
      const { words } = follow(helpers, byBlock({ 1: failing, 2: of(RECOVERED) }), {
        pending$: helpers.cold('a----b---b|', blocks),
        isWanted: ({ headHash: hash }) => hash !== headHash(1) || helpers.scheduler.now() < 7,
      });
      helpers.flush();
      expect(words).toEqual(['4 g1 failed', '5 g2 parent_given_up', '11 r2']);
    });
  });

  it('lets a child wait for a parent that was given up and came again', () => {
    marbles((helpers) => {
      const tries = [
        helpers.cold<RecoveryEvent>('#', {}, failure('unavailable')),
        helpers.cold<RecoveryEvent>('#', {}, failure('unavailable')),
        helpers.cold('-----(r|)', results),
      ];
      const recovery = byBlock({ 2: of(RECOVERED) });
      const answer = recovery.recover.bind(recovery);
      recovery.recover = (request) =>
        numberOf(request.receipt) === 1 ? tries.shift()! : answer(request);
      const { words } = follow(helpers, recovery, { pending$: helpers.cold('a----(ab|)', blocks) });
      helpers.flush();
      expect(words).toEqual(['4 g1 failed', '12 r1', '12 r2']);
    });
  });

  it('gives up blocks that would come before themselves', () => {
    marbles((helpers) => {
      const { words, end } = follow(helpers, byBlock({}), {
        pending$: of(pending(1, 3), pending(2, 1), pending(3, 2), pending(9, 9)),
      });
      helpers.flush();
      expect(words).toEqual([
        '0 g3 own_ancestor',
        '0 g1 parent_given_up',
        '0 g2 parent_given_up',
        '0 g9 own_ancestor',
      ]);
      expect(end.isComplete).toBe(true);
    });
  });
});

describe('recoverInOrder, bounds', () => {
  it('runs no more recoveries at one time than it may', () => {
    marbles((helpers) => {
      const each = helpers.cold('--(r|)', results);
      const answers = Object.fromEntries([1, 2, 3, 4, 5].map((number) => [number, each]));
      const { words } = follow(
        helpers,
        byBlock(answers),
        { pending$: of(...[1, 2, 3, 4, 5].map((number) => pending(number, 100 + number))) },
        { parallel: 2 },
      );
      helpers
        .expectSubscriptions(each.subscriptions)
        .toBe(['--^-!', '--^-!', '----^-!', '----^-!', '------^-!']);
      helpers.flush();
      expect(words).toEqual(['4 r1', '4 r2', '6 r3', '6 r4', '8 r5']);
    });
  });

  it('holds no more children than it may, and never stops their parent for them', () => {
    marbles((helpers) => {
      const tries = [
        helpers.cold<RecoveryEvent>('-#', {}, failure('unavailable')),
        helpers.cold('-(r|)', results),
      ];
      const begun: string[] = [];
      const recovery = byBlock({});
      recovery.recover = ({ receipt }) => {
        begun.push(`${helpers.scheduler.now()} b${numberOf(receipt)}`);
        return numberOf(receipt) === 1 ? tries.shift()! : of(RECOVERED);
      };
      const { words } = follow(
        helpers,
        recovery,
        { pending$: of(blocks['a']!, blocks['b']!, blocks['c']!, pending(4, 3)) },
        { parallel: 1, maxAhead: 2 },
      );
      helpers.flush();
      // 2 and 3 take the place while 1 waits for its retry, and are held; 4 has to wait for them.
      expect(begun).toEqual(['2 b1', '3 b2', '3 b3', '5 b1', '6 b4']);
      expect(words).toEqual(['6 r1', '6 r2', '6 r3', '6 r4']);
    });
  });

  it('gives up what does not fit into the queue, and what comes after it', () => {
    marbles((helpers) => {
      const { words } = follow(
        helpers,
        byBlock({ 1: of(RECOVERED) }),
        { pending$: of(blocks['a']!, blocks['b']!, blocks['c']!) },
        { maxQueued: 1 },
      );
      helpers.flush();
      expect(words).toEqual(['0 g2 queue_full', '0 g3 parent_given_up', '2 r1']);
    });
  });

  it.each(['parallel', 'maxAhead', 'maxQueued'] as const)('refuses %s below 1', (name) => {
    const parts = { recovery: byBlock({}), runtime: runtimeOf(NEVER as never) };
    expect(() => recoverInOrder(parts, { pending$: NEVER }, { [name]: 0 })).toThrow(
      new RangeError(`${name}: expected an integer of at least 1, got 0`),
    );
  });

  it('refuses a policy out of its range', () => {
    const parts = { recovery: byBlock({}), runtime: runtimeOf(NEVER as never) };
    const none = { ...policy, tries: 0 };
    expect(() => recoverInOrder(parts, { pending$: NEVER }, { policy: none })).toThrow(RangeError);
  });
});

describe('recoverInOrder, ends', () => {
  it('is cold: nothing is subscribed before it is, and each subscription has a queue of its own', () => {
    marbles((helpers) => {
      const pending$ = helpers.cold('a|', blocks);
      const recovery = byBlock({ 1: of(RECOVERED) });
      const events$ = recoverInOrder(
        { recovery, runtime: runtimeOf(helpers.scheduler) },
        { pending$ },
        { policy },
      );
      expect(pending$.subscriptions).toEqual([]);
      const first = collected(events$);
      const second = collected(events$);
      helpers.flush();
      expect(first.values.map(wordOf)).toEqual(['w1', 'r1']);
      expect(second.values.map(wordOf)).toEqual(['w1', 'r1']);
    });
  });

  it('stops every source, wait and recovery in the frame in which its caller leaves', () => {
    marbles(({ scheduler, cold, expectObservable, expectSubscriptions }) => {
      const pending$ = cold('a-x------', blocks);
      const imported$ = cold('---------', { i: imported.b });
      const one = cold('       -------- ', results);
      const subs = '           ^--!     ';
      const oneSubs = '        --^!     ';
      const recovery = byBlock({ 1: one, 7: of(RECOVERED) });
      const events$ = recoverInOrder(
        { recovery, runtime: runtimeOf(scheduler) },
        { pending$, imported$ },
        { policy },
      );
      expectObservable(events$, subs).toBe('w-w-', {
        w: expect.objectContaining({ type: 'progress' }) as never,
      });
      expectSubscriptions(pending$.subscriptions).toBe(subs);
      expectSubscriptions(imported$.subscriptions).toBe(subs);
      expectSubscriptions(one.subscriptions).toBe(oneSubs);
    });
  });

  it('completes when pending$ has and the queue is empty, and at once when nothing came', () => {
    marbles(({ scheduler, cold, expectObservable, expectSubscriptions }) => {
      const pending$ = cold<PendingCandidate>('  ---|');
      const imported$ = cold<never>('             -----');
      const subs = '                              ^--!';
      const parts = { recovery: byBlock({}), runtime: runtimeOf(scheduler) };
      expectObservable(recoverInOrder(parts, { pending$, imported$ }, { policy })).toBe('---|');
      expectSubscriptions(imported$.subscriptions).toBe(subs);
    });
  });

  it('never ends while pending$ goes on', () => {
    marbles(({ scheduler, cold, expectObservable }) => {
      const parts = { recovery: byBlock({}), runtime: runtimeOf(scheduler) };
      expectObservable(
        recoverInOrder(parts, { pending$: cold<PendingCandidate>('----') }, { policy }),
      ).toBe('----');
    });
  });

  it.each(['pending$', 'imported$'] as const)(
    'ends when %s errors, and stops what runs',
    (name) => {
      marbles((helpers) => {
        const lost = new Error('no relay chain');
        const one = helpers.cold('-------', results);
        const pending$ = helpers.cold(name === 'pending$' ? 'a---#' : 'a-----', blocks, lost);
        const imported$ = helpers.cold<never>(name === 'imported$' ? '----#' : '------', {}, lost);
        const { end } = follow(helpers, byBlock({ 1: one }), { pending$, imported$ });
        helpers.expectSubscriptions(one.subscriptions).toBe('--^-!');
        helpers.flush();
        expect(end).toEqual({ isComplete: false, error: lost });
      });
    },
  );

  it('ends with stopped, since nothing can be recovered any more', () => {
    marbles((helpers) => {
      const stopped = failure('stopped');
      const other = helpers.cold('------', results);
      const { words, end } = follow(
        helpers,
        byBlock({ 1: helpers.cold<RecoveryEvent>('--#', {}, stopped), 7: other }),
        { pending$: of(blocks['a']!, blocks['x']!) },
      );
      helpers.expectSubscriptions(other.subscriptions).toBe('--^-!');
      helpers.flush();
      expect(words).toEqual([]);
      expect(end).toEqual({ isComplete: false, error: stopped });
    });
  });

  it.each([
    ['on arrival', 0],
    ['before a try', 2],
  ])('ends when isWanted throws %s', (_when, atMs) => {
    marbles((helpers) => {
      const broken = new Error('no database');
      const { end } = follow(helpers, byBlock({ 1: of(RECOVERED) }), {
        pending$: of(blocks['a']!),
        isWanted: () => {
          if (helpers.scheduler.now() >= atMs) {
            throw broken;
          }
          return true;
        },
      });
      helpers.flush();
      expect(end).toEqual({ isComplete: false, error: broken });
    });
  });

  it.each([
    ['a receipt of another size', { ...pending(1, 0), receipt: new Uint8Array(9) }, 'CodecError'],
    ['a parent hash with a prefix', { ...pending(1, 0), parentHeadHash: '0x00' }, 'TypeError'],
  ])('ends with misuse: %s', (_what, candidate, name) => {
    marbles((helpers) => {
      const { end } = follow(helpers, byBlock({}), { pending$: of(candidate) });
      expect(end.error).toMatchObject({ name });
    });
  });

  it('cuts a source that emits while it is being subscribed', () => {
    marbles((helpers) => {
      let taken = 0;
      function* endless(): Generator<PendingCandidate> {
        for (;;) {
          taken += 1;
          yield taken < 3 ? pending(taken, 0) : { ...pending(1, 0), parentHeadHash: 'x' };
        }
      }
      const { end } = follow(helpers, byBlock({}), { pending$: from(endless()) });
      expect(end.error).toBeInstanceOf(TypeError);
      expect(taken).toBe(3);
    });
  });

  it('ends a block once, also when its subscriber hears of a parent and imports the child', () => {
    marbles((helpers) => {
      const { scheduler } = helpers;
      const imported$ = new Subject<{ paraId: number; headHash: string }>();
      const words: string[] = [];
      const failing = throwError(() => failure('unavailable'));
      recoverInOrder(
        { recovery: byBlock({ 1: failing, 2: NEVER, 3: NEVER }), runtime: runtimeOf(scheduler) },
        // Two children of block 1: both are about to be given up when the first end is told.
        { pending$: of(blocks['a']!, blocks['b']!, pending(3, 1)), imported$ },
        { policy },
      ).subscribe((event) => {
        words.push(wordOf(event));
        if (event.type === 'given_up' && words.at(-1) === 'g2 parent_given_up') {
          imported$.next({ paraId: 2_000, headHash: headHash(3) });
        }
      });
      helpers.flush();
      expect(words.filter((word) => !/^[wp]/.test(word))).toEqual([
        'g1 failed',
        'g2 parent_given_up',
        's3 imported',
      ]);
    });
  });

  it('leaves no wait behind of a block that came again while it was asked whether it is wanted', () => {
    const scheduler = new VirtualTimeScheduler();
    const pending$ = new Subject<PendingCandidate>();
    let asked = 0;
    const isWanted = (): boolean => {
      asked += 1;
      if (asked === 1) {
        pending$.next(blocks['a']!);
      }
      return true;
    };
    const parts = { recovery: byBlock({}), runtime: runtimeOf(scheduler) };
    const { unsubscribe } = collected(recoverInOrder(parts, { pending$, isWanted }, { policy }));
    pending$.next(blocks['a']!);
    unsubscribe();
    expect(asked).toBe(2);
    expect(scheduler.actions).toHaveLength(0);
  });

  it('takes what its subscriber says while it is told something', () => {
    marbles((helpers) => {
      const { scheduler } = helpers;
      const imported$ = new Subject<{ paraId: number; headHash: string }>();
      const words: string[] = [];
      recoverInOrder(
        {
          recovery: byBlock({ 1: of(RECOVERED), 2: NEVER, 3: NEVER }),
          runtime: runtimeOf(scheduler),
        },
        { pending$: of(blocks['a']!, blocks['b']!, blocks['c']!), imported$ },
        { policy },
      ).subscribe((event) => {
        words.push(wordOf(event));
        if (event.type === 'recovered') {
          imported$.next(imported.a);
          imported$.next(imported.b);
        }
      });
      helpers.flush();
      expect(words.filter((word) => !word.startsWith('w'))).toEqual(['r1', 's2 imported']);
    });
  });
});
