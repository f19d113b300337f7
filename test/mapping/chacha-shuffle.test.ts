/**
 * @module
 * The seed of the shuffle: which inputs it depends on and which it refuses.
 */

import { describe, expect, it } from 'vitest';
import { shuffledOrder, shuffleSeed } from '../../src/mapping/chacha-shuffle.ts';
import { toHex } from '../../src/primitives/bytes.ts';

const source = { epochRandomness: new Uint8Array(32).fill(1), sessionIndex: 7, slot: 9n };

describe('shuffleSeed', () => {
  it('is 32 bytes that depend on each part', () => {
    const seeds = [
      shuffleSeed(source),
      shuffleSeed({ ...source, epochRandomness: new Uint8Array(32).fill(2) }),
      shuffleSeed({ ...source, sessionIndex: 8 }),
      shuffleSeed({ ...source, slot: 10n }),
      shuffleSeed({ ...source, sessionIndex: 9, slot: 7n }),
    ].map(toHex);
    expect(new Set(seeds).size).toBe(5);
    expect(seeds.every((seed) => seed.length === 64)).toBe(true);
  });

  it.each([
    ['randomness of 31 bytes', { epochRandomness: new Uint8Array(31) }],
    ['a negative session', { sessionIndex: -1 }],
    ['a session beyond 32 bits', { sessionIndex: 2 ** 32 }],
    ['a negative slot', { slot: -1n }],
    ['a slot beyond 64 bits', { slot: 2n ** 64n }],
  ])('refuses %s', (_, wrong) => {
    expect(() => shuffleSeed({ ...source, ...wrong })).toThrow(RangeError);
  });
});

describe('shuffledOrder', () => {
  it('does not keep or change the seed', () => {
    const seed = new Uint8Array(32).fill(3);
    const first = shuffledOrder(50, seed);
    expect(seed).toEqual(new Uint8Array(32).fill(3));
    expect(shuffledOrder(50, seed)).toEqual(first);
  });
});
