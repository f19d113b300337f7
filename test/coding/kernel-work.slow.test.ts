/**
 * @module
 * Ten thousand recoveries of random patterns on one work: heap and arena stay as they are.
 */

import { lastValueFrom } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { codingWork } from '../../src/coding/kernel-work.ts';
import { equalBytes } from '../../src/primitives/bytes.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import { SEED, seeded } from '../support/seed.ts';
import { chunksAt, fixture, verified } from './fixture.ts';

beforeAll(hashReady);

const ROUNDS = 10_000;

/** Rounds of which the least heap counts: what is left after some collection. */
const WINDOW = 2_000;

/** Growth of the least heap from the second window to the last that is no growth, in bytes. */
const HEAP_SLACK = 2 * 1024 * 1024;

describe('codingWork', () => {
  it(seeded(`keeps heap and arena flat over ${ROUNDS} random patterns`), async () => {
    const sizes = [4, 10, 33, 60, 100] as const;
    const fixtures = sizes.map((n) => fixture(n, 40 * n, n));
    const work = codingWork({ workers: 0 });
    let state = SEED;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const leastHeap: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const one = fixtures[random(fixtures.length)]!;
      const n = one.subject.validatorCount;
      const indices = Array.from({ length: n }, (_, i) => i);
      for (let i = 0; i < one.systematicThreshold; i += 1) {
        const j = i + random(n - i);
        const [a = 0, b = 0] = [indices[i], indices[j]];
        indices[i] = b;
        indices[j] = a;
      }
      const recovery = work.open(one.subject);
      const picked = chunksAt(one, indices.slice(0, one.systematicThreshold));
      const chunks = await verified(recovery, picked);
      const { payload, codewordRoot } = await lastValueFrom(
        recovery.decode({ method: 'reconstruct', chunks, wantsRoot: random(2) === 0 }),
      );
      if (!equalBytes(payload.subarray(0, one.payload.length), one.payload)) {
        expect.fail(`round ${round}: another payload`);
      }
      if (codewordRoot !== undefined && !equalBytes(codewordRoot, one.subject.erasureRoot)) {
        expect.fail(`round ${round}: another root`);
      }
      recovery.close();
      expect(work.usedBytes, `round ${round}`).toBe(0);
      const window = Math.floor(round / WINDOW);
      leastHeap[window] = Math.min(leastHeap[window] ?? Number.POSITIVE_INFINITY, heapInUse());
    }
    const growth = (leastHeap.at(-1) ?? 0) - (leastHeap[1] ?? 0);
    expect(growth, leastHeap.join()).toBeLessThan(HEAP_SLACK);
    work.close();
  });
});

function heapInUse(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
