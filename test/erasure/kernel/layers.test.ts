/**
 * @module
 * Layers of the transforms against butterflies symbol by symbol.
 */

import { describe, expect, it } from 'vitest';
import { KernelBench, numbers, randomTable, SIMD_ENGINES } from './kernel-bench.ts';
import { layerOf } from './naive-layers.ts';

describe.each(SIMD_ENGINES)('layers on %s', (engine) => {
  const bench = new KernelBench(engine);
  const { kernel } = bench;
  const W = 32;
  const work = bench.take(64 * 4 * W);
  const one = { forward: kernel.forwardLayer, inverse: kernel.inverseLayer };
  const two = { forward: kernel.forwardLayers2, inverse: kernel.inverseLayers2 };

  it.each(['forward', 'inverse'] as const)('%s: every twiddle', (kind) => {
    const table = randomTable(2, W, 1);
    for (let twiddle = 0; twiddle < 65_536; twiddle += twiddle < 600 ? 2 : 246) {
      bench.putPlanes(work, W, table);
      one[kind](work, 2 * W, W, 0, 2, twiddle);
      const expected = layerOf(kind, table, 0, twiddle);
      expect(bench.planes(work, W, 2), `twiddle ${twiddle}`).toEqual(expected);
    }
  });

  it.each(['forward', 'inverse'] as const)('%s: layers, widths, strides and positions', (kind) => {
    const next = numbers(5);
    for (let run = 0; run < 60; run += 1) {
      const layer = next() % 4;
      const width = 2 * 2 ** layer;
      const blocks = 1 + (next() % (32 / width));
      const w = [32, 64, 96][next() % 3]!;
      const stride = 2 * w + [0, 64, 32][next() % 3]!;
      const position = width * (next() % (run % 3 === 0 ? 8 : 65_536 / width - blocks));
      const table = randomTable(blocks * width, w, run);
      const at = bench.take((blocks * width + 1) * stride);
      const before = bench.bytes(at, (blocks * width + 1) * stride);
      bench.putPlanes(at, w, table, stride);
      one[kind](at, stride, w, layer, blocks * width, position);
      const name = `layer ${layer}, ${blocks} blocks, w ${w}, stride ${stride}, at ${position}`;
      const expected = layerOf(kind, table, layer, position);
      expect(bench.planes(at, w, blocks * width, stride), name).toEqual(expected);
      const after = bench.bytes(at, before.length);
      for (let r = 0; r <= blocks * width; r += 1) {
        const start = r * stride + (r < blocks * width ? 2 * w : 0);
        const end = (r + 1) * stride;
        expect(after.subarray(start, end), name).toEqual(before.subarray(start, end));
      }
    }
  });

  it.each(['forward', 'inverse'] as const)('%s: two layers are one after the other', (kind) => {
    const next = numbers(6);
    for (let run = 0; run < 60; run += 1) {
      const layer = next() % 3;
      const width = 4 * 2 ** layer;
      const blocks = 1 + (next() % (32 / width));
      const w = [32, 64][next() % 2]!;
      const stride = 2 * w + [0, 64][next() % 2]!;
      const places = (256 << layer) / width - blocks + 1;
      const position = run === 0 ? 0 : width * (next() % places);
      const table = randomTable(blocks * width, w, run);
      const at = bench.take(blocks * width * stride);
      bench.putPlanes(at, w, table, stride);
      two[kind](at, stride, w, layer, blocks * width, position);
      const order = kind === 'forward' ? [layer + 1, layer] : [layer, layer + 1];
      const expected = order.reduce((rows, each) => layerOf(kind, rows, each, position), table);
      const name = `layer ${layer}, ${blocks} blocks, w ${w}, stride ${stride}, at ${position}`;
      expect(bench.planes(at, w, blocks * width, stride), name).toEqual(expected);
    }
  });

  it('a layer of no rows does nothing', () => {
    const before = bench.bytes(work, 1024);
    for (const run of [one.forward, one.inverse, two.forward, two.inverse]) {
      run(work, 64, 32, 1, 0, 0);
    }
    expect(bench.bytes(work, 1024)).toEqual(before);
  });

  it.each([2, 4, 16])('the top layers of the cosets of %i rows', (size) => {
    const table = randomTable(size, W, size);
    const source = bench.take(size * 2 * W);
    const targets = [1, 2, 3, 4].map(() => bench.take(size * 2 * W));
    bench.putPlanes(source, W, table);
    const [first, second, third, last] = targets;
    kernel.fanOut(source, first!, second!, third!, size * W);
    kernel.topLayer(source, last!, size * W, 14);
    [1, 2, 3, 7].forEach((coset, i) => {
      const expected = layerOf('forward', table, Math.log2(size) - 1, coset * size);
      expect(bench.planes(targets[i]!, W, size), `coset ${coset}`).toEqual(expected);
    });
    expect(bench.planes(source, W, size)).toEqual(table);
  });

  it.each([4, 8, 64])('the top two layers of %i rows, added to others', (size) => {
    for (const block of [1, 3, 7]) {
      const table = randomTable(size, W, size + block);
      const sums = randomTable(size, W, size - block);
      const [source, target] = [bench.take(size * 2 * W), bench.take(size * 2 * W)];
      bench.putPlanes(source, W, table);
      bench.putPlanes(target, W, sums);
      kernel.addTopLayers(source, target, (size * W) / 2, 4 * block);
      const top = Math.log2(size) - 1;
      const expected = [top - 1, top].reduce(
        (rows, layer) => layerOf('inverse', rows, layer, block * size),
        table,
      );
      const sum = expected.map((row, r) => row.map((symbol, c) => symbol ^ sums[r]![c]!));
      expect(bench.planes(target, W, size), `block ${block}`).toEqual(sum);
      expect(bench.planes(source, W, size)).toEqual(table);
    }
  });

  it.each([1, 2, 4, 8, 32])(
    'addDerivative of %i rows is the sweep of the specification',
    (size) => {
      for (const w of [32, 96]) {
        const table = randomTable(size, w, size + w);
        const at = bench.take(size * 2 * w);
        bench.putPlanes(at, w, table);
        kernel.addDerivative(at, 2 * w, size);
        const expected = table.map((row) => [...row]);
        for (let i = 1; i < size; i += 1) {
          const width = i & -i;
          for (let r = i; r < i + width; r += 1) {
            expected[r]!.forEach((symbol, c) => {
              expected[r - width]![c]! ^= symbol;
            });
          }
        }
        expect(bench.planes(at, w, size)).toEqual(expected);
      }
    },
  );
});
