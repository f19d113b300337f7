/**
 * @module
 * Hashing of rows by every kernel of both builds, against the hash of the package: lengths, counts,
 * places, what lies in scratch memory, and groups of columns.
 */

import { beforeAll, describe, expect, it } from 'vitest';
import { chooseHashKernel } from '../../../src/erasure/kernel/hash-kernel-choice.ts';
import type { SimdEngineId } from '../../../src/erasure/kernel/kernel.ts';
import {
  createContext,
  type KernelContext,
  LIST_BYTES,
  SCRATCH_BYTES,
} from '../../../src/erasure/kernel/kernel-context.ts';
import { KernelMemory } from '../../../src/erasure/kernel/kernel-memory.ts';
import {
  defaultHashKernel,
  HASH_KERNELS,
  HASH_STATE_BYTES,
  type HashKernel,
  hashRowGroup,
  hashRows,
} from '../../../src/erasure/kernel/row-hasher.ts';
import { equalBytes, toHex } from '../../../src/primitives/bytes.ts';
import { blake2b256, HASH_BYTES, hashReady } from '../../../src/primitives/hash.ts';
import { FastRandom } from '../../support/fast-random.ts';
import { SEED, seeded } from '../../support/seed.ts';

await hashReady();

const ENGINES: readonly SimdEngineId[] = ['simd_relaxed', 'simd'];
const KERNELS = ENGINES.flatMap((engine) => HASH_KERNELS.map((kernel) => ({ engine, kernel })));

/** One memory for each build, with room for rows and digests that nothing else uses. */
const AREA_BYTES = 2 ** 20;

type World = { readonly context: KernelContext; readonly area: number };

function makeWorld(engine: SimdEngineId): World {
  const memory = new KernelMemory({ isShared: false, maxBytes: 16 * 2 ** 20 });
  const context = createContext(memory, engine);
  const area = memory.take(AREA_BYTES);
  if (context === undefined || area === undefined) {
    throw new Error('no room for the test');
  }
  return { context, area };
}

const worlds = new Map(ENGINES.map((engine) => [engine, makeWorld(engine)]));
const worldOf = (engine: SimdEngineId): World => worlds.get(engine)!;

/** Fills what a kernel uses beside rows and digests with bytes that no test expects. */
function soilScratch(context: KernelContext, random: FastRandom): void {
  for (const [at, bytes] of [
    [context.scratch, SCRATCH_BYTES],
    [context.lists, LIST_BYTES / 64],
  ] as const) {
    random.fill(context.bytes().subarray(at, at + bytes));
  }
}

/** The same, and the area. */
function soil({ context, area }: World, random: FastRandom): void {
  soilScratch(context, random);
  random.fill(context.bytes().subarray(area, area + AREA_BYTES));
}

/** Rows of random bytes at odd distances, digests behind them, both at odd addresses. */
function placeRows(
  area: number,
  count: number,
  bytes: number,
): Record<'rows' | 'digests', Uint32Array> {
  const places = (start: number, step: number): Uint32Array =>
    Uint32Array.from({ length: count }, (_, i) => start + i * step);
  const rows = places(area + 3, bytes + 5);
  return { rows, digests: places(area + 7 + count * (bytes + 5), HASH_BYTES + 1) };
}

const read = ({ context }: World, from: number, bytes: number): Uint8Array =>
  context.bytes().slice(from, from + bytes);

function expectDigests(
  world: World,
  { rows, digests }: Record<'rows' | 'digests', Uint32Array>,
  bytes: number,
  what: string,
): void {
  const actual = Array.from(digests, (at) => toHex(read(world, at, HASH_BYTES)));
  const expected = Array.from(rows, (at) => toHex(blake2b256(read(world, at, bytes))));
  expect(actual, what).toEqual(expected);
}

const LENGTHS = [...Array.from({ length: 301 }, (_, i) => i), 511, 512, 513, 4096];

describe.each(KERNELS)('hashRows, $engine, $kernel', ({ engine, kernel }) => {
  const world = worldOf(engine);

  beforeAll(() => {
    soil(world, new FastRandom(SEED));
  });

  it('gives the digests of all lengths from 0 to 300 and some longer, from dirty scratch', () => {
    for (const bytes of LENGTHS) {
      const places = placeRows(world.area, 7, bytes);
      hashRows(world.context, { ...places, bytes, kernel });
      expectDigests(world, places, bytes, `${bytes} bytes`);
    }
  });

  it('gives the digests of 0 to 11 rows, and touches nothing else', () => {
    for (let count = 0; count <= 11; count += 1) {
      const places = placeRows(world.area, count, 131);
      const before = read(world, world.area, AREA_BYTES);
      hashRows(world.context, { ...places, bytes: 131, kernel });
      expectDigests(world, places, 131, `${count} rows`);
      for (const digest of places.digests) {
        const at = digest - world.area;
        before.set(read(world, digest, HASH_BYTES), at);
      }
      expect(equalBytes(read(world, world.area, AREA_BYTES), before), `${count} rows`).toBe(true);
    }
  });

  it('gives the digests of chunks of 10 MiB at n = 1000, and of two bytes more', () => {
    for (const bytes of [40_960, 40_962]) {
      const places = placeRows(world.area, 6, bytes);
      hashRows(world.context, { ...places, bytes, kernel });
      expectDigests(world, places, bytes, `${bytes} bytes`);
    }
  });

  it(seeded('gives the digests of random lengths, counts and places'), () => {
    const random = new FastRandom(SEED);
    for (let round = 0; round < 40; round += 1) {
      soilScratch(world.context, random);
      const bytes = random.below(3000);
      const places = placeRows(world.area + random.below(64), random.below(20), bytes);
      hashRows(world.context, { ...places, bytes, kernel });
      expectDigests(world, places, bytes, `round ${round}: ${bytes} bytes`);
    }
  });

  it('reads nothing behind a row that ends where the memory ends', () => {
    const { context } = world;
    const bytes = 129;
    const rows = Uint32Array.of(context.bytes().length - bytes);
    const digests = Uint32Array.of(world.area);
    hashRows(context, { rows, digests, bytes, kernel });
    expectDigests(world, { rows, digests }, bytes, 'at the end');
  });
});

/** Hashes rows cut at the given places; the last cut is the end. */
function hashInGroups(
  { context, area }: World,
  { rows, digests }: Record<'rows' | 'digests', Uint32Array>,
  cuts: readonly number[],
  kernels: readonly HashKernel[],
): void {
  let before = 0;
  cuts.forEach((cut, i) => {
    hashRowGroup(context, {
      rows: rows.map((at) => at + before),
      bytes: cut - before,
      before,
      states: area + AREA_BYTES - HASH_STATE_BYTES * rows.length,
      isFirst: i === 0,
      isLast: i === cuts.length - 1,
      digests,
      kernel: kernels[i % kernels.length]!,
    });
    before = cut;
  });
}

describe.each(KERNELS)('hashRowGroup, $engine, $kernel', ({ engine, kernel }) => {
  const world = worldOf(engine);
  const { area } = world;

  it(seeded('agrees with the whole for every cut at multiples of 128'), () => {
    soil(world, new FastRandom(SEED));
    for (const bytes of [1, 127, 128, 129, 256, 257, 500, 640]) {
      const borders = Array.from({ length: Math.ceil(bytes / 128) - 1 }, (_, i) => 128 * (i + 1));
      for (let chosen = 0; chosen < 2 ** borders.length; chosen += 1) {
        const cuts = [...borders.filter((_, i) => ((chosen >> i) & 1) === 1), bytes];
        const places = placeRows(area, 6, bytes);
        hashInGroups(world, places, cuts, [kernel]);
        expectDigests(world, places, bytes, `${bytes} bytes cut at ${cuts}`);
      }
    }
  });

  it('goes on with another kernel from the states that this one left', () => {
    for (const count of [1, 4, 5, 11]) {
      const places = placeRows(area, count, 700);
      hashInGroups(world, places, [128, 384, 512, 700], [kernel, ...HASH_KERNELS]);
      expectDigests(world, places, 700, `${count} rows`);
    }
  });

  it('hashes empty rows in a group that is first and last', () => {
    const places = placeRows(area, 3, 0);
    hashInGroups(world, places, [0], [kernel]);
    expectDigests(world, places, 0, 'empty');
  });
});

describe('misuse of hashRowGroup', () => {
  const { context, area } = worldOf('simd');
  const good = {
    rows: Uint32Array.of(area),
    bytes: 128,
    before: 128,
    states: area + 4096,
    isFirst: false,
    isLast: true,
    digests: Uint32Array.of(area + 8192),
  };

  it('is refused with a RangeError that says what was expected', () => {
    for (const [wrong, message] of [
      [{ digests: new Uint32Array(2) }, /digests: expected 1, got 2/],
      [{ bytes: 100, isLast: false }, /bytes: expected a multiple of 128/],
      [{ bytes: 1.5 }, /bytes/],
      [{ bytes: -128 }, /bytes/],
      [{ bytes: 0 }, /bytes: expected more than 0/],
      [{ before: 0 }, /before/],
      [{ before: 64 }, /before/],
      [{ before: -128 }, /before/],
      [{ isFirst: true }, /before/],
    ] as const) {
      expect(() => hashRowGroup(context, { ...good, ...wrong }), `${message}`).toThrow(message);
    }
    const { digests: _, ...withoutDigests } = good;
    expect(() => hashRowGroup(context, withoutDigests)).toThrow(RangeError);
  });
});

describe('defaultHashKernel', () => {
  it('is the hybrid with relaxed SIMD, two pairs there for short rows, else one pair', () => {
    const defaults = (bytes: number): readonly HashKernel[] =>
      ENGINES.map((engine) => defaultHashKernel({ engine }, bytes));
    expect(defaults(40_960)).toEqual(['hybrid', 'pair']);
    expect(defaults(36)).toEqual(['pairs', 'pair']);
  });

  it('is what hashes when no kernel is named', () => {
    for (const engine of ENGINES) {
      const world = worldOf(engine);
      for (const bytes of [36, 1025]) {
        const places = placeRows(world.area, 9, bytes);
        hashRows(world.context, { ...places, bytes });
        expectDigests(world, places, bytes, `${engine}, ${bytes} bytes`);
      }
    }
  });
});

describe.each(ENGINES)('chooseHashKernel, %s', (engine) => {
  const world = worldOf(engine);
  const bytes = 4096;
  /** Many rows in little memory: they overlap. */
  const overlapping = (count: number): Record<'rows' | 'digests', Uint32Array> => ({
    rows: Uint32Array.from({ length: count }, (_, i) => world.area + 32 * i),
    digests: Uint32Array.from({ length: count }, (_, i) => world.area + 2 ** 19 + 32 * i),
  });

  /** A clock on which batches take the given times in turn, the kernels in their order. */
  function clock(durations: readonly number[]): () => number {
    let reads = 0;
    let now = 0;
    return () => {
      now += reads % 2 === 1 ? durations[((reads - 1) / 2) % durations.length]! : 0;
      reads += 1;
      return now;
    };
  }

  it('finds the fastest by the clock, with all digests right', () => {
    for (const [fastest, kernel] of HASH_KERNELS.entries()) {
      const durations = HASH_KERNELS.map((_, i) => (i === fastest ? 1 : 1.2));
      const places = overlapping(1000);
      const job = { ...places, bytes };
      expect(chooseHashKernel(world.context, job, clock(durations))).toBe(kernel);
      expectDigests(world, places, bytes, kernel);
    }
  });

  it('does not choose while times still fall', () => {
    let now = 0;
    let step = 1e6;
    const places = overlapping(1000);
    const falling = (): number => {
      step *= 0.8;
      now += step;
      return now;
    };
    expect(chooseHashKernel(world.context, { ...places, bytes }, falling)).toBeUndefined();
    expectDigests(world, places, bytes, 'falling');
  });

  it('does not choose by few rows or short ones, and hashes them', () => {
    for (const [count, length] of [
      [0, bytes],
      [7, bytes],
      [120, bytes],
      [1000, 36],
    ] as const) {
      const places = overlapping(count);
      const job = { ...places, bytes: length };
      expect(chooseHashKernel(world.context, job, clock([1]))).toBeUndefined();
      expectDigests(world, places, length, `${count} rows of ${length}`);
    }
  });
});
