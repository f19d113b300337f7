/**
 * @module
 * Kernel functions over plain bytes.
 */

import { describe, expect, it } from 'vitest';
import { KernelBench, randomTable, SIMD_ENGINES } from './kernel-bench.ts';

describe.each(SIMD_ENGINES)('bytes on %s', (engine) => {
  const bench = new KernelBench(engine);
  const { kernel } = bench;

  it.each([0, 1, 15, 16, 17, 64, 1000])('clear zeroes %i bytes and no others', (count) => {
    const at = bench.take(2048);
    const before = bench.bytes(at, 2048);
    kernel.clear(at + 100, count);
    before.fill(0, 100, 100 + count);
    expect(bench.bytes(at, 2048)).toEqual(before);
  });

  it('copy moves ranges that overlap', () => {
    const at = bench.take(512);
    const before = bench.bytes(at, 512);
    kernel.copy(at + 3, at, 300);
    before.copyWithin(3, 0, 300);
    expect(bench.bytes(at, 512)).toEqual(before);
  });

  it('copyList copies each range in order, and none of an empty list', () => {
    const from = bench.take(256);
    const to = bench.take(256);
    const expected = bench.bytes(to, 256);
    const source = bench.bytes(from, 256);
    const list = bench.list([from, to + 1, 70, from + 9, to + 30, 0, from + 100, to + 50, 33]);
    kernel.copyList(list, 0);
    expect(bench.bytes(to, 256)).toEqual(expected);
    kernel.copyList(list, 3);
    expected.set(source.subarray(0, 70), 1);
    expected.set(source.subarray(100, 133), 50);
    expect(bench.bytes(to, 256)).toEqual(expected);
  });

  it('equal sees a difference in every byte, and none outside', () => {
    const a = bench.take(256);
    const b = bench.take(256);
    for (const count of [0, 1, 15, 16, 31, 32, 33, 100]) {
      kernel.copy(b, a, 256);
      bench.context.bytes()[b + count]! ^= 1;
      expect(kernel.equal(a, b, count), `${count} bytes`).toBe(1);
      bench.context.bytes()[b + count]! ^= 1;
      for (let i = 0; i < count; i += 1) {
        bench.context.bytes()[b + i]! ^= 0x80;
        expect(kernel.equal(a, b, count), `byte ${i} of ${count}`).toBe(0);
        bench.context.bytes()[b + i]! ^= 0x80;
      }
    }
  });

  it('addRows adds', () => {
    const a = bench.take(256);
    const b = bench.take(256);
    bench.putRows(b, 0, randomTable(1, 128, 3));
    const expected = bench.bytes(a, 256);
    const source = bench.bytes(b, 256);
    source.subarray(0, 160).forEach((byte, i) => {
      expected[i]! ^= byte;
    });
    kernel.addRows(a, b, 160);
    expect(bench.bytes(a, 256)).toEqual(expected);
    expect(bench.bytes(b, 256)).toEqual(source);
  });
});
