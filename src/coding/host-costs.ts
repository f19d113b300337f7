/**
 * @module
 * What the steps of the kernels cost on this host: a table by engine, and a measurement of a few
 * milliseconds that replaces it. The clock is handed in.
 */

import {
  chooseHashKernel,
  type EngineId,
  type HashKernel,
  type KernelContext,
} from '../erasure/kernel/index.ts';

/** Costs in nanoseconds, all of one thread. */
export type HostCosts = {
  /** One butterfly of a transform, for one column. */
  readonly butterfly: number;
  /** One product of a coefficient row with a chunk, for one column. */
  readonly product: number;
  /** One symbol between a chunk and a work row, either way. */
  readonly move: number;
  /** One symbol between a chunk and the payload, either way. */
  readonly transpose: number;
  /** One byte hashed. */
  readonly hash: number;
  /** One coefficient of a row, worked out once per pattern. */
  readonly coefficient: number;
  /** The fastest hash kernel, once it is known. */
  readonly hashKernel?: HashKernel;
};

/**
 * Costs until they are measured, by engine: Zen 3 at 3.2 GHz, from whole jobs of 10 MiB at n = 1000.
 * Another host of the class has other numbers but, within a fifth, the same ratios, and only those
 * decide.
 */
export const TYPICAL_COSTS: { readonly [Id in EngineId]: HostCosts } = {
  simd_relaxed: {
    butterfly: 0.11,
    product: 0.12,
    move: 0.25,
    transpose: 0.26,
    hash: 0.73,
    coefficient: 20,
  },
  simd: {
    butterfly: 0.14,
    product: 0.15,
    move: 0.28,
    transpose: 0.26,
    hash: 0.75,
    coefficient: 20,
  },
  scalar: { butterfly: 4, product: 4, move: 2, transpose: 2, hash: 20, coefficient: 20 },
};

/** Time that the measurement may take in all, in ms. */
export const CALIBRATION_MS = 15;

/** Times of which the least counts. */
const SAMPLES = 5;

/** Columns and rows of the measured jobs: 32 KiB of work rows, in the first or second cache. */
const WIDTH = 256;
const ROWS = 64;

/** Bytes of a work row, and of a chunk row with a cache line between two. */
const PLANE_BYTES = 2 * WIDTH;
const ROW_STRIDE = PLANE_BYTES + 64;

/** Rows and bytes of the measured hash: the same few rows again and again, about 2 ms in all. */
const HASH_ROWS = 600;
const HASHED_ROWS = 60;
const HASH_ROW_BYTES = 4096;

/** A step to time, and how many units it does. */
type Probe = {
  readonly name: 'butterfly' | 'product' | 'move' | 'transpose';
  readonly units: number;
  readonly run: () => void;
};

/** All steps on the areas of a context. Areas: planes, then rows, then the payload, from `work` on. */
function probesOf(context: KernelContext): readonly Probe[] {
  const { kernel, lists, work } = context;
  const planes = work;
  const rows = planes + 2 * ROWS * PLANE_BYTES;
  const payload = rows + ROWS * ROW_STRIDE;
  const pairList = lists;
  const rowList = pairList + 8 * ROWS;
  const coefficients = rowList + 4 * ROWS;
  fillLists(context, { planes, rows, pairList, rowList, coefficients });
  return [
    {
      name: 'butterfly',
      units: ROWS * WIDTH,
      run: () => kernel.inverseLayers2(planes, PLANE_BYTES, WIDTH, 1, ROWS, 0),
    },
    {
      name: 'product',
      units: 4 * ROWS * WIDTH,
      run: () =>
        kernel.combineRows4(planes, WIDTH, ROWS, coefficients, planes + ROWS * PLANE_BYTES),
    },
    {
      name: 'move',
      units: ROWS * WIDTH,
      run: () => kernel.planesFromRows(pairList, ROWS, 0, WIDTH),
    },
    {
      name: 'transpose',
      units: ROWS * WIDTH,
      run: () => kernel.payloadFromRows(payload, 2 * ROWS, rowList, WIDTH, ROWS),
    },
  ];
}

function fillLists(
  context: KernelContext,
  at: { readonly [Name in 'planes' | 'rows' | 'pairList' | 'rowList' | 'coefficients']: number },
): void {
  const memory = context.words();
  for (let row = 0; row < ROWS; row += 1) {
    memory[at.pairList / 4 + 2 * row] = at.rows + row * ROW_STRIDE;
    memory[at.pairList / 4 + 2 * row + 1] = at.planes + row * PLANE_BYTES;
    memory[at.rowList / 4 + row] = at.rows + row * ROW_STRIDE;
  }
  // Any address serves as a product table: what it gives isn't looked at, and time doesn't depend on it.
  memory.fill(at.rows, at.coefficients / 4, at.coefficients / 4 + 12 * ROWS);
}

/**
 * Measures this host's costs.
 *
 * Buffers: all areas of the context hold garbage afterwards.
 *
 * @param nowMs - A clock in ms with a resolution of some µs. Where it is coarser, or the time is up, the
 *   typical costs stand in.
 */
export function measureHostCosts(context: KernelContext, nowMs: () => number): HostCosts {
  const typical = TYPICAL_COSTS[context.engine];
  const deadline = nowMs() + CALIBRATION_MS;
  const measured: { -readonly [Name in keyof HostCosts]: HostCosts[Name] } = { ...typical };
  for (const probe of probesOf(context)) {
    const repeats = Math.max(1, Math.round(SAMPLE_NS / (typical[probe.name] * probe.units)));
    let least = Number.POSITIVE_INFINITY;
    for (let sample = 0; sample < SAMPLES && nowMs() < deadline; sample += 1) {
      const start = nowMs();
      for (let i = 0; i < repeats; i += 1) {
        probe.run();
      }
      least = Math.min(least, nowMs() - start);
    }
    const cost = (least * 1e6) / (repeats * probe.units);
    if (cost > 0 && Number.isFinite(cost)) {
      measured[probe.name] = cost;
    }
  }
  return nowMs() < deadline ? withHash(context, measured, nowMs) : measured;
}

/** Chooses the hash kernel, and takes the time of the whole choice for what hashing costs. */
function withHash(context: KernelContext, costs: HostCosts, nowMs: () => number): HostCosts {
  const digests = context.work + HASHED_ROWS * HASH_ROW_BYTES;
  const job = {
    rows: Uint32Array.from(
      { length: HASH_ROWS },
      (_, i) => context.work + (i % HASHED_ROWS) * HASH_ROW_BYTES,
    ),
    bytes: HASH_ROW_BYTES,
    digests: Uint32Array.from({ length: HASH_ROWS }, (_, i) => digests + 32 * (i % HASHED_ROWS)),
  };
  const start = nowMs();
  const hashKernel = chooseHashKernel(context, job, nowMs);
  const hash = ((nowMs() - start) * 1e6) / (HASH_ROWS * HASH_ROW_BYTES);
  const measured = hash > 0 ? { ...costs, hash } : costs;
  return hashKernel === undefined ? measured : { ...measured, hashKernel };
}

/** Length of a sample by the typical costs: long against the clock's resolution, 5 µs at best. */
const SAMPLE_NS = 300_000;
