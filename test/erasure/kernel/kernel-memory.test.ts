/**
 * @module
 * The arena: regions, growth, the cap; and contexts on it.
 */

import { describe, expect, it } from 'vitest';
import { kernelModule } from '../../../src/erasure/kernel/kernel.ts';
import {
  attachContext,
  createContext,
  giveAreas,
  LIST_BYTES,
  SCRATCH_BYTES,
  takeAreas,
  WORK_BYTES,
} from '../../../src/erasure/kernel/kernel-context.ts';
import { KernelMemory } from '../../../src/erasure/kernel/kernel-memory.ts';
import { PRODUCTS, TABLES_END } from '../../../src/erasure/kernel/memory-map.ts';
import { numbers } from './kernel-bench.ts';

const MiB = 1024 * 1024;

const memoryOf = (maxBytes: number, isShared = false): KernelMemory =>
  new KernelMemory({ isShared, maxBytes });

describe.each([false, true])('KernelMemory, shared: %s', (isShared) => {
  it('gives aligned regions behind the tables that do not overlap', () => {
    const memory = memoryOf(16 * MiB, isShared);
    const regions = [0, 1, 64, 65, 100_000].map((size) => [memory.take(size)!, size] as const);
    let end = TABLES_END;
    for (const [address, size] of regions) {
      expect(address % 64).toBe(0);
      expect(address).toBeGreaterThanOrEqual(end);
      end = address + size;
    }
    expect(memory.usedBytes).toBe(64 + 64 + 64 + 128 + 100_032);
    expect(memory.bytes().length).toBeGreaterThanOrEqual(end);
  });

  it('renews its views when it grows', () => {
    const memory = memoryOf(32 * MiB, isShared);
    const address = memory.take(100)!;
    const views = KernelMemory.attach(memory.memory);
    memory.bytes()[address] = 7;
    expect(views.bytes()[address]).toBe(7);
    const far = memory.take(20 * MiB)!;
    memory.words()[(far + 20 * MiB - 4) / 4] = 0x01020304;
    expect(memory.bytes()[address]).toBe(7);
    expect(views.bytes()[far + 20 * MiB - 1]).toBe(1);
    expect(views.words()[(far + 20 * MiB - 4) / 4]).toBe(0x01020304);
    expect(memory.bytes()).toBe(memory.bytes());
  });

  it('refuses to pass its cap, and then is as it was', () => {
    const memory = memoryOf(8 * MiB, isShared);
    const first = memory.take(6 * MiB)!;
    expect(memory.take(4 * MiB)).toBeUndefined();
    expect(memory.take(2 ** 40)).toBeUndefined();
    expect(memory.usedBytes).toBe(6 * MiB);
    expect(memory.take(1 * MiB)).toBeDefined();
    memory.give(first);
    expect(memory.take(6 * MiB)).toBe(first);
    expect(memory.heldBytes).toBeLessThanOrEqual(8 * MiB);
  });
});

describe('KernelMemory', () => {
  it('uses again what was given back, merged, and does not grow', () => {
    const memory = memoryOf(64 * MiB);
    const addresses = Array.from({ length: 6 }, () => memory.take(MiB)!);
    for (const i of [1, 3, 2]) {
      memory.give(addresses[i]!);
    }
    expect(memory.take(3 * MiB)).toBe(addresses[1]);
    memory.give(addresses[5]!);
    memory.give(addresses[4]!);
    const { heldBytes } = memory;
    expect(memory.take(2 * MiB + 64)).toBe(addresses[4]);
    expect(memory.heldBytes - heldBytes).toBeLessThanOrEqual(4 * MiB);
  });

  it('refuses an address that is not taken', () => {
    const memory = memoryOf(MiB);
    const address = memory.take(64)!;
    expect(() => memory.give(address + 64)).toThrow(RangeError);
    memory.give(address);
    expect(() => memory.give(address)).toThrow(RangeError);
  });

  it.each([0, 65_535, Number.NaN, -1])('refuses a cap of %d bytes', (maxBytes) => {
    expect(() => memoryOf(maxBytes)).toThrow('maxBytes: expected at least 65536');
  });

  it('keeps its regions apart and counts them, over 2,000 random calls', () => {
    const memory = memoryOf(16 * MiB);
    const next = numbers(77);
    const taken = new Map<number, number>();
    for (let i = 0; i < 2000; i += 1) {
      const some = [...taken.keys()];
      if (next() % 2 === 0 && some.length > 0) {
        const address = some[next() % some.length]!;
        memory.give(address);
        taken.delete(address);
      } else {
        const size = next() * (next() % 3);
        const address = memory.take(size);
        if (address !== undefined) {
          const end = address + size;
          for (const [other, otherSize] of taken) {
            expect(end <= other || other + otherSize <= address, `${address}, ${other}`).toBe(true);
          }
          taken.set(address, Math.max(64, Math.ceil(size / 64) * 64));
        }
      }
      const used = [...taken.values()].reduce((sum, size) => sum + size, 0);
      expect(memory.usedBytes).toBe(used);
    }
    for (const address of taken.keys()) {
      memory.give(address);
    }
    expect(memory.usedBytes).toBe(0);
    expect(memory.take(15 * MiB)).toBe(TABLES_END);
  });
});

describe('contexts', () => {
  it('have areas of their own on one memory, and one set of tables', () => {
    const memory = memoryOf(16 * MiB, true);
    const first = createContext(memory, 'simd')!;
    const areas = takeAreas(memory)!;
    const second = attachContext({
      ...{ memory: memory.memory, isShared: true, engine: 'simd_relaxed', areas },
      module: kernelModule({ engine: 'simd_relaxed', isShared: true }),
    });
    expect(first.engine).toBe('simd');
    expect(second.engine).toBe('simd_relaxed');
    const starts = [first, second].flatMap(({ work, lists, scratch }) => [work, lists, scratch]);
    const sizes = [WORK_BYTES, LIST_BYTES, SCRATCH_BYTES];
    starts.forEach((start, i) => {
      const end = start + sizes[i % 3]!;
      const others = starts.filter((other) => other !== start);
      expect(others.every((other) => other < start || other >= end)).toBe(true);
    });
    expect(second.bytes()[PRODUCTS + 32 + 5]).toBe(5);
    second.bytes()[areas.work] = 9;
    first.kernel.copy(first.work, second.work, 1);
    expect(first.bytes()[first.work]).toBe(9);
  });

  it('are not made where the memory has no room, and nothing is taken', () => {
    const memory = memoryOf(MiB);
    expect(createContext(memory, 'simd')).toBeUndefined();
    expect(memory.usedBytes).toBe(0);
  });

  it('give their areas back', () => {
    const memory = memoryOf(8 * MiB);
    const areas = takeAreas(memory)!;
    giveAreas(memory, areas);
    expect(memory.usedBytes).toBe(0);
    expect(takeAreas(memory)).toEqual(areas);
  });
});
