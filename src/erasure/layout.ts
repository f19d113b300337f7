/**
 * @module
 * Where the symbols of codec v1 lie in payloads and chunks, and how columns are cut into stripes.
 */

import type { ByteLayout, TransformEngine } from './engine.ts';

/**
 * The payload: column after column, and in a column one symbol of each systematic chunk, so a chunk
 * is a strided gather of byte pairs (erasure spec §3).
 *
 * @param firstColumn - Column of the payload that is column 0 of the job.
 */
export function payloadLayout(dataChunks: number, firstColumn: number): ByteLayout {
  const columnStep = 2 * dataChunks;
  return { offset: firstColumn * columnStep, rowStep: 2, columnStep, byteOrder: 'big' };
}

/** One chunk: the symbols of its position, column after column (erasure spec §3). */
export function chunkLayout(firstColumn: number): ByteLayout {
  return { offset: 2 * firstColumn, rowStep: 0, columnStep: 2, byteOrder: 'big' };
}

/**
 * Symbols that a stripe of data rows may take: 512 KiB, so that the two or three sets of rows a codec
 * works on stay in the second-level cache of current processors.
 */
const STRIPE_SYMBOLS = 262_144;

/** Columns of each stripe but the last. */
export function stripeColumns(
  engine: TransformEngine,
  rowCount: number,
  columnCount: number,
): number {
  const align = engine.columnAlignment;
  const fitting = Math.floor(STRIPE_SYMBOLS / rowCount / align) * align;
  return Math.max(align, Math.min(fitting, Math.ceil(columnCount / align) * align));
}

/** Calls `work` for each stripe with its first column and its number of columns. */
export function eachStripe(
  columnCount: number,
  width: number,
  work: (firstColumn: number, columns: number) => void,
): void {
  for (let first = 0; first < columnCount; first += width) {
    work(first, Math.min(width, columnCount - first));
  }
}
