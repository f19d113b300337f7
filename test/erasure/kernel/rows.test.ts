/**
 * @module
 * Conversions between payloads, byte rows and planes, and combinations of rows, against symbol by symbol.
 */

import { describe, expect, it } from 'vitest';
import { multiply } from '../../../src/erasure/field.ts';
import { PRODUCT_BYTES, PRODUCTS } from '../../../src/erasure/kernel/memory-map.ts';
import { KernelBench, numbers, randomTable, SIMD_ENGINES, tower } from './kernel-bench.ts';

/** Factors of every kind: 0, 1, of GF(2^8), and larger with every half byte in use. */
const FACTORS = [0, 1, 2, 0x80, 0xff, 0x100, 0x1000, 0xff00, 0xffff, 0x1234, 0xabcd, 0xf0f0];

/** The two bytes of a factor as lists and functions take it. */
const towerBytes = (factor: number): [number, number] => {
  const value = tower(factor);
  return [value & 255, value >> 8];
};

/** The three table addresses of a coefficient. */
const tableAddresses = (factor: number): number[] => {
  const [low, high] = towerBytes(factor);
  return [low, multiply(high, 128), low ^ high].map((byte) => PRODUCTS + PRODUCT_BYTES * byte);
};

describe.each(SIMD_ENGINES)('rows and payloads on %s', (engine) => {
  const bench = new KernelBench(engine);
  const { kernel } = bench;

  it.each([8, 16, 32, 256])('k = %i: payload to planes and rows, and planes to payload', (k) => {
    for (const w of [32, 64, 160]) {
      const table = randomTable(k, w, k + w);
      const payload = bench.take(2 * k * w);
      const work = bench.take(2 * k * w);
      const stride = 2 * w + 64;
      const rows = bench.take(k * stride);
      const before = bench.bytes(rows, k * stride);
      bench.putPayload(payload, table);
      kernel.planesFromPayload(payload, 2 * k, work, w, k, 0, 0);
      expect(bench.planes(work, w, k)).toEqual(table);
      expect(bench.bytes(rows, k * stride)).toEqual(before);
      kernel.clear(work, 2 * k * w);
      kernel.planesFromPayload(payload, 2 * k, work, w, k, rows, stride);
      expect(bench.planes(work, w, k)).toEqual(table);
      expect(bench.rows(rows, stride, k, w)).toEqual(table);
      const gaps = bench.bytes(rows, k * stride);
      for (let r = 0; r < k; r += 1) {
        const [start, end] = [r * stride + 2 * w, (r + 1) * stride];
        expect(gaps.subarray(start, end)).toEqual(before.subarray(start, end));
      }
      kernel.clear(payload, 2 * k * w);
      kernel.payloadFromPlanes(payload, 2 * k, work, w, k);
      expect(bench.payload(payload, k, w)).toEqual(table);
    }
  });

  it.each([1, 2, 4, 8, 16, 64])('k = %i: payload to listed rows and back', (k) => {
    for (const columns of [32, 96]) {
      const table = randomTable(k, columns, k + columns);
      const payload = bench.take(2 * k * columns + 64);
      const addresses = table.map(() => bench.take(2 * columns + 64)).reverse();
      const guards = addresses.map((address) => bench.bytes(address + 2 * columns, 64));
      const guard = bench.bytes(payload + 2 * k * columns, 64);
      const list = bench.list(addresses);
      bench.putPayload(payload, table);
      kernel.rowsFromPayload(payload, 2 * k, list, columns, k);
      addresses.forEach((address, r) => {
        expect(bench.rows(address, 0, 1, columns)).toEqual([table[r]]);
        expect(bench.bytes(address + 2 * columns, 64)).toEqual(guards[r]);
      });
      kernel.clear(payload, 2 * k * columns);
      kernel.payloadFromRows(payload, 2 * k, list, columns, k);
      expect(bench.payload(payload, k, columns)).toEqual(table);
      expect(bench.bytes(payload + 2 * k * columns, 64)).toEqual(guard);
    }
  });

  it('no columns are no work', () => {
    const payload = bench.take(64);
    const before = bench.bytes(payload, 64);
    const list = bench.list([
      payload,
      payload,
      payload,
      payload,
      payload,
      payload,
      payload,
      payload,
    ]);
    for (const k of [2, 8]) {
      kernel.rowsFromPayload(payload, 2 * k, list, 0, k);
      kernel.payloadFromRows(payload, 2 * k, list, 0, k);
    }
    expect(bench.bytes(payload, 64)).toEqual(before);
  });

  it.each([32, 64, 96])('w = %i: listed rows to planes and back, from any column', (w) => {
    const count = 5;
    const stride = 2 * w + 128;
    const table = randomTable(count, w, w);
    const from = bench.take(count * stride);
    const to = bench.take(count * stride);
    const work = bench.take(2 * w * count);
    bench.putRows(from + 64, stride, table);
    const order = [3, 0, 4, 1, 2];
    const inList = bench.list(order.flatMap((r, i) => [from + r * stride, work + 2 * w * i]));
    kernel.planesFromRows(inList, count, 64, w);
    expect(bench.planes(work, w, count)).toEqual(order.map((r) => table[r]));
    const before = bench.bytes(to, count * stride);
    const outList = bench.list(order.flatMap((r, i) => [work + 2 * w * i, to + r * stride]));
    kernel.rowsFromPlanesList(outList, count, 64, w);
    expect(bench.rows(to + 64, stride, count, w)).toEqual(table);
    const after = bench.bytes(to, count * stride);
    expect(after.subarray(0, 64)).toEqual(before.subarray(0, 64));
    expect(after.subarray(64 + 2 * w, stride + 64)).toEqual(
      before.subarray(64 + 2 * w, stride + 64),
    );
    kernel.clear(to, count * stride);
    kernel.rowsFromPlanes(work, w, count, to, stride);
    expect(bench.rows(to, stride, count, w)).toEqual(order.map((r) => table[r]));
    kernel.rowsFromPlanes(work, w, 0, to, stride);
    kernel.planesFromRows(inList, 0, 64, w);
    expect(bench.rows(to, stride, count, w)).toEqual(order.map((r) => table[r]));
  });

  it('factors multiply on the way in, in place, and on the way to a sum', () => {
    const next = numbers(9);
    const factors = [...FACTORS, ...Array.from({ length: 40 }, next)];
    const count = factors.length;
    const w = 64;
    const table = randomTable(count, w, 11);
    const products = table.map((row, r) => row.map((symbol) => multiply(symbol, factors[r]!)));
    const rows = bench.take(count * 2 * w);
    const work = bench.take(count * 2 * w);
    bench.putRows(rows, 2 * w, table);
    const list = bench.list(
      factors.flatMap((factor, r) => [rows + 2 * w * r, work + 2 * w * r, ...towerBytes(factor)]),
    );
    kernel.scaledPlanesFromRows(list, count, 0, w);
    expect(bench.planes(work, w, count)).toEqual(products);

    bench.putPlanes(work, w, table);
    const inPlace = factors.flatMap((factor, r) => {
      const row = work + 2 * w * r;
      return [row, row, ...towerBytes(factor)];
    });
    kernel.scalePlanes(bench.list(inPlace), count, w);
    expect(bench.planes(work, w, count)).toEqual(products);

    const sums = randomTable(count, w, 12);
    const target = bench.take(count * 2 * w);
    bench.putPlanes(work, w, table);
    bench.putPlanes(target, w, sums);
    factors.forEach((factor, r) => {
      kernel.addScaled(target + 2 * w * r, work + 2 * w * r, w, ...towerBytes(factor));
    });
    const expected = sums.map((row, r) => row.map((symbol, c) => symbol ^ products[r]![c]!));
    expect(bench.planes(target, w, count)).toEqual(expected);
    expect(bench.planes(work, w, count)).toEqual(table);
  });

  it.each([1, 2, 4] as const)('combineRows%i', (outputs) => {
    const combine = { 1: kernel.combineRows1, 2: kernel.combineRows2, 4: kernel.combineRows4 };
    for (const [k, w] of [
      [1, 32],
      [8, 64],
      [33, 96],
    ] as const) {
      const next = numbers(k);
      const table = randomTable(k, w, 17);
      const coefficients = Array.from({ length: outputs }, () =>
        table.map((_, r) => FACTORS[r] ?? next()),
      ).map((row, output) => (output === 0 ? row : row.map(() => next())));
      const work = bench.take(2 * w * k);
      const out = bench.take(2 * w * outputs + 64);
      const guard = bench.bytes(out + 2 * w * outputs, 64);
      bench.putPlanes(work, w, table);
      const list = bench.list(
        table.flatMap((_, r) => coefficients.flatMap((row) => tableAddresses(row[r]!))),
      );
      combine[outputs](work, w, k, list, out);
      const expected = coefficients.map((row) =>
        table[0]!.map((_, c) => row.reduce((sum, a, r) => sum ^ multiply(a, table[r]![c]!), 0)),
      );
      expect(bench.planes(out, w, outputs)).toEqual(expected);
      expect(bench.bytes(out + 2 * w * outputs, 64)).toEqual(guard);
    }
  });
});
