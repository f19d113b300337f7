/**
 * @module
 * Cuts ranges of columns and lists of rows into pieces that make tasks of a useful size. No costs are
 * known here; they are handed in.
 */

import type { ColumnRange } from '../erasure/kernel/index.ts';

/**
 * Time that a task is to take, in ms: long against the hand-over to another thread (6 to 30 µs), short
 * against what a small job may have to wait for a thread (one task).
 */
export const TASK_MS = 1.5;

/** Below this, in ms, a task isn't worth being cut for the sake of idle threads. */
const MIN_TASK_MS = 0.2;

/** How to cut: estimated ms of all of it on one thread, and the threads that may share it. */
export type Cut = {
  readonly costMs: number;
  /** Workers that do it; 0 where the calling thread does it all. */
  readonly threads: number;
};

/**
 * Into how many pieces. 1 without workers, where nothing can come between two pieces; with a single worker
 * pieces are for other jobs to pass between, and for the job to be given up.
 */
export function pieceCount({ costMs, threads }: Cut): number {
  if (threads === 0) {
    return 1;
  }
  const bySize = Math.ceil(costMs / TASK_MS);
  const forAll = Math.min(threads, Math.floor(costMs / MIN_TASK_MS));
  const count = Math.max(bySize, forAll);
  // Whatever the cost: none at all would leave the work undone, and what lies in memory would be its result.
  return Number.isNaN(count) ? 1 : Math.max(1, count);
}

/**
 * Cuts columns into ranges of whole stripes. Every range but the last is a multiple of `stripe` wide.
 *
 * @param stripe - Columns that a kernel takes at a time, a multiple of the kernel's column alignment.
 */
export function cutColumns({ from, to }: ColumnRange, stripe: number, cut: Cut): ColumnRange[] {
  const stripes = Math.ceil((to - from) / stripe);
  return cutCount(stripes, cut).map((piece) => ({
    from: from + piece.from * stripe,
    to: Math.min(to, from + piece.to * stripe),
  }));
}

/** Cuts `0 .. count-1` into ranges of about equal size; `multiple` divides every start. */
export function cutCount(count: number, cut: Cut, multiple = 1): ColumnRange[] {
  const units = Math.ceil(count / multiple);
  const pieces = Math.min(units, pieceCount(cut));
  return Array.from({ length: pieces }, (_, i) => ({
    from: Math.floor((i * units) / pieces) * multiple,
    to: Math.min(count, Math.floor(((i + 1) * units) / pieces) * multiple),
  }));
}
