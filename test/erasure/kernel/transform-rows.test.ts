/**
 * @module
 * Whole transforms over planes against the scalar engine: every size, both builds.
 */

import { describe, expect, it } from 'vitest';
import { scalarEngine } from '../../../src/erasure/engine-scalar.ts';
import {
  type TransformRowsJob,
  transformRows,
} from '../../../src/erasure/kernel/transform-rows.ts';
import { KernelBench, numbers, SIMD_ENGINES } from './kernel-bench.ts';
import { packPlanes, unpackPlanes } from './planes.ts';

const W = 32;

/** The same transform on the scalar engine, over symbols row by row. */
function expected(job: Omit<TransformRowsJob, 'base'>, symbols: Uint16Array): Uint16Array {
  const engine = scalarEngine();
  const { kind, w, size, position, used } = job;
  const memory = engine.workspace(w * size);
  memory.set(symbols);
  engine.transform({
    ...{ kind, base: position, size, columns: { from: 0, to: w } },
    rows: { memory, start: 0, stride: w },
    ...(used === undefined ? {} : { used }),
  });
  return memory.slice(0, w * size);
}

describe.each(SIMD_ENGINES)('transformRows on %s', (engine) => {
  const bench = new KernelBench(engine);

  /** Runs a job and compares the rows that the job promises. */
  function check(job: Omit<TransformRowsJob, 'base'>, seed: number): void {
    const { w, size, used = size, stride = 2 * w } = job;
    const next = numbers(seed);
    const symbols = Uint16Array.from({ length: w * size }, next);
    const base = bench.take(size * stride);
    packPlanes(bench.context.bytes(), { base, w, stride }, symbols);
    transformRows(bench.context, { ...job, base });
    const result = unpackPlanes(bench.context.bytes(), { base, w, stride }, size);
    const rows = job.kind === 'fft' ? used : size;
    const name = JSON.stringify(job);
    const due = expected(job, symbols).subarray(0, rows * w);
    expect(
      Buffer.from(result.slice(0, rows * w).buffer).equals(Buffer.from(due.slice().buffer)),
      name,
    ).toBe(true);
    bench.give(base);
  }

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])('size 2^%i at the ends and between', (log) => {
    const size = 2 ** log;
    const blocks = 65_536 / size;
    const positions = [0, 1, 2, 3, 5, Math.floor(blocks / 3), blocks - 1];
    for (const position of new Set(positions.filter((block) => block < blocks))) {
      for (const kind of ['fft', 'ifft'] as const) {
        check({ kind, w: W, size, position: position * size }, log);
      }
    }
  });

  it.each([12, 13, 14, 15, 16])('size 2^%i', (log) => {
    const size = 2 ** log;
    check({ kind: 'ifft', w: W, size, position: 65_536 - size }, log);
    check({ kind: 'fft', w: W, size, position: 0 }, log);
  });

  it('any number of used rows, any width and stride', () => {
    const next = numbers(31);
    for (let run = 0; run < 150; run += 1) {
      const size = 2 ** (next() % 8);
      const used = 1 + (next() % size);
      const w = [32, 64, 224][next() % 3]!;
      const stride = 2 * w + [0, 64][next() % 2]!;
      const position = size * (next() % (run % 2 === 0 ? 6 : 65_536 / size));
      check({ kind: run % 4 < 2 ? 'fft' : 'ifft', w, size, used, stride, position }, run);
    }
  });
});
