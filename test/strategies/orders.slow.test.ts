import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashReady } from '../../src/primitives/hash.ts';
import { anyWorld } from '../support/any-world.ts';
import { SEED, seeded } from '../support/seed.ts';
import { Tally, tryEveryOrder } from './orders.ts';

/** Random worlds: so many validators at most, so many of them. */
const SHARES = [
  { maxValidators: 16, numRuns: 2_500 },
  { maxValidators: 60, numRuns: 250 },
];
const LEAST = 500;
/** A rare case, and no class: it is counted to show that it is rare. */
const RARE = 'verdict: left to the order';

beforeAll(hashReady);

describe('the strategies, in many worlds', () => {
  it.each(['re_encode', 'pov_hash'] as const)(
    seeded('reach right verdicts in every order, %s'),
    async (checkMode) => {
      const tally = new Tally();
      for (const { maxValidators, numRuns } of SHARES) {
        await fc.assert(
          fc.asyncProperty(anyWorld(maxValidators), (world) =>
            tryEveryOrder(world, checkMode, tally),
          ),
          { seed: SEED, numRuns },
        );
      }
      console.log(`| ${checkMode} | recoveries |\n|---|---|\n${tally.lines()}`);
      for (const [name, count] of tally.counts) {
        if (name !== RARE) {
          expect(count, name).toBeGreaterThanOrEqual(LEAST);
        }
      }
    },
    600_000,
  );
});
