import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validatorIndex } from '../../src/primitives/ids.ts';
import type { RecoveryError } from '../../src/recovery/errors.ts';
import type { CandidateKind, TestCandidate } from '../support/candidate-world.ts';
import type { Behaviour } from '../support/fake-network.ts';
import { codeOf, RecoveryWorld } from '../support/recovery-world.ts';
import { SEED, seeded } from '../support/seed.ts';
import { slowWork } from '../support/slow-work.ts';

const KINDS: readonly CandidateKind[] = [
  'honest',
  'no_codeword',
  'trailing_garbage',
  'long_chunks',
  'undecodable',
  'wrong_pov_hash',
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
];

function isHonest(kind: CandidateKind): boolean {
  return kind === 'honest' || kind === 'wrong_pov_hash';
}

/** Which verdict a recovery in re-encode mode has to reach, from what can be had at all. */
function verdict(
  kind: CandidateKind,
  { mapping }: TestCandidate,
  behaviours: readonly Behaviour[],
  backers: readonly number[],
): string {
  if (isHonest(kind) && backers.some((v) => behaviours[v] === 'good')) {
    return 'recovered';
  }
  const chunks = new Set<number>();
  behaviours.forEach((behaviour, v) => {
    if (behaviour === 'good' || behaviour === 'other_chunk') {
      chunks.add(mapping.chunkOf(validatorIndex(behaviour === 'good' ? v : 0)));
    }
  });
  if (chunks.size < mapping.systematicThreshold) {
    return 'unavailable';
  }
  return isHonest(kind) ? 'recovered' : 'invalid';
}

const world = fc.record({
  behaviours: fc.array(fc.constantFrom(...BEHAVIOURS), { minLength: 2, maxLength: 18 }),
  delays: fc.array(fc.nat({ max: 2_200 }), { minLength: 5, maxLength: 5 }),
  kind: fc.constantFrom(...KINDS),
  backers: fc.array(fc.nat({ max: 17 }), { maxLength: 3 }),
  isMapped: fc.boolean(),
  seed: fc.nat({ max: 255 }),
});

describe('a recovery', () => {
  it(
    seeded('reaches the one right verdict: answers at once or late, work at once or slow'),
    async () => {
      const seen = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(world, async ({ behaviours, delays, kind, isMapped, seed, ...rest }) => {
          const validatorCount = behaviours.length;
          // A backer also answers for others: with bad data that makes the outcome a race, so none then.
          const backers = isHonest(kind)
            ? [...new Set(rest.backers)].filter((v) => v < validatorCount)
            : [];
          for (const [isSlow, hasSlowWork] of [
            [false, false],
            [true, false],
            [true, true],
            [false, true],
          ] as const) {
            const one = await RecoveryWorld.open({
              validatorCount,
              kind,
              seed,
              isMapped,
              scheme: isMapped ? 'rfc47' : 'identity',
              groups: [backers],
              settings: { totalBackerTimeMs: null },
              behaviour: ({ index, times }) => {
                const behaviour = behaviours[index]!;
                return isSlow ? { behaviour, delayMs: delays[(index + times) % 5]! } : behaviour;
              },
              ...(hasSlowWork
                ? { ports: ({ runtime }) => ({ work: slowWork(runtime, 700) }) }
                : {}),
            });
            const { recovered, error } = one.run({ backingGroup: 0 });
            const expected = verdict(kind, one.candidate, behaviours, backers);
            expect(codeOf(error) ?? 'recovered').toBe(expected);
            if (expected === 'recovered') {
              expect(recovered?.data).toEqual(one.candidate.data);
            } else {
              const { account, evidence } = error as RecoveryError;
              expect(account).toBeDefined();
              expect(evidence !== undefined).toBe(expected === 'invalid');
            }
            expect(one.network.open).toBe(0);
            expect(one.timers).toBe(0);
            seen.set(expected, (seen.get(expected) ?? 0) + 1);
          }
        }),
        { seed: SEED, numRuns: 250 },
      );
      for (const one of ['recovered', 'unavailable', 'invalid']) {
        expect(seen.get(one), one).toBeGreaterThan(100);
      }
    },
  );
});
