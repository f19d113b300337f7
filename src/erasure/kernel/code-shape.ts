/**
 * @module
 * Where rows, columns and work rows of codec v1 lie in a kernel's memory, and how wide stripes are.
 */

import type { ColumnRange } from '../engine.ts';
import { WORK_BYTES } from './kernel-context.ts';

/** First columns of ranges are multiples of it, and the kernel works on whole groups of so many. */
export const COLUMN_ALIGNMENT = 32;

/** Bytes that a stretch of row is aligned to, one cache line. */
const LINE_BYTES = 64;

/** Bytes of a page. Rows this far apart, or a multiple of it, fall into the same few lines of the cache. */
const PAGE_BYTES = 4096;

/**
 * Chunk rows to be written: column `c` of row `r` goes to `start + r * stride + 2 * (c - firstColumn)`. The
 * kernel writes whole groups of columns: up to 62 bytes of garbage follow a row's last column.
 */
export type OutputRows = {
  /** Address of row 0 at `firstColumn`; a multiple of 64. */
  readonly start: number;
  /** Bytes from row to row, see {@link rowStride}. */
  readonly stride: number;
  /** The column that lies at `start`; a multiple of {@link COLUMN_ALIGNMENT}. */
  readonly firstColumn: number;
};

/** Columns rounded up to whole groups of {@link COLUMN_ALIGNMENT}. */
export function paddedColumns(columns: number): number {
  return Math.ceil(columns / COLUMN_ALIGNMENT) * COLUMN_ALIGNMENT;
}

/**
 * Bytes from chunk row to chunk row: whole lines, and one more where the rows would lie a multiple of a
 * page apart. The extra line halves the time of moving a payload to rows (1.1 ms instead of 2.1 or more
 * for 10 MiB in 256 rows of 40 KiB).
 */
export function rowStride(chunkBytes: number): number {
  const lines = Math.ceil(chunkBytes / LINE_BYTES) * LINE_BYTES;
  return lines % PAGE_BYTES === 0 ? lines + LINE_BYTES : lines;
}

/** Bytes that a payload of so many columns takes in a kernel's memory, whole groups of columns. */
export function payloadBytesInArena(systematicThreshold: number, columns: number): number {
  return 2 * systematicThreshold * paddedColumns(columns);
}

/**
 * Most symbols of k work rows in one stripe. 64 K symbols are 128 KiB: the two to five sets of rows of a
 * job then stay in the second-level cache.
 */
const STRIPE_SYMBOLS = 65_536;

/** Most columns of a stripe, unless the k work rows then have fewer symbols than {@link SHORT_SYMBOLS}. */
const STRIPE_COLUMNS = 256;

/** 32 KiB: with fewer a stripe is so short that the calls for it count. */
const SHORT_SYMBOLS = 16_384;

/** Fewer columns than this defeat the prefetcher when rows are read: 25.9 instead of 18.9 ms for decoding. */
const LEAST_STRIPE_COLUMNS = 128;

/**
 * Columns of each stripe but the last, a multiple of {@link COLUMN_ALIGNMENT}.
 *
 * @param systematicThreshold - Rows of one set, k.
 * @param sets - Sets of k work rows that the job holds at once; with 4 or fewer there is room for any k.
 */
export function stripeWidth(systematicThreshold: number, sets: number): number {
  const k = systematicThreshold;
  const short = Math.max(STRIPE_COLUMNS, SHORT_SYMBOLS / k);
  const wanted = Math.max(LEAST_STRIPE_COLUMNS, Math.min(short, STRIPE_SYMBOLS / k));
  const fitting = Math.floor(WORK_BYTES / (2 * k * sets) / COLUMN_ALIGNMENT) * COLUMN_ALIGNMENT;
  return Math.min(wanted, fitting);
}

/** Calls `work` for each stripe of a range with its first column and its columns, whole groups. */
export function eachStripeOf(
  columns: ColumnRange,
  width: number,
  work: (first: number, w: number) => void,
): void {
  for (let first = columns.from; first < columns.to; first += width) {
    work(first, Math.min(width, paddedColumns(columns.to - first)));
  }
}
