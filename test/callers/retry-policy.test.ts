import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { APPROVAL_CHECK_TIMEOUT_MS } from '../../src/callers/requests.ts';
import {
  APPROVAL_RETRY,
  COLLATOR_RETRY,
  checkPolicy,
  drawDelay,
  FULL_NODE_RETRY,
} from '../../src/callers/retry-policy.ts';
import { ChaCha8 } from '../../src/primitives/chacha8.ts';
import { SEED, seeded } from '../support/seed.ts';

const random = (seed: number): ChaCha8 => new ChaCha8(new Uint8Array(32).fill(seed));

describe('the policies by role', () => {
  it('gives approval 16 retries, 60 s apart, after unavailable alone', () => {
    expect(APPROVAL_RETRY).toEqual({
      tries: 1 + 16,
      delay: { minMs: 60_000, maxMs: 60_000 },
      isFirstDelayed: false,
      repeatAfter: ['unavailable'],
    });
    expect(APPROVAL_RETRY.delay.minMs).toBe(APPROVAL_CHECK_TIMEOUT_MS / 2);
  });

  it('gives collators half to one relay slot before each try, one retry, all errors alike', () => {
    expect(COLLATOR_RETRY).toEqual({
      tries: 2,
      delay: { minMs: 3_000, maxMs: 6_000 },
      isFirstDelayed: true,
      repeatAfter: ['unavailable', 'invalid', 'local_fault'],
    });
  });

  it('F-35: gives full nodes 25 to 50 relay slots, as a setting', () => {
    expect(FULL_NODE_RETRY).toEqual({
      ...COLLATOR_RETRY,
      delay: { minMs: 150_000, maxMs: 300_000 },
    });
    const hasty = { ...FULL_NODE_RETRY, delay: { minMs: 0, maxMs: 1_000 } };
    expect(checkPolicy(hasty)).toBe(hasty);
  });
});

describe('checkPolicy', () => {
  it.each([
    [{ tries: 0 }, 'tries: expected an integer of at least 1, got 0'],
    [{ tries: 1.5 }, 'tries: expected an integer of at least 1, got 1.5'],
    [
      { delay: { minMs: -1, maxMs: 1 } },
      'delay.minMs: expected an integer in 0..2147483647, got -1',
    ],
    [{ delay: { minMs: 2, maxMs: 1 } }, 'delay.maxMs: expected an integer in 2..2147483647, got 1'],
    [
      { delay: { minMs: 0, maxMs: Number.POSITIVE_INFINITY } },
      'delay.maxMs: expected an integer in 0..2147483647, got Infinity',
    ],
  ])('F-09: refuses %j', (fields, message) => {
    expect(() => checkPolicy({ ...COLLATOR_RETRY, ...fields })).toThrow(new RangeError(message));
  });
});

describe('drawDelay', () => {
  it('draws nothing where both bounds are equal', () => {
    const chance = random(1);
    expect(drawDelay({ minMs: 7, maxMs: 7 }, chance)).toBe(7);
    expect(chance.nextU32()).toBe(random(1).nextU32());
  });

  it(seeded('stays within its bounds, draws both, and the same from the same seed'), () => {
    const bounds = fc.record({ minMs: fc.nat(1_000_000), widthMs: fc.nat(1_000_000) });
    fc.assert(
      fc.property(bounds, fc.nat(255), ({ minMs, widthMs }, seed) => {
        const range = { minMs, maxMs: minMs + widthMs };
        const delayMs = drawDelay(range, random(seed));
        expect(Number.isInteger(delayMs)).toBe(true);
        expect(delayMs).toBeGreaterThanOrEqual(range.minMs);
        expect(delayMs).toBeLessThanOrEqual(range.maxMs);
        expect(drawDelay(range, random(seed))).toBe(delayMs);
      }),
      { seed: SEED },
    );
    const chance = random(SEED % 256);
    const drawn = new Set(
      Array.from({ length: 100 }, () => drawDelay({ minMs: 3, maxMs: 5 }, chance)),
    );
    expect([...drawn].sort()).toEqual([3, 4, 5]);
  });
});
