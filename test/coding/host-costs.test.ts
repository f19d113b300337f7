/**
 * @module
 * The costs of the host are measured within their time, and stay typical where nothing can be measured.
 */

import { describe, expect, it } from 'vitest';
import { CALIBRATION_MS, measureHostCosts, TYPICAL_COSTS } from '../../src/coding/host-costs.ts';
import { createContext, KernelMemory } from '../../src/erasure/kernel/index.ts';

function newContext(): NonNullable<ReturnType<typeof createContext>> {
  const memory = new KernelMemory({ isShared: false, maxBytes: 16 * 1024 * 1024 });
  const context = createContext(memory, 'simd');
  if (context === undefined) {
    throw new Error('no room for a context');
  }
  return context;
}

describe('measureHostCosts', () => {
  it('finds costs above 0 with a clock that runs', () => {
    let now = 0;
    const costs = measureHostCosts(newContext(), () => {
      now += 0.1;
      return now;
    });
    const { hashKernel, ...numbers } = costs;
    expect(Object.values(numbers).every((cost) => cost > 0 && Number.isFinite(cost))).toBe(true);
    expect([undefined, 'pair', 'pairs', 'hybrid']).toContain(hashKernel);
    expect(costs.butterfly).not.toBe(TYPICAL_COSTS.simd.butterfly);
  });

  it('keeps the typical costs where the clock stands still', () => {
    const { hashKernel: _, ...costs } = measureHostCosts(newContext(), () => 0);
    expect(costs).toEqual(TYPICAL_COSTS.simd);
  });

  it('ends when its time is up', () => {
    let now = 0;
    let reads = 0;
    measureHostCosts(newContext(), () => {
      reads += 1;
      now += CALIBRATION_MS;
      return now;
    });
    expect(reads).toBeLessThan(20);
  });
});
