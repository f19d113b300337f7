/**
 * @module
 * What every transform engine must do, as a suite: each job against its definition, over memory full of
 * garbage. Engines differ in how they hold symbols, so tests look at bytes only.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rows, TransformEngine, TransformJob } from '../../src/erasure/engine.ts';
import { SEED, seeded } from '../support/seed.ts';
import { interpolate, product } from './naive.ts';

/** Rows of symbols as plain numbers. */
type Table = readonly (readonly number[])[];

/** An engine with helpers that put tables into rows and read them out. */
class Bench {
  readonly engine: TransformEngine;
  readonly memory: Uint16Array;
  readonly stride: number;

  /** @param columns - Columns of each row; rows are one aligned group longer, to see what is spilled. */
  constructor(engine: TransformEngine, rowCount: number, columns: number) {
    const align = engine.columnAlignment;
    this.engine = engine;
    this.stride = Math.ceil(columns / align + 1) * align;
    this.memory = engine.workspace(rowCount * this.stride);
    this.memory.fill(0xdead);
  }

  rows(first: number): Rows {
    return { memory: this.memory, start: first * this.stride, stride: this.stride };
  }

  write(first: number, table: Table): void {
    const columns = table[0]?.length ?? 0;
    const bytes = new Uint8Array(2 * columns * table.length);
    table.flat().forEach((symbol, i) => {
      bytes[2 * i] = symbol >> 8;
      bytes[2 * i + 1] = symbol & 255;
    });
    this.engine.load({
      rows: this.rows(first),
      rowCount: table.length,
      columns: { from: 0, to: columns },
      bytes,
      layout: { offset: 0, rowStep: 2 * columns, columnStep: 2, byteOrder: 'big' },
    });
  }

  read(first: number, rowCount: number, columns: number): Table {
    const bytes = new Uint8Array(2 * columns * rowCount);
    this.engine.store({
      rows: this.rows(first),
      rowCount,
      columns: { from: 0, to: columns },
      bytes,
      layout: { offset: 0, rowStep: 2 * columns, columnStep: 2, byteOrder: 'big' },
    });
    return Array.from({ length: rowCount }, (_, row) =>
      Array.from({ length: columns }, (_, c) => {
        const at = 2 * (row * columns + c);
        return bytes[at]! * 256 + bytes[at + 1]!;
      }),
    );
  }
}

const symbol = fc.integer({ min: 0, max: 0xffff });

const tableOf = (rowCount: number, columns: number): fc.Arbitrary<number[][]> =>
  fc.array(fc.array(symbol, { minLength: columns, maxLength: columns }), {
    minLength: rowCount,
    maxLength: rowCount,
  });

const withTable = (maxLog: number): fc.Arbitrary<{ table: number[][]; base: number }> =>
  fc
    .tuple(fc.integer({ min: 0, max: maxLog }), fc.integer({ min: 1, max: 40 }), fc.nat(50))
    .chain(([t, columns, block]) =>
      tableOf(2 ** t, columns).map((table) => ({ table, base: block * 2 ** t })),
    );

const everyColumn = (table: Table): { from: number; to: number } => {
  return { from: 0, to: table[0]!.length };
};

const transposed = (table: Table): Table => table[0]!.map((_, c) => table.map((row) => row[c]!));

/** Values at positions `base …` -> values at `target …`, column by column, by interpolation. */
const movedBy = (table: Table, base: number, target: number): Table =>
  transposed(
    transposed(table).map((column) => {
      const points = new Map(column.map((value, i) => [base + i, value]));
      return column.map((_, i) => interpolate(points, target + i));
    }),
  );

/** The suite. `make` gives a new engine. */
export function describeEngine(name: string, make: () => TransformEngine): void {
  const runs = { seed: SEED, numRuns: 30 };

  describe(`${name}: transform`, () => {
    it(seeded('moves values from one coset to another as interpolation does'), () => {
      fc.assert(
        fc.property(withTable(4), fc.nat(50), ({ table, base }, block) => {
          const size = table.length;
          const bench = new Bench(make(), size, table[0]!.length);
          const place = { rows: bench.rows(0), columns: everyColumn(table), size };
          bench.write(0, table);
          bench.engine.transform({ kind: 'ifft', base, ...place });
          bench.engine.transform({ kind: 'fft', base: block * size, ...place });
          expect(bench.read(0, size, table[0]!.length)).toEqual(movedBy(table, base, block * size));
        }),
        runs,
      );
    });

    it(seeded('works from other rows, which stay, as it does in place'), () => {
      fc.assert(
        fc.property(withTable(5), fc.constantFrom('fft', 'ifft'), ({ table, base }, kind) => {
          const size = table.length;
          const columns = everyColumn(table);
          const bench = new Bench(make(), 3 * size, columns.to);
          bench.write(0, table);
          bench.write(size, table);
          const job: TransformJob = { kind, base, size, columns, rows: bench.rows(size) };
          bench.engine.transform(job);
          bench.engine.transform({ ...job, rows: bench.rows(2 * size), source: bench.rows(0) });
          expect(bench.read(2 * size, size, columns.to)).toEqual(
            bench.read(size, size, columns.to),
          );
          expect(bench.read(0, size, columns.to)).toEqual(table);
        }),
        runs,
      );
    });

    it(seeded('fft: gives the used rows, whatever becomes of the others'), () => {
      fc.assert(
        fc.property(withTable(5), fc.nat(), ({ table, base }, at) => {
          const size = table.length;
          const used = 1 + (at % size);
          const columns = everyColumn(table);
          const bench = new Bench(make(), 2 * size, columns.to);
          bench.write(0, table);
          bench.write(size, table);
          bench.engine.transform({ kind: 'fft', base, size, columns, rows: bench.rows(0) });
          bench.engine.transform({
            kind: 'fft',
            base,
            size,
            used,
            columns,
            rows: bench.rows(size),
          });
          expect(bench.read(size, used, columns.to)).toEqual(bench.read(0, used, columns.to));
        }),
        runs,
      );
    });

    it(seeded('ifft: takes rows beyond the used ones for zero, whatever they hold'), () => {
      fc.assert(
        fc.property(withTable(5), fc.nat(), ({ table, base }, at) => {
          const size = table.length;
          const used = 1 + (at % size);
          const columns = everyColumn(table);
          const bench = new Bench(make(), 2 * size, columns.to);
          const cut = table.map((row, i) => (i < used ? row : row.map(() => 0)));
          bench.write(0, cut);
          bench.write(size, table);
          bench.engine.transform({ kind: 'ifft', base, size, columns, rows: bench.rows(0) });
          const job = { base, size, used, columns, rows: bench.rows(size) };
          bench.engine.transform({ kind: 'ifft', ...job });
          expect(bench.read(size, size, columns.to)).toEqual(bench.read(0, size, columns.to));
        }),
        runs,
      );
    });

    it('gives the coefficients of the specification for positions 1 and 4 of 8', () => {
      const bench = new Bench(make(), 8, 1);
      bench.write(0, [[0], [0x0499], [0], [0], [0x069b], [0], [0], [0]]);
      const place = { rows: bench.rows(0), columns: { from: 0, to: 1 }, size: 8 };
      bench.engine.transform({ kind: 'ifft', base: 0, ...place });
      const coefficients = [0, 0x499, 0, 0x499, 0x495, 0xa66, 0xbfd, 0x202];
      expect(bench.read(0, 8, 1).flat()).toEqual(coefficients);
      bench.engine.addDerivative(place);
      const swept = [0xc, 0xa66, 0xf64, 0x69b, 0x50e, 0x864, 0x9ff, 0x202];
      expect(bench.read(0, 8, 1).flat()).toEqual(swept);
      bench.engine.transform({ kind: 'fft', base: 0, ...place });
      const values = [0xc, 0xa6a, 0xa6f, 0x692, 0xefc, 0x706, 0x9f8, 0x49b];
      expect(bench.read(0, 8, 1).flat()).toEqual(values);
    });
  });

  describe(`${name}: columns`, () => {
    it(seeded('any split of the columns gives the same rows'), () => {
      fc.assert(
        fc.property(withTable(4), fc.nat(), ({ table, base }, at) => {
          const size = table.length;
          const bench = new Bench(make(), 2 * size, table[0]!.length);
          const align = bench.engine.columnAlignment;
          const end = table[0]!.length;
          const cut = align * (at % (Math.floor(end / align) + 1));
          bench.write(0, table);
          bench.write(size, table);
          const jobs = [
            { rows: bench.rows(0), columns: { from: 0, to: end } },
            { rows: bench.rows(size), columns: { from: cut, to: end } },
            { rows: bench.rows(size), columns: { from: 0, to: cut } },
          ];
          for (const place of jobs) {
            bench.engine.transform({ kind: 'ifft', base, size, ...place });
            bench.engine.addDerivative({ size, ...place });
          }
          expect(bench.read(size, size, end)).toEqual(bench.read(0, size, end));
        }),
        runs,
      );
    });

    it('a job leaves the columns before it, the next aligned group and other rows as they were', () => {
      const engine = make();
      const align = engine.columnAlignment;
      const bench = new Bench(engine, 6, 3 * align);
      const table = Array.from({ length: 6 }, (_, r) =>
        Array.from({ length: 3 * align }, (_, c) => 257 * r + c + 1),
      );
      bench.write(0, table);
      const columns = { from: align, to: 2 * align };
      const rows = bench.rows(1);
      const factors = Uint16Array.of(7, 0, 1, 0xffff);
      engine.scale({ rows, columns, factors });
      engine.transform({ kind: 'ifft', base: 4, size: 4, rows, columns });
      engine.addDerivative({ rows, columns, size: 4 });
      engine.multiplyAdd({
        target: bench.rows(1),
        source: bench.rows(3),
        columns,
        factors: factors.subarray(2),
      });
      const after = bench.read(0, 6, 3 * align);
      const isUntouched = (r: number, c: number): boolean =>
        r === 0 || r === 5 || c < align || c >= 2 * align;
      after.forEach((row, r) => {
        row.forEach((value, c) => {
          if (isUntouched(r, c)) {
            expect(value, `row ${r}, column ${c}`).toBe(table[r]![c]);
          }
        });
      });
    });
  });

  describe(`${name}: scale and multiplyAdd`, () => {
    it(seeded('multiply each row by its factor; 0 clears'), () => {
      fc.assert(
        fc.property(
          withTable(3),
          fc.array(symbol, { minLength: 8, maxLength: 8 }),
          ({ table }, all) => {
            const factors = Uint16Array.from(table, (_, r) => (r === 1 ? 0 : all[r]!));
            const bench = new Bench(make(), table.length, table[0]!.length);
            bench.write(0, table);
            bench.engine.scale({ rows: bench.rows(0), columns: everyColumn(table), factors });
            const expected = table.map((row, r) => row.map((value) => product(value, factors[r]!)));
            expect(bench.read(0, table.length, table[0]!.length)).toEqual(expected);
          },
        ),
        runs,
      );
    });

    it(seeded('add products row by row, and leave the source'), () => {
      fc.assert(
        fc.property(
          withTable(3),
          fc.array(symbol, { minLength: 8, maxLength: 8 }),
          ({ table }, all) => {
            const count = table.length;
            const columns = everyColumn(table);
            const factors = Uint16Array.from(table, (_, r) => all[r]!);
            const start = table.map((row, r) => row.map((_, c) => 1000 * r + c));
            const bench = new Bench(make(), 2 * count, columns.to);
            bench.write(0, table);
            bench.write(count, start);
            bench.engine.multiplyAdd({
              target: bench.rows(count),
              source: bench.rows(0),
              columns,
              factors,
            });
            const expected = start.map((row, r) =>
              row.map((value, c) => value ^ product(table[r]![c]!, factors[r]!)),
            );
            expect(bench.read(count, count, columns.to)).toEqual(expected);
            expect(bench.read(0, count, columns.to)).toEqual(table);
          },
        ),
        runs,
      );
    });

    it('meet in one row when the target stride is 0: the coefficient row of the specification', () => {
      const bench = new Bench(make(), 3, 1);
      bench.write(0, [[0x0203], [0x0bfd], [0]]);
      bench.engine.multiplyAdd({
        target: { ...bench.rows(2), stride: 0 },
        source: bench.rows(0),
        columns: { from: 0, to: 1 },
        factors: Uint16Array.of(0x0e, 0x0f),
      });
      expect(bench.read(2, 1, 1)).toEqual([[0x0001]]);
    });
  });

  describe(`${name}: load and store`, () => {
    const layouts = fc.record({
      offset: fc.nat(9),
      rowStep: fc.integer({ min: 2, max: 9 }),
      columnStep: fc.constantFrom(80, 81),
      byteOrder: fc.constantFrom('big' as const, 'little' as const),
    });

    it(seeded('read what was written, in either byte order'), () => {
      fc.assert(
        fc.property(withTable(3), layouts, ({ table }, layout) => {
          const columns = everyColumn(table);
          const bench = new Bench(make(), 2 * table.length, columns.to);
          const bytes = new Uint8Array(layout.offset + 90 * columns.to + 80);
          const rowCount = table.length;
          bench.write(0, table);
          bench.engine.store({ rows: bench.rows(0), rowCount, columns, bytes, layout });
          const [high, low] = layout.byteOrder === 'big' ? [0, 1] : [1, 0];
          table.forEach((row, r) => {
            row.forEach((value, c) => {
              const at = layout.offset + r * layout.rowStep + c * layout.columnStep;
              expect([bytes[at + high], bytes[at + low]]).toEqual([value >> 8, value & 255]);
            });
          });
          bench.engine.load({ rows: bench.rows(rowCount), rowCount, columns, bytes, layout });
          expect(bench.read(rowCount, rowCount, columns.to)).toEqual(table);
        }),
        runs,
      );
    });

    it.each([0, 1, 2, 3, 5, 8])('read bytes past the end as 0: %i of 8 bytes', (length) => {
      const bench = new Bench(make(), 2, 2);
      const bytes = Uint8Array.from({ length: 8 }, (_, i) => i + 1).subarray(0, length);
      const layout = { offset: 0, rowStep: 2, columnStep: 4, byteOrder: 'big' as const };
      const columns = { from: 0, to: 2 };
      bench.engine.load({ rows: bench.rows(0), rowCount: 2, columns, bytes, layout });
      const at = (i: number): number => (i < length ? i + 1 : 0);
      const pair = (i: number): number => at(i) * 256 + at(i + 1);
      expect(bench.read(0, 2, 2)).toEqual([
        [pair(0), pair(4)],
        [pair(2), pair(6)],
      ]);
    });
  });
}
