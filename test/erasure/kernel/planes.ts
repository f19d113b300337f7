/**
 * @module
 * Planes from and to plain symbols, by a table of the tower map: for tests over many rows.
 */

import { tower } from './kernel-bench.ts';

/** Where planes lie. */
export type PlanePlace = { readonly base: number; readonly w: number; readonly stride: number };

const TOWER = Uint16Array.from({ length: 65_536 }, (_, symbol) => tower(symbol));

/** Symbols, row after row, to planes. */
export function packPlanes(bytes: Uint8Array, place: PlanePlace, symbols: Uint16Array): void {
  const { base, w, stride } = place;
  symbols.forEach((symbol, i) => {
    const at = base + Math.floor(i / w) * stride + (i % w);
    const value = TOWER[symbol]!;
    bytes[at] = value & 255;
    bytes[at + w] = value >> 8;
  });
}

/** Planes to symbols, row after row. */
export function unpackPlanes(bytes: Uint8Array, place: PlanePlace, rowCount: number): Uint16Array {
  const { base, w, stride } = place;
  return Uint16Array.from({ length: rowCount * w }, (_, i) => {
    const at = base + Math.floor(i / w) * stride + (i % w);
    return TOWER[bytes[at]! + 256 * bytes[at + w]!]!;
  });
}
