/**
 * @module
 * Layers of the transforms symbol by symbol.
 */

import { multiply } from '../../../src/erasure/field.ts';
import type { Table } from './kernel-bench.ts';

/** FFT or inverse FFT. */
export type Kind = 'forward' | 'inverse';

/** One layer as erasure spec §4.1 reads. */
export function layerOf(kind: Kind, table: Table, layer: number, position: number): Table {
  const rows = table.map((row) => [...row]);
  const half = 2 ** layer;
  for (let start = 0; start < rows.length; start += 2 * half) {
    const twiddle = (position + start) >> layer;
    for (let r = start; r < start + half; r += 1) {
      const x = rows[r]!;
      const y = rows[r + half]!;
      x.forEach((_, c) => {
        if (kind === 'forward') {
          x[c]! ^= multiply(twiddle, y[c]!);
          y[c]! ^= x[c]!;
        } else {
          y[c]! ^= x[c]!;
          x[c]! ^= multiply(twiddle, y[c]!);
        }
      });
    }
  }
  return rows;
}
