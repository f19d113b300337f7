import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candidateHash, chunkIndex, validatorIndex } from '../../src/primitives/ids.ts';
import type { RecoveryAccount } from '../../src/recovery/account.ts';
import { AccountBook } from '../../src/recovery/account-book.ts';
import type { RecoveryEvent } from '../../src/recovery/events.ts';
import { STRATEGY_TYPES } from '../../src/recovery/labels.ts';
import { authorityAt, type Behaviour } from '../support/fake-network.ts';
import { RecoveryWorld } from '../support/recovery-world.ts';
import { SEED, seeded } from '../support/seed.ts';

const ANSWERS = [
  'success',
  'no_such_chunk',
  'no_such_data',
  'timeout',
  'invalid',
  'error',
  'canceled',
] as const;

const id = fc.nat({ max: 9 });
const strategy = fc.constantFrom(...STRATEGY_TYPES);
const atMs = fc.nat({ max: 5_000 });

/** Any event, in any order, sensible or not. */
const anyEvent: fc.Arbitrary<RecoveryEvent> = fc.oneof(
  fc.record({
    type: fc.constant('attempt_started' as const),
    atMs,
    attemptId: id,
    kind: fc.constantFrom('chunk' as const, 'available_data' as const),
    strategy,
    source: id.map(authorityAt),
    validatorIndex: id.map((v) => validatorIndex(v)),
  }),
  fc.record({
    type: fc.constant('attempt_finished' as const),
    atMs,
    attemptId: id,
    answer: fc.constantFrom(...ANSWERS),
    ms: atMs,
    bytes: fc.nat(),
  }),
  fc.record({ type: fc.constant('attempt_late' as const), atMs, attemptId: id }),
  fc.record({
    type: fc.constant('chunk_held' as const),
    atMs,
    chunkIndex: id.map((c) => chunkIndex(c)),
    from: fc.constant('store' as const),
  }),
  fc.record({
    type: fc.constant('chunk_held' as const),
    atMs,
    chunkIndex: id.map((c) => chunkIndex(c)),
    from: id.map(authorityAt),
    attemptId: id,
  }),
  fc.record({ type: fc.constant('strategy_started' as const), atMs, strategy }),
  fc.record({
    type: fc.constant('strategy_ended' as const),
    atMs,
    strategy,
    reason: fc.constantFrom('sources_exhausted' as const, 'recovered' as const),
  }),
  fc.record({ type: fc.constant('checking' as const), atMs }),
  fc.record({ type: fc.constant('decoding' as const), atMs, chunkCount: fc.nat() }),
);

function expectBalanced({ totals, attempts }: RecoveryAccount): void {
  const { issued, succeeded, failed, canceled, running, bytes } = totals;
  expect(issued).toBe(succeeded + failed + canceled + running);
  expect(issued).toBe(attempts.length);
  expect(bytes).toBe(attempts.reduce((sum, attempt) => sum + attempt.bytes, 0));
}

describe('AccountBook', () => {
  it(seeded('balances after any events'), () => {
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
        const book = new AccountBook(candidateHash('00'.repeat(32)), 1, 0);
        for (const event of events) {
          book.add(event);
          expectBalanced(book.snapshot());
        }
        const closed = book.closed(9_999);
        expectBalanced(closed);
        expect(closed.totals.running).toBe(0);
        expect(closed.totals.issued).toBe(book.snapshot().totals.issued);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  const behaviours: readonly Behaviour[] = [
    'good',
    'good',
    'good',
    'no_such',
    'flipped',
    'other_chunk',
    'undecodable',
    'timeout',
    'refused',
    'reset',
    'cancelled',
    'dial_failed',
  ];

  it(
    seeded('of any recovery is what its events make again, balanced, with each attempt unique'),
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 2, max: 20 }),
          fc.array(
            fc.record({ kind: fc.constantFrom(...behaviours), delayMs: fc.nat({ max: 2_500 }) }),
            {
              minLength: 1,
              maxLength: 23,
            },
          ),
          fc.boolean(),
          async (validatorCount, answers, isSynchronous) => {
            const world = await RecoveryWorld.open({
              validatorCount,
              groups: [[0, 1]],
              behaviour: ({ index, validatorIndex: v, times }) => {
                const { kind, delayMs } = answers[(index + 3 * v + times) % answers.length]!;
                return isSynchronous ? kind : { behaviour: kind, delayMs };
              },
            });
            const { events, recovered, error } = world.run({ backingGroup: 0 });
            const account = recovered?.account ?? (error as { account: RecoveryAccount }).account;
            const book = new AccountBook(
              account.candidateHash,
              account.sessionIndex,
              account.startedAtMs,
            );
            for (const event of events) {
              book.add(event);
            }
            const { work: _work, ...fromEvents } = account;
            expect(book.closed(world.scheduler.now())).toEqual(fromEvents);
            expectBalanced(account);
            expect(account.totals.running).toBe(0);
            const ids = events.flatMap((event) =>
              event.type === 'attempt_started' ? [event.attemptId] : [],
            );
            expect(ids).toEqual(ids.map((_id, place) => place));
            expect(account.totals.issued).toBe(world.network.asked.length);
            expect(world.network.open).toBe(0);
            expect(world.timers).toBe(0);
          },
        ),
        { seed: SEED, numRuns: 150 },
      );
    },
  );
});
