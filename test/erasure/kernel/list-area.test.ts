/**
 * @module
 * Lists that fit lie where they were put; lists that do not are put on the stage at each use.
 */

import { describe, expect, it } from 'vitest';
import { createContext, KernelMemory, LIST_BYTES } from '../../../src/erasure/kernel/index.ts';
import { ListArea } from '../../../src/erasure/kernel/list-area.ts';

describe('ListArea', () => {
  const context = createContext(new KernelMemory({ isShared: false, maxBytes: 2 ** 23 }), 'simd')!;
  const longest = 256 * 1024;
  const listOf = (value: number): Uint32Array => new Uint32Array(longest / 4).fill(value);
  const wordsAt = (address: number): Uint32Array =>
    context.words().slice(address >>> 2, (address + longest) >>> 2);

  it('keeps lists side by side while there is room, and gives every one when it is asked for', () => {
    const lists = new ListArea(context);
    const placed = [1, 2, 3, 4, 5, 6].map((value) => lists.place(listOf(value), 4));
    expect(placed.map(({ count }) => count)).toEqual(new Array(6).fill(longest / 16));
    for (const round of [0, 1]) {
      placed.forEach((list, i) => {
        const address = lists.address(list);
        expect(wordsAt(address), `list ${i}, round ${round}`).toEqual(listOf(i + 1));
        expect(address).toBeGreaterThanOrEqual(context.lists);
        expect(address + longest).toBeLessThanOrEqual(context.lists + LIST_BYTES);
      });
    }
    const addresses = placed.map((list) => lists.address(list));
    expect(new Set(addresses).size).toBe(4);
  });

  it('takes empty lists', () => {
    const lists = new ListArea(context);
    expect(lists.place(new Uint32Array(0), 2).count).toBe(0);
  });
});
