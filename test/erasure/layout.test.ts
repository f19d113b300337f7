/**
 * @module
 * How columns are cut into stripes: aligned, never empty, none left out.
 */

import { describe, expect, it } from 'vitest';
import { scalarEngine } from '../../src/erasure/index.ts';
import { chunkLayout, eachStripe, payloadLayout, stripeColumns } from '../../src/erasure/layout.ts';

const aligned = (columnAlignment: number) => Object.assign(scalarEngine(), { columnAlignment });

describe('stripeColumns', () => {
  it('is a multiple of the alignment, at least one group, and no more than there are columns', () => {
    for (const align of [1, 16, 32, 64]) {
      for (const rows of [1, 2, 256, 16_384]) {
        for (const columns of [1, 15, 16, 17, 4096, 5_000_000]) {
          const width = stripeColumns(aligned(align), rows, columns);
          const what = `alignment ${align}, ${rows} rows, ${columns} columns: ${width}`;
          expect(width % align, what).toBe(0);
          expect(width, what).toBeGreaterThanOrEqual(align);
          expect(width, what).toBeLessThan(columns + align);
        }
      }
    }
  });

  it('keeps the data rows of a stripe within 512 KiB', () => {
    expect(stripeColumns(aligned(1), 256, 20_000)).toBe(1024);
    expect(stripeColumns(aligned(16), 16_384, 20_000)).toBe(16);
  });
});

describe('eachStripe', () => {
  it('covers the columns in order, the last stripe being shorter', () => {
    const stripes: [number, number][] = [];
    eachStripe(10, 4, (first, columns) => stripes.push([first, columns]));
    expect(stripes).toEqual([
      [0, 4],
      [4, 4],
      [8, 2],
    ]);
  });
});

describe('payloadLayout and chunkLayout', () => {
  it('start at the first column of a stripe', () => {
    expect(payloadLayout(256, 3)).toMatchObject({ offset: 1536, rowStep: 2, columnStep: 512 });
    expect(chunkLayout(3)).toMatchObject({ offset: 6, columnStep: 2 });
  });
});
