/**
 * @module
 * The last layer with the way out to byte rows, against the one after the other symbol by symbol.
 */

import { describe, expect, it } from 'vitest';
import { transformRows } from '../../../src/erasure/kernel/transform-rows.ts';
import { KernelBench, numbers, randomTable, SIMD_ENGINES } from './kernel-bench.ts';
import { layerOf } from './naive-layers.ts';

describe.each(SIMD_ENGINES)('the last layer on %s', (engine) => {
  const bench = new KernelBench(engine);
  const { kernel } = bench;

  it('goes out to rows, of any number, at any position', () => {
    const next = numbers(3);
    for (let run = 0; run < 80; run += 1) {
      const pairs = 1 + (next() % 5);
      const count = run % 7 === 0 ? 0 : 2 * pairs - (next() % 2);
      const w = [32, 64, 96][next() % 3]!;
      const position = run % 2 === 0 ? 256 - 2 * (next() % 4) : next() & 0xfff0;
      const table = randomTable(2 * pairs, w, run);
      const work = bench.take(2 * pairs * 2 * w);
      const stride = 2 * w + 64;
      const rows = bench.take((2 * pairs + 1) * stride);
      const before = bench.bytes(rows, (2 * pairs + 1) * stride);
      bench.putPlanes(work, w, table);
      kernel.rowsFromLastLayer(work, w, count, rows, stride, position);
      const name = `${count} rows, w ${w}, at ${position}`;
      const expected = layerOf('forward', table, 0, position).slice(0, count);
      expect(bench.rows(rows, stride, count, w), name).toEqual(expected);
      expect(bench.planes(work, w, 2 * pairs), name).toEqual(table);
      const after = bench.bytes(rows, before.length);
      for (let r = 0; r <= 2 * pairs; r += 1) {
        const start = r * stride + (r < count ? 2 * w : 0);
        const end = (r + 1) * stride;
        expect(after.subarray(start, end), name).toEqual(before.subarray(start, end));
      }
      bench.give(rows);
      bench.give(work);
    }
  });

  it('goes out to listed rows, and leaves out those that are not wanted', () => {
    const w = 64;
    const positions = [0, 2, 254, 256, 0x1234, 0xfffe];
    const table = randomTable(2 * positions.length, w, 8);
    const work = bench.take(table.length * 2 * w);
    const stride = 2 * w + 128;
    const rows = bench.take(table.length * stride);
    const discard = bench.take(2 * w);
    bench.putPlanes(work, w, table);
    const isWanted = (r: number): boolean => r % 3 !== 1;
    const rowAt = (r: number): number => (isWanted(r) ? rows + r * stride : 0);
    const list = bench.list(
      positions.flatMap((position, i) => [
        work + 4 * w * i,
        rowAt(2 * i),
        rowAt(2 * i + 1),
        position,
      ]),
    );
    const before = bench.bytes(rows, table.length * stride);
    kernel.rowsFromLastLayerList(list, 0, 64, w, discard);
    expect(bench.bytes(rows, before.length)).toEqual(before);
    kernel.rowsFromLastLayerList(list, positions.length, 64, w, discard);
    const expected = positions.flatMap((position, i) =>
      layerOf('forward', table.slice(2 * i, 2 * i + 2), 0, position),
    );
    const after = bench.rows(rows + 64, stride, table.length, w);
    const bytes = bench.bytes(rows, before.length);
    expected.forEach((row, r) => {
      if (isWanted(r)) {
        expect(after[r], `row ${r}`).toEqual(row);
      }
      const gaps = isWanted(r)
        ? [
            [0, 64],
            [64 + 2 * w, stride],
          ]
        : [[0, stride]];
      for (const [start = 0, end = 0] of gaps) {
        const [from, to] = [r * stride + start, r * stride + end];
        expect(bytes.subarray(from, to), `row ${r}`).toEqual(before.subarray(from, to));
      }
    });
  });

  it.each([2, 4, 8, 64, 256])('is the one that a transform of %i rows leaves', (size) => {
    const w = 32;
    for (const block of [0, 1, 3]) {
      for (const used of [size, size - 1]) {
        const job = { w, size, position: block * size, used } as const;
        const [whole, left] = [bench.take(size * 2 * w), bench.take(size * 2 * w)];
        kernel.copy(left, whole, size * 2 * w);
        const rows = bench.take(2 * size * 2 * w);
        transformRows(bench.context, { kind: 'fft', base: whole, ...job });
        transformRows(bench.context, { kind: 'fft', base: left, leftLayers: 1, ...job });
        kernel.rowsFromPlanes(whole, w, used, rows, 2 * w);
        kernel.rowsFromLastLayer(left, w, used, rows + size * 2 * w, 2 * w, job.position);
        expect(kernel.equal(rows, rows + size * 2 * w, used * 2 * w), `block ${block}`).toBe(1);
      }
    }
  });
});

describe('transformRows', () => {
  it('goes on where the caller has done the lowest layers of the inverse', () => {
    const bench = new KernelBench('simd');
    const w = 32;
    for (const size of [4, 8, 32]) {
      for (const doneLayers of [0, 1, 2]) {
        const [whole, rest] = [bench.take(size * 2 * w), bench.take(size * 2 * w)];
        bench.kernel.copy(rest, whole, size * 2 * w);
        const job = { kind: 'ifft', w, size, position: 3 * size } as const;
        transformRows(bench.context, { ...job, base: whole });
        for (let layer = 0; layer < doneLayers; layer += 1) {
          bench.kernel.inverseLayer(rest, 2 * w, w, layer, size, job.position);
        }
        transformRows(bench.context, { ...job, base: rest, doneLayers });
        expect(bench.kernel.equal(whole, rest, size * 2 * w), `${doneLayers} of ${size}`).toBe(1);
      }
    }
  });
});
