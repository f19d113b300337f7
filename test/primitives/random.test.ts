/**
 * @module
 * Draws and shuffles on a source whose words are known.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChaCha8 } from '../../src/primitives/chacha8.ts';
import { drawBelow, type Random, shuffle } from '../../src/primitives/random.ts';
import { SEED, seeded } from '../support/seed.ts';

/** Gives the listed words, then fails. */
const listed = (...list: number[]): Random => ({
  nextU32: () => {
    const word = list.shift();
    if (word === undefined) {
      throw new Error('no words left');
    }
    return word;
  },
});

const u32 = fc.nat(2 ** 32 - 1);

describe('drawBelow', () => {
  it('passes over words whose low product is above the zone', () => {
    // Bound 3 has the zone 0xbfffffff: 3 * 0xffffffff ends in 0xfffffffd, 3 * 0x80000000 in 0x80000000.
    expect(drawBelow(listed(0xffff_ffff, 0x8000_0000), 3)).toBe(1);
    // Bound 1 has the zone 0x7fffffff, so half of all words are passed over.
    expect(drawBelow(listed(0x8000_0000, 0xffff_ffff, 0x7fff_ffff), 1)).toBe(0);
  });

  it(seeded('is the high half of word times bound, exactly'), () => {
    fc.assert(
      fc.property(u32, fc.integer({ min: 1, max: 2 ** 32 - 1 }), (word, bound) => {
        const wide = BigInt(word) * BigInt(bound);
        const zone = (BigInt(bound) << BigInt(Math.clz32(bound))) - 1n;
        const isTaken = (wide & 0xffff_ffffn) <= zone;
        const source = listed(word, 0);
        expect(drawBelow(source, bound)).toBe(isTaken ? Number(wide >> 32n) : 0);
      }),
      { seed: SEED, numRuns: 2000 },
    );
  });

  it('draws every value below a small bound about equally often', () => {
    const stream = new ChaCha8(new Uint8Array(32).fill(1));
    const counts = new Array<number>(7).fill(0);
    for (let i = 0; i < 7000; i += 1) {
      counts[stream.nextBelow(7)]! += 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(880);
    expect(Math.max(...counts)).toBeLessThan(1120);
  });

  it.each([0, -1, 1.5, 2 ** 32, Number.NaN])('refuses bound %d', (bound) => {
    expect(() => drawBelow(listed(), bound)).toThrow(RangeError);
  });
});

describe('shuffle', () => {
  it('draws nothing for no element and for one', () => {
    const single = ['a'];
    shuffle([], listed());
    shuffle(single, listed());
    expect(single).toEqual(['a']);
  });

  it('swaps from the last element down', () => {
    const items = ['a', 'b', 'c', 'd'];
    // Words of 0 are taken for every bound and draw 0: each element changes places with the first.
    shuffle(items, listed(0, 0, 0));
    expect(items).toEqual(['b', 'c', 'd', 'a']);
  });

  it(seeded('keeps all elements, of any type'), () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat())), fc.nat(255), (items, fill) => {
        const shuffled = [...items];
        shuffle(shuffled, new ChaCha8(new Uint8Array(32).fill(fill)));
        const sorted = (list: (number | null)[]): string => list.map(String).sort().join();
        expect(sorted(shuffled)).toBe(sorted(items));
      }),
      { seed: SEED, numRuns: 100 },
    );
  });
});
