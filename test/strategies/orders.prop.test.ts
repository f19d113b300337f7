import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashReady } from '../../src/primitives/hash.ts';
import { validatorIndex } from '../../src/primitives/ids.ts';
import type { RecoveryAccount } from '../../src/recovery/account.ts';
import type { RecoveryError } from '../../src/recovery/errors.ts';
import type { StrategyType } from '../../src/recovery/labels.ts';
import type { CandidateKind, TestCandidate } from '../support/candidate-world.ts';
import type { Behaviour } from '../support/fake-network.ts';
import { codeOf, type Outcome, RecoveryWorld } from '../support/recovery-world.ts';
import { SEED, seeded } from '../support/seed.ts';

beforeAll(hashReady);

/** Every order in which the three strategies can be tried. */
const ORDERS: readonly (readonly StrategyType[])[] = [
  ['full_from_backers', 'systematic_chunks', 'regular_chunks'],
  ['full_from_backers', 'regular_chunks', 'systematic_chunks'],
  ['systematic_chunks', 'full_from_backers', 'regular_chunks'],
  ['systematic_chunks', 'regular_chunks', 'full_from_backers'],
  ['regular_chunks', 'full_from_backers', 'systematic_chunks'],
  ['regular_chunks', 'systematic_chunks', 'full_from_backers'],
];

const KINDS: readonly CandidateKind[] = [
  'honest',
  'wrong_pov_hash',
  'no_codeword',
  'trailing_garbage',
  'long_chunks',
  'undecodable',
];

const BEHAVIOURS: readonly Behaviour[] = [
  'good',
  'good',
  'good',
  'no_such',
  'flipped',
  'other_chunk',
  'undecodable',
  'timeout',
  'refused',
  'dial_failed',
  'reset',
];

const worlds = fc.record({
  behaviours: fc.array(fc.constantFrom(...BEHAVIOURS), { minLength: 2, maxLength: 16 }),
  delays: fc.array(fc.nat({ max: 1_500 }), { minLength: 5, maxLength: 5 }),
  isSlow: fc.boolean(),
  kind: fc.constantFrom(...KINDS),
  members: fc.array(fc.nat({ max: 15 }), { maxLength: 3 }),
  own: fc.nat({ max: 15 }),
  isMapped: fc.boolean(),
  coreIndex: fc.nat({ max: 20 }),
  seed: fc.nat({ max: 255 }),
  settings: fc.record({
    carryInFlight: fc.boolean(),
    refill: fc.constantFrom('on_answer' as const, 'after_round' as const),
    networkRetries: fc.constantFrom('by_code' as const, 'alike' as const),
    parallelAttempts: fc.constantFrom(1, 3, 50),
    softTimeoutMs: fc.constantFrom(100, 1_000),
  }),
});

type World = Parameters<Parameters<typeof worlds.chain>[0]>[0];

/** Whether the honest data is what the candidate committed to, in re-encode mode. */
function isHonest(kind: CandidateKind): boolean {
  return kind === 'honest' || kind === 'wrong_pov_hash';
}

/** Group and own place as far as the world has them. Backers of a bad candidate answer for others: a race. */
function placesOf({ behaviours, kind, members, own }: World): {
  readonly group: readonly number[];
  readonly own: number | undefined;
} {
  const n = behaviours.length;
  const group = isHonest(kind) ? [...new Set(members)].filter((member) => member < n) : [];
  return { group, own: own < n ? own : undefined };
}

function open(world: World): Promise<RecoveryWorld> {
  const { behaviours, delays, isSlow, kind, isMapped, coreIndex, seed, settings } = world;
  const { group, own } = placesOf(world);
  return RecoveryWorld.open({
    validatorCount: behaviours.length,
    kind,
    seed,
    coreIndex,
    isMapped,
    scheme: isMapped ? 'rfc47' : 'identity',
    groups: [group],
    settings: { ...settings, totalBackerTimeMs: null },
    ...(own === undefined ? {} : { ownValidatorIndex: own }),
    behaviour: ({ index, times }) => {
      const behaviour = behaviours[index] ?? 'no_such';
      return isSlow ? { behaviour, delayMs: delays[(index + times) % 5] ?? 0 } : behaviour;
    },
  });
}

/** The verdict of one who sees everything: what the others than ourselves can give. */
function oracle(world: World, { mapping }: TestCandidate): 'recovered' | 'invalid' | 'unavailable' {
  const { behaviours, kind } = world;
  const { group, own } = placesOf(world);
  const isAskable = (index: number): boolean => index !== own;
  if (group.some((member) => isAskable(member) && behaviours[member] === 'good')) {
    return 'recovered';
  }
  const chunks = behaviours.flatMap((behaviour, index) =>
    isAskable(index) && (behaviour === 'good' || behaviour === 'other_chunk')
      ? [mapping.chunkOf(validatorIndex(behaviour === 'good' ? index : 0))]
      : [],
  );
  if (new Set(chunks).size < mapping.systematicThreshold) {
    return 'unavailable';
  }
  return isHonest(kind) ? 'recovered' : 'invalid';
}

/** What must hold after every run. */
function assertInvariants(world: RecoveryWorld, outcome: Outcome, own: number | undefined): void {
  const { events, recovered, error } = outcome;
  const account: RecoveryAccount | undefined =
    recovered?.account ?? (error as RecoveryError).account;
  const totals = account?.totals;
  expect(totals?.issued).toBe(
    (totals?.succeeded ?? 0) + (totals?.failed ?? 0) + (totals?.canceled ?? 0),
  );
  expect(totals?.running).toBe(0);
  expect(totals?.issued).toBe(world.network.asked.length);
  const ids = (type: 'attempt_started' | 'attempt_finished'): readonly number[] =>
    events.flatMap((event) => (event.type === type ? [event.attemptId] : []));
  expect(ids('attempt_started')).toEqual(ids('attempt_started').map((_, i) => i));
  const finished = ids('attempt_finished').toSorted((a, b) => a - b);
  expect(new Set(finished).size).toBe(finished.length);
  if (recovered !== undefined) {
    expect(finished).toEqual(ids('attempt_started'));
    expect(events.at(-1)).toBe(recovered);
    expect(recovered.data).toEqual(world.candidate.data);
  }
  const times = events.map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(world.network.asked.filter(({ authority }) => authority === `v${own}`)).toEqual([]);
  expect(world.network.doubled).toEqual([]);
  expect([world.network.open, world.timers]).toEqual([0, 0]);
}

describe('the strategies', () => {
  it(seeded('reach the same right verdict in every order over equal sources'), async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(worlds, async (options) => {
        for (const strategies of ORDERS) {
          const world = await open(options);
          const outcome = world.run({ backingGroup: 0, strategies });
          const expected = oracle(options, world.candidate);
          expect(codeOf(outcome.error) ?? 'recovered', strategies.join()).toBe(expected);
          assertInvariants(world, outcome, placesOf(options).own);
          seen.set(expected, (seen.get(expected) ?? 0) + 1);
        }
      }),
      { seed: SEED, numRuns: 120 },
    );
    for (const verdict of ['recovered', 'invalid', 'unavailable']) {
      expect(seen.get(verdict), verdict).toBeGreaterThan(60);
    }
  });

  it(seeded('give equal events under an equal seed'), async () => {
    await fc.assert(
      fc.asyncProperty(worlds, fc.constantFrom(...ORDERS), async (options, strategies) => {
        const logs = [];
        for (let run = 0; run < 2; run += 1) {
          const world = await open(options);
          const { events } = world.run({ backingGroup: 0, strategies });
          logs.push({ events, asked: world.network.asked });
        }
        expect(logs[0]).toEqual(logs[1]);
      }),
      { seed: SEED, numRuns: 40 },
    );
  });
});
