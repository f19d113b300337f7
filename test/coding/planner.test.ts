/**
 * @module
 * The planner follows the costs: it takes what the case allows, and what the host does faster.
 */

import { describe, expect, it } from 'vitest';
import { codeLayout } from '../../src/coding/code-layout.ts';
import { TYPICAL_COSTS } from '../../src/coding/host-costs.ts';
import {
  choosePath,
  type DecodeCase,
  pathCostMs,
  possiblePaths,
} from '../../src/coding/planner.ts';

const COSTS = TYPICAL_COSTS.simd_relaxed;

/** A case at n = 1000 with 10 MiB, in which so many data chunks were replaced by the first parity. */
function missing(count: number, wantsRoot = false): DecodeCase {
  const layout = codeLayout(1000, 40_960);
  const k = layout.systematicThreshold;
  const used = Array.from({ length: k }, (_, i) => count + i);
  return { ...layout, used, wantsRoot };
}

describe('possiblePaths', () => {
  it('moves bytes only where all data chunks are there', () => {
    expect(possiblePaths(missing(0))).toContain('transposition');
    expect(possiblePaths(missing(1))).not.toContain('transposition');
  });

  it('takes coefficient rows for few missing of exactly k', () => {
    expect(possiblePaths(missing(0))).not.toContain('rows');
    expect(possiblePaths(missing(1))).toContain('rows');
    expect(possiblePaths(missing(100))).not.toContain('rows');
    const more = missing(1);
    expect(possiblePaths({ ...more, used: [...more.used, 500] })).not.toContain('rows');
  });

  it('reveals only where the other positions are wanted', () => {
    expect(possiblePaths(missing(5))).not.toContain('reveal');
    expect(possiblePaths(missing(5, true))).toContain('reveal');
  });
});

describe('choosePath', () => {
  it('moves bytes where that is enough', () => {
    expect(choosePath(missing(0), COSTS).path).toBe('transposition');
    expect(choosePath(missing(0, true), COSTS).path).toBe('transposition');
  });

  it('crosses from rows to blocks between 8 and 30 missing of 256', () => {
    const crossing = Array.from({ length: 64 }, (_, i) => i + 1).find(
      (count) => choosePath(missing(count), COSTS).path === 'blocks',
    );
    expect(crossing).toBeGreaterThan(8);
    expect(crossing).toBeLessThan(30);
  });

  it('follows the host: dear products move the crossing down, dear butterflies up', () => {
    const dearProducts = { ...COSTS, product: 20 * COSTS.product };
    const dearButterflies = { ...COSTS, butterfly: 20 * COSTS.butterfly };
    expect(choosePath(missing(8), dearProducts).path).toBe('blocks');
    expect(choosePath(missing(40), dearButterflies).path).toBe('rows');
  });

  it('takes the forced path where the case allows it, and its own choice where not', () => {
    expect(choosePath(missing(1), COSTS, 'blocks').path).toBe('blocks');
    expect(choosePath(missing(1), COSTS, 'transposition').path).toBe('rows');
    expect(choosePath(missing(5, true), COSTS, 'reveal').path).toBe('reveal');
  });
});

describe('pathCostMs', () => {
  it('grows with columns and with what is missing', () => {
    const one = missing(1);
    const wider = { ...one, columns: 2 * one.columns };
    expect(pathCostMs('rows', wider, COSTS)).toBeGreaterThan(pathCostMs('rows', one, COSTS));
    expect(pathCostMs('rows', missing(9), COSTS)).toBeGreaterThan(pathCostMs('rows', one, COSTS));
  });
});
