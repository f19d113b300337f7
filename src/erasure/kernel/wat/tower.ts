/**
 * @module
 * Tower coordinates of single symbols (erasure spec §1.4): a symbol as two elements of GF(2^8), in
 * which a constant of GF(2^8) multiplies each byte on its own. Rows are the kernel's work.
 */

import { multiply } from '../../field.ts';

/** `v_(8+i) = v_8 * v_i + b_i`: this is `b_0 … b_7`. */
const REMAINDERS: readonly number[] = Array.from(
  { length: 8 },
  (_, i) => (256 << i) ^ multiply(256, 1 << i),
);

/** `B[h]`, what the high byte adds to the low byte on the way into tower coordinates and back. */
export function towerMap(high: number): number {
  return REMAINDERS.reduce((sum, remainder, i) => ((high >> i) & 1 ? sum ^ remainder : sum), 0);
}
