/**
 * @module
 * The bytes of the tables in `memory-map.ts`, from the field.
 */

import { multiply } from '../../field.ts';
import { FIRST_BYTES, NIBBLE_MASK, PRODUCT_BYTES, PRODUCTS, TOWER } from '../memory-map.ts';
import type { DataSegment } from './function-text.ts';
import { towerMap } from './tower.ts';

function products(): Uint8Array {
  const bytes = new Uint8Array(256 * PRODUCT_BYTES);
  for (let constant = 0; constant < 256; constant += 1) {
    for (let x = 0; x < 16; x += 1) {
      bytes[constant * PRODUCT_BYTES + x] = multiply(constant, x);
      bytes[constant * PRODUCT_BYTES + 16 + x] = multiply(constant, x << 4);
    }
  }
  return bytes;
}

/** Tables of the field, and constants that would cost an instruction in every loop. */
export const fieldTables: readonly DataSegment[] = [
  { address: NIBBLE_MASK, bytes: new Uint8Array(16).fill(0x0f) },
  { address: FIRST_BYTES, bytes: Uint8Array.from({ length: 16 }, (_, i) => (i % 2 ? 0 : 0xff)) },
  { address: PRODUCTS, bytes: products() },
  {
    address: TOWER,
    bytes: Uint8Array.from({ length: 32 }, (_, i) => towerMap(i < 16 ? i : (i - 16) << 4)),
  },
];
