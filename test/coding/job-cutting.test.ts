/**
 * @module
 * Pieces cover everything once, begin where kernels can begin, and are as large as they should be.
 */

import { describe, expect, it } from 'vitest';
import { cutColumns, cutCount, pieceCount, TASK_MS } from '../../src/coding/job-cutting.ts';

describe('pieceCount', () => {
  it('leaves a job whole where the calling thread does everything', () => {
    expect(pieceCount({ costMs: 1_000, threads: 0 })).toBe(1);
  });

  it('makes tasks of the wanted time', () => {
    expect(pieceCount({ costMs: 10 * TASK_MS, threads: 2 })).toBe(10);
    expect(pieceCount({ costMs: 10 * TASK_MS, threads: 1 }), 'to let others pass').toBe(10);
  });

  it('gives every thread something of a job that is worth it', () => {
    expect(pieceCount({ costMs: 1, threads: 4 })).toBe(4);
    expect(pieceCount({ costMs: 0.1, threads: 4 })).toBe(1);
  });

  it('never leaves a job undone, whatever it is said to cost', () => {
    for (const costMs of [Number.NaN, 0, -5]) {
      expect(pieceCount({ costMs, threads: 2 })).toBe(1);
      expect(cutCount(7, { costMs, threads: 2 })).toEqual([{ from: 0, to: 7 }]);
    }
  });
});

describe('cutColumns', () => {
  it.each([
    { columns: 1, stripe: 32 },
    { columns: 255, stripe: 256 },
    { columns: 20_480, stripe: 256 },
    { columns: 20_481, stripe: 128 },
  ])('covers $columns columns once, in whole stripes of $stripe', ({ columns, stripe }) => {
    const pieces = cutColumns({ from: 64, to: 64 + columns }, stripe, { costMs: 30, threads: 2 });
    expect(pieces[0]?.from).toBe(64);
    expect(pieces.at(-1)?.to).toBe(64 + columns);
    pieces.slice(1).forEach((piece, i) => {
      expect(piece.from).toBe(pieces[i]?.to);
      expect((piece.from - 64) % stripe).toBe(0);
    });
    expect(pieces.every(({ from, to }) => to > from)).toBe(true);
  });

  it('makes nothing of nothing', () => {
    expect(cutColumns({ from: 0, to: 0 }, 32, { costMs: 0, threads: 2 })).toEqual([]);
  });
});

describe('cutCount', () => {
  it('begins every piece at a multiple', () => {
    const pieces = cutCount(103, { costMs: 20, threads: 2 }, 20);
    expect(pieces.map(({ from }) => from % 20)).toEqual(pieces.map(() => 0));
    expect(pieces.at(-1)?.to).toBe(103);
    expect(pieces.reduce((sum, { from, to }) => sum + to - from, 0)).toBe(103);
  });
});
