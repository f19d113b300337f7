/**
 * @module
 * The inner loops of the scalar engine: one or two rows of plain symbols, one constant. The constant
 * comes as a product table, so a product is two look-ups and no logarithm.
 */

import { multiply } from './field.ts';

/** Entries of a product table: 256 for the low byte of a symbol, then 256 for the high byte. */
export const PRODUCT_TABLE_LENGTH = 512;

/**
 * Fills a product table: afterwards `factor * s = table[s & 255] ^ table[256 + (s >> 8)]`.
 *
 * Cost: 16 products of the field; the rest follows from them by addition.
 */
export function fillProductTable(table: Uint16Array, factor: number): void {
  for (let half = 0; half < PRODUCT_TABLE_LENGTH; half += 256) {
    table[half] = 0;
    for (let bit = 0; bit < 8; bit += 1) {
      const product = multiply(factor, half === 0 ? 1 << bit : 256 << bit);
      const width = 1 << bit;
      for (let j = 0; j < width; j += 1) {
        table[half + width + j] = table[half + j]! ^ product;
      }
    }
  }
}

/** `target += source`, over `length` symbols. */
export function addRow(memory: Uint16Array, target: number, source: number, length: number): void {
  for (let c = 0; c < length; c += 1) {
    memory[target + c]! ^= memory[source + c]!;
  }
}

/** `row *= factor of the table`. */
export function scaleRow(
  memory: Uint16Array,
  row: number,
  length: number,
  table: Uint16Array,
): void {
  for (let c = row; c < row + length; c += 1) {
    const symbol = memory[c]!;
    memory[c] = table[symbol & 255]! ^ table[256 + (symbol >> 8)]!;
  }
}

/** A target row, a source row in possibly other memory, and how many symbols. */
export type RowPair = {
  readonly into: Uint16Array;
  readonly target: number;
  readonly from: Uint16Array;
  readonly source: number;
  readonly length: number;
};

/** `target += factor of the table * source`. */
export function multiplyAddRow(pair: RowPair, table: Uint16Array): void {
  const { into, target, from, source, length } = pair;
  for (let c = 0; c < length; c += 1) {
    const symbol = from[source + c]!;
    into[target + c]! ^= table[symbol & 255]! ^ table[256 + (symbol >> 8)]!;
  }
}

/** Butterfly of the FFT: `a += T * b`, then `b += a` (erasure spec §4.1). */
export function butterfly(
  memory: Uint16Array,
  a: number,
  b: number,
  length: number,
  table: Uint16Array,
): void {
  for (let c = 0; c < length; c += 1) {
    const right = memory[b + c]!;
    const left = memory[a + c]! ^ table[right & 255]! ^ table[256 + (right >> 8)]!;
    memory[a + c] = left;
    memory[b + c] = right ^ left;
  }
}

/** Butterfly of the inverse: `b += a`, then `a += T * b` (erasure spec §4.1). */
export function inverseButterfly(
  memory: Uint16Array,
  a: number,
  b: number,
  length: number,
  table: Uint16Array,
): void {
  for (let c = 0; c < length; c += 1) {
    const left = memory[a + c]!;
    const right = memory[b + c]! ^ left;
    memory[b + c] = right;
    memory[a + c] = left ^ table[right & 255]! ^ table[256 + (right >> 8)]!;
  }
}
