import { describe, expect, it } from 'vitest';
import { castDemo } from '../../../src/cli/demo/cast.ts';
import { systematicThreshold } from '../../../src/primitives/thresholds.ts';

const SIZES = [4, 5, 6, 7, 8, 9, 10, 12, 13, 16, 20, 33, 64, 100, 128];
const SEEDS = [undefined, new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];

describe('castDemo', () => {
  it.each(SIZES)('leaves every recovery of %i validators its outcome', (n) => {
    for (const seed of SEEDS) {
      const cast = castDemo(n, { canStop: true, seed });
      const k = systematicThreshold(n);
      const { backers, systematicHolders, own, faults, honest, goneAtLast } = cast;
      const what = `n ${n}, ${seed === undefined ? 'rfc47' : 'chacha8'}`;
      // Everybody plays exactly one part.
      const parts = [...backers, own, ...faults.keys(), ...honest];
      expect(
        parts.sort((a, b) => a - b),
        what,
      ).toEqual(Array.from({ length: n }, (_, v) => v));
      expect(
        systematicHolders.filter((v) => backers.includes(v) || v === own),
        what,
      ).toEqual([]);
      expect(systematicHolders.length, what).toBe(k);
      // Second: the systematic holders are there. Third: not all of them, but enough others.
      expect(
        systematicHolders.some((v) => faults.has(v)),
        what,
      ).toBe(true);
      expect(honest.length + 1, what).toBeGreaterThanOrEqual(k);
      // Fourth: one too few.
      expect(honest.length - goneAtLast.length + 1, what).toBeLessThan(k);
    }
  });

  it.each(SIZES.filter((n) => n >= 7))('has room for each fault with %i validators', (n) => {
    const { faults } = castDemo(n, { canStop: true, seed: undefined });
    expect(new Set(faults.values())).toEqual(new Set(['gone', 'lies', 'stopped', 'flipped_byte']));
  });

  it('gives every fault to a systematic holder where there are four', () => {
    const { faults, systematicHolders } = castDemo(12, { canStop: true, seed: undefined });
    expect([...faults.keys()].sort((a, b) => a - b)).toEqual(systematicHolders);
  });

  it('stops nobody where the system cannot', () => {
    const { faults } = castDemo(12, { canStop: false, seed: undefined });
    expect([...faults.values()].filter((fault) => fault === 'gone').length).toBe(2);
    expect([...faults.values()]).not.toContain('stopped');
  });
});
