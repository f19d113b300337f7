import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashReady } from '../../src/primitives/hash.ts';
import { anyWorld, ORDERS, openAny, requestFields } from '../support/any-world.ts';
import { SEED, seeded } from '../support/seed.ts';
import { Tally, tryEveryOrder } from './orders.ts';

beforeAll(hashReady);

describe('the strategies', () => {
  it(
    seeded('reach the same right verdict in every order over equal sources, in re-encode mode'),
    async () => {
      const tally = new Tally();
      await fc.assert(
        fc.asyncProperty(anyWorld(16), (world) => tryEveryOrder(world, 're_encode', tally)),
        { seed: SEED, numRuns: 80 },
      );
      for (const verdict of ['recovered', 'invalid', 'unavailable']) {
        expect(tally.counts.get(`verdict: ${verdict}`), verdict).toBeGreaterThan(60);
      }
    },
  );

  it(seeded('reach a verdict that is right for what they saw, in PoV-hash mode'), async () => {
    const tally = new Tally();
    await fc.assert(
      fc.asyncProperty(anyWorld(16), (world) => tryEveryOrder(world, 'pov_hash', tally)),
      { seed: SEED, numRuns: 40 },
    );
    for (const verdict of ['recovered', 'invalid', 'unavailable', 'left to the order']) {
      expect(tally.counts.get(`verdict: ${verdict}`), verdict).toBeGreaterThan(10);
    }
  });

  it(seeded('give equal events under an equal seed'), async () => {
    await fc.assert(
      fc.asyncProperty(anyWorld(16), fc.constantFrom(...ORDERS), async (any, strategies) => {
        const logs = [];
        for (let run = 0; run < 2; run += 1) {
          const world = await openAny(any, 'STANDARD');
          const { events } = world.run({ ...requestFields(any, 're_encode'), strategies });
          logs.push({ events, asked: world.network.asked });
        }
        expect(logs[0]).toEqual(logs[1]);
      }),
      { seed: SEED, numRuns: 40 },
    );
  });
});
