/**
 * @module
 * Which engine is chosen, on hosts that can run everything, something or nothing.
 */

import { describe, expect, it } from 'vitest';
import {
  chooseEngine,
  detectEngine,
  ENGINE_IDS,
  type EngineId,
  engineOf,
  isEngineId,
} from '../../../src/erasure/kernel/engine-choice.ts';
import { webAssembly } from '../../../src/erasure/kernel/web-assembly.ts';

/** Whether a module has the bytes of an instruction. */
function has(module: Uint8Array, instruction: readonly number[]): boolean {
  return module.some((_, at) => instruction.every((byte, i) => module[at + i] === byte));
}

const RELAXED_SWIZZLE = [0xfd, 0x80, 0x02];

describe('engineOf', () => {
  it('takes the best that the host can run', () => {
    expect(engineOf(() => true)).toBe('simd_relaxed');
    expect(engineOf((module) => !has(module, RELAXED_SWIZZLE))).toBe('simd');
    expect(engineOf(() => false)).toBe('scalar');
  });

  it('asks with modules that are valid where the instructions are known', () => {
    const host = webAssembly();
    const asked: number[] = [];
    engineOf((module) => {
      asked.push(module.length);
      // Every host of the tests has plain SIMD.
      expect(has(module, RELAXED_SWIZZLE) || host?.validate(module)).toBe(true);
      return true;
    });
    expect(asked).toHaveLength(2);
  });
});

describe('detectEngine', () => {
  it('is the engine of this host', () => {
    const host = webAssembly();
    expect(detectEngine()).toBe(engineOf((module) => host?.validate(module) ?? false));
  });
});

describe('chooseEngine', () => {
  it('takes the best of the host by itself', () => {
    expect(chooseEngine()).toEqual({ id: detectEngine(), reason: 'detected' });
    expect(chooseEngine(undefined, 'option', 'simd')).toEqual({ id: 'simd', reason: 'detected' });
  });

  it('takes what is forced and says by whom', () => {
    for (const id of ENGINE_IDS) {
      const choice = chooseEngine(id, 'environment', 'simd_relaxed');
      expect(choice).toEqual({ id, reason: 'environment' });
    }
    expect(chooseEngine('scalar')).toEqual({ id: 'scalar', reason: 'option' });
  });

  it.each<[EngineId, EngineId]>([
    ['simd_relaxed', 'simd'],
    ['simd_relaxed', 'scalar'],
    ['simd', 'scalar'],
  ])('goes down from %s to %s where the host has no more', (wanted, best) => {
    const choice = { id: best, reason: 'fallback', wanted };
    expect(chooseEngine(wanted, 'option', best)).toEqual(choice);
  });
});

describe('isEngineId', () => {
  it('knows the names', () => {
    expect(ENGINE_IDS.every(isEngineId)).toBe(true);
    expect(['', 'SIMD', 'simd ', 'wasm'].some(isEngineId)).toBe(false);
  });
});
