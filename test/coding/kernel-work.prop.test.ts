/**
 * @module
 * Whatever path is forced, in whatever groups, over whatever garbage: payload, root and verdicts are those of
 * the plain work. All n from 2 to 130, and random patterns of every weight.
 */

import fc from 'fast-check';
import { lastValueFrom } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DecodePath } from '../../src/coding/erasure-work.ts';
import { type CodingWork, codingWork } from '../../src/coding/kernel-work.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import { SEED, seeded } from '../support/seed.ts';
import {
  CODING,
  chunksAt,
  type Fixture,
  fixture,
  inconsistent,
  plainRoot,
  verified,
} from './fixture.ts';

beforeAll(hashReady);

const PATHS: readonly (DecodePath | undefined)[] = [
  'transposition',
  'rows',
  'blocks',
  'reveal',
  'plain',
  undefined,
];

/** Works for each path, with rows in one group and in as many as there can be; and each of the builds. */
function allWorks(): readonly CodingWork[] {
  return PATHS.flatMap((forcePath) => {
    const path = forcePath === undefined ? {} : { forcePath };
    return [
      codingWork({ workers: 0, ...path }),
      codingWork({ workers: 0, groupBytes: 1, engine: 'simd', ...path }),
    ];
  });
}

/** Payload and root from some chunks by each work, held to the plain codec's. */
async function compareAll(
  works: readonly CodingWork[],
  one: Fixture,
  indices: readonly number[],
): Promise<void> {
  const { validatorCount } = one.subject;
  for (const work of works) {
    const recovery = work.open(one.subject);
    const chunks = await verified(recovery, chunksAt(one, indices));
    for (const wantsRoot of [true, false]) {
      const decoded = await lastValueFrom(
        recovery.decode({ method: 'reconstruct', chunks, wantsRoot }),
      );
      const message = `n=${validatorCount} ${decoded.path} of ${indices.length} root ${wantsRoot}`;
      const isExact = indices.length === one.systematicThreshold || !wantsRoot;
      if (isExact) {
        const expected = CODING.plain.codec.reconstruct(chunks, validatorCount);
        expect(decoded.payload, message).toEqual(expected);
      }
      if (decoded.codewordRoot !== undefined) {
        const root = plainRoot(decoded.payload, validatorCount);
        expect(decoded.codewordRoot, message).toEqual(root);
      }
    }
    recovery.close();
    expect(work.usedBytes).toBe(0);
  }
}

const range = (count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, i) => from + i);

describe('codingWork', () => {
  it('gives the bytes of the plain work on every path for all n from 2 to 130', async () => {
    const works = allWorks();
    for (let n = 2; n <= 130; n += 1) {
      const one = fixture(n, 3 + ((n * 67) % 900), n);
      const k = one.systematicThreshold;
      const shift = n % 5 === 0 ? n - k : Math.min(n - k, n % 3);
      await compareAll(works, one, range(k, shift));
    }
  });

  it.each([
    // n, bytes of a chunk: around a group of columns, a block of the hash, a page.
    [6, 62],
    [6, 64],
    [10, 66],
    [10, 126],
    [16, 128],
    [40, 130],
    [40, 4096],
    [257, 66],
    [300, 254],
  ] as const)(
    'gives the bytes of the plain work for n = %i and chunks of %i bytes',
    async (n, bytes) => {
      const k = fixture(n, 1).systematicThreshold;
      const one = fixture(n, k * bytes - 1, n);
      const works = allWorks();
      await compareAll(works, one, range(k));
      await compareAll(works, one, range(k, 1));
      await compareAll(works, one, range(k, n - k));
    },
  );

  it(seeded('gives the bytes of the plain work for random patterns'), async () => {
    const works = allWorks();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2, max: 140 }),
        fc.integer({ min: 1, max: 2500 }),
        fc.nat(),
        fc.nat(),
        async (n, size, seed, weight) => {
          const one = fixture(n, size, seed);
          await compareAll(works, one, pattern(one, seed, weight));
        },
      ),
      { seed: SEED, numRuns: 40 },
    );
  });

  it(seeded('agrees with the plain work on chunks of no codeword'), async () => {
    const works = allWorks();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 4, max: 60 }),
        fc.nat(),
        fc.nat(),
        async (n, seed, weight) => {
          const one = inconsistent(fixture(n, 300, seed), [seed % n, (seed >>> 8) % n]);
          await compareAll(works, one, pattern(one, seed, weight));
        },
      ),
      { seed: SEED, numRuns: 25 },
    );
  });
});

/** So many of the indices as `weight` says, k at least, in random order. */
function pattern(one: Fixture, seed: number, weight: number): readonly number[] {
  const { validatorCount } = one.subject;
  const k = one.systematicThreshold;
  const all = range(validatorCount);
  let state = seed;
  for (let i = all.length - 1; i > 0; i -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const j = state % (i + 1);
    const [a = 0, b = 0] = [all[i], all[j]];
    all[i] = b;
    all[j] = a;
  }
  return all.slice(0, k + (weight % 2 === 0 ? 0 : weight % (validatorCount - k + 1)));
}
