/**
 * @module
 * The committed bytes of the kernel are those of its source, and the one byte that makes them fit a shared
 * memory is the only one.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kernelBytes } from '../../../src/erasure/kernel/kernel.ts';
import { TABLES_END } from '../../../src/erasure/kernel/memory-map.ts';
import { buildFor } from '../../../src/erasure/kernel/wat/build.ts';
import { kernelData, kernelFunctions } from '../../../src/erasure/kernel/wat/kernel-text.ts';
import { assembleKernel, kernelBytesSource } from '../../kernel/assemble.ts';
import { KernelBench, SIMD_ENGINES } from './kernel-bench.ts';

const COMMITTED = new URL('../../../src/erasure/kernel/kernel-bytes.ts', import.meta.url);

/** Far above today's size: kernels stay small and rolled, because large ones fall off a cliff of speed. */
const MOST_BYTES = 96 * 1024;

describe('kernel-bytes.ts', () => {
  it('is what `npm run kernel` writes', async () => {
    const isEqual = readFileSync(COMMITTED, 'utf8') === (await kernelBytesSource());
    expect(isEqual, 'kernel-bytes.ts differs from its source: npm run kernel').toBe(true);
  });

  it('stays small', () => {
    for (const engine of SIMD_ENGINES) {
      expect(kernelBytes({ engine, isShared: false }).length).toBeLessThan(MOST_BYTES);
    }
  });
});

describe.each(SIMD_ENGINES)('kernelBytes of %s', (engine) => {
  it('are made to fit a shared memory by one byte, as the assembler makes them', async () => {
    const shared = kernelBytes({ engine, isShared: true });
    const plain = kernelBytes({ engine, isShared: false });
    const isRelaxed = engine === 'simd_relaxed';
    expect(Buffer.compare(shared, await assembleKernel({ isRelaxed, isShared: true }))).toBe(0);
    expect(shared.filter((byte, i) => byte !== plain[i])).toHaveLength(1);
  });

  it('use relaxed instructions in the relaxed build only', () => {
    const text = kernelFunctions(buildFor(engine === 'simd_relaxed'))
      .map((each) => each.text)
      .join('\n');
    expect(text.includes('relaxed')).toBe(engine === 'simd_relaxed');
  });

  it('export every function of the text, each once', () => {
    const names = kernelFunctions(buildFor(true)).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(new KernelBench(engine).kernel).sort()).toEqual([...names].sort());
  });
});

describe('tables', () => {
  it('lie apart, above 0 and below the end', () => {
    const places = kernelData.map(({ address, bytes }) => [address, address + bytes.length]);
    places.sort(([a = 0], [b = 0]) => a - b);
    let end = 16;
    for (const [start = 0, next = 0] of places) {
      expect(start).toBeGreaterThanOrEqual(end);
      end = next;
    }
    expect(end).toBeLessThanOrEqual(TABLES_END);
  });
});
