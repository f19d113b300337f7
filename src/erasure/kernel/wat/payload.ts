/**
 * @module
 * Between the payload, which lies column by column, and rows: transposes of bytes and of symbols in
 * vectors (erasure spec §3). Rows are visited for 32 columns at a time, a whole cache line of a byte row.
 */

import { Arithmetic, interleave, type Pair, type Table, type Vector } from './arithmetic.ts';
import type { Build, FunctionMaker } from './build.ts';
import {
  add,
  type Body,
  type FunctionText,
  functionText,
  type Local,
  less,
  load16,
  load32,
  loadV,
  mul,
  shl,
} from './function-text.ts';

type Address = Local<'i32'>;

/** Columns of one visit of a row. */
const VISIT_COLUMNS = 32;

/** Rows of one block. */
const EIGHT: readonly number[] = [0, 1, 2, 3, 4, 5, 6, 7];

/** Rows of vectors to columns: interleaves vector `i` with `i + half`, `rounds` times. */
function transpose(
  f: Body,
  vectors: readonly Vector[],
  unitBytes: number,
  rounds: number,
): Vector[] {
  const half = vectors.length / 2;
  let current: Vector[] = [...vectors];
  for (let round = 0; round < rounds; round += 1) {
    const next: Vector[] = [];
    for (let i = 0; i < half; i += 1) {
      for (const isHigh of [false, true]) {
        next.push(f.let(interleave(unitBytes, isHigh, current[i]!, current[i + half]!)));
      }
    }
    current = next;
  }
  return current;
}

/** 16 vectors of 16 bytes: byte `c` of vector `r` becomes byte `r` of vector `c`. */
const transposeBytes = (f: Body, vectors: readonly Vector[]): Vector[] =>
  transpose(f, vectors, 1, 4);

/** 8 vectors of 8 symbols. */
const transposeSymbols = (f: Body, vectors: readonly Vector[]): Vector[] =>
  transpose(f, vectors, 2, 3);

/** Loads `count` vectors that are `stride` apart. */
function loadColumn(f: Body, start: Address, stride: Address, count: number): Vector[] {
  const at = f.let(start);
  return Array.from({ length: count }, () => {
    const vector = f.let(loadV(at));
    f.advance(at, stride);
    return vector;
  });
}

/** Stores vectors that are `stride` apart. */
function storeColumn(f: Body, start: Address, stride: Address, vectors: readonly Vector[]): void {
  const at = f.let(start);
  for (const vector of vectors) {
    f.storeV(at, vector);
    f.advance(at, stride);
  }
}

/** 16 columns of 8 rows of the payload to planes, and to byte rows when `rows` is given. */
function splitBlock(
  f: Body,
  arithmetic: Arithmetic,
  tower: Table,
  place: {
    readonly payload: Address;
    readonly payloadRowBytes: Address;
    readonly plane: Address;
    readonly planeBytes: Address;
    readonly w: Address;
    readonly row?: Address;
    readonly rowStride: Address;
  },
): void {
  const columns = loadColumn(f, place.payload, place.payloadRowBytes, 16);
  const bytes = transposeBytes(f, columns);
  const plane = f.let(place.plane);
  const row = place.row === undefined ? undefined : f.let(place.row);
  for (let i = 0; i < 8; i += 1) {
    const symbols: Pair = { high: bytes[2 * i]!, low: bytes[2 * i + 1]! };
    if (row !== undefined) {
      f.storeV(row, interleave(1, false, symbols.high, symbols.low));
      f.storeV(row, interleave(1, true, symbols.high, symbols.low), 16);
      f.advance(row, place.rowStride);
    }
    f.storeV(plane, arithmetic.throughTower(symbols, tower).low);
    f.storeV(add(plane, place.w), symbols.high);
    f.advance(plane, place.planeBytes);
  }
}

/** See `LayoutExports.planesFromPayload`. */
function planesFromPayload(build: Build): FunctionText {
  const parameters = ['payload', 'payloadRowBytes', 'work', 'w', 'k', 'rows', 'rowStride'] as const;
  return functionText('planesFromPayload', parameters, (f, p) => {
    const arithmetic = new Arithmetic(f, build);
    const tower = arithmetic.towerTable();
    const planeBytes = f.let(shl(p.w, 1));
    const columnsEnd = f.let(add(p.work, p.w));
    const plane = f.local('i32');
    const row = f.local('i32');
    const payload = f.local('i32');
    const rowEnd = f.local('i32');
    const eightRows = f.let(shl(p.rowStride, 3));
    const { payloadRowBytes, w, rowStride } = p;
    const pass = (hasRows: boolean): void => {
      f.repeat(
        () => {
          f.set(plane, p.work);
          f.set(row, p.rows);
          f.set(payload, p.payload);
          f.set(rowEnd, add(p.payload, shl(p.k, 1)));
          f.repeat(
            () => {
              splitBlock(f, arithmetic, tower, {
                ...{ payload, payloadRowBytes, plane, planeBytes, w, rowStride },
                ...(hasRows ? { row } : {}),
              });
              f.set(plane, add(plane, shl(planeBytes, 3)));
              f.advance(row, eightRows);
              f.advance(payload, 16);
            },
            () => less(payload, rowEnd),
          );
          f.advance(p.work, 16);
          f.advance(p.rows, 32);
          f.set(p.payload, add(p.payload, shl(p.payloadRowBytes, 4)));
        },
        () => less(p.work, columnsEnd),
      );
    };
    f.if(
      p.rows,
      () => pass(true),
      () => pass(false),
    );
    return undefined;
  });
}

/** See `LayoutExports.payloadFromPlanes`. */
function payloadFromPlanes(build: Build): FunctionText {
  const parameters = ['payload', 'payloadRowBytes', 'work', 'w', 'k'] as const;
  return functionText('payloadFromPlanes', parameters, (f, p) => {
    const arithmetic = new Arithmetic(f, build);
    const tower = arithmetic.towerTable();
    const planeBytes = f.let(shl(p.w, 1));
    const columnsEnd = f.let(add(p.work, p.w));
    const plane = f.local('i32');
    const payload = f.local('i32');
    const rowEnd = f.local('i32');
    f.repeat(
      () => {
        f.set(plane, p.work);
        f.set(payload, p.payload);
        f.set(rowEnd, add(p.payload, shl(p.k, 1)));
        f.repeat(
          () => {
            const bytes: Vector[] = [];
            for (let i = 0; i < 8; i += 1) {
              const low = f.let(loadV(plane));
              const high = f.let(loadV(add(plane, p.w)));
              bytes.push(high, arithmetic.throughTower({ low, high }, tower).low);
              f.advance(plane, planeBytes);
            }
            storeColumn(f, payload, p.payloadRowBytes, transposeBytes(f, bytes));
            f.advance(payload, 16);
          },
          () => less(payload, rowEnd),
        );
        f.advance(p.work, 16);
        f.set(p.payload, add(p.payload, shl(p.payloadRowBytes, 4)));
      },
      () => less(p.work, columnsEnd),
    );
    return undefined;
  });
}

type RowsDirection = 'rowsFromPayload' | 'payloadFromRows';

const ROW_PARAMETERS = ['payload', 'payloadRowBytes', 'list', 'columns', 'k'] as const;
type RowParameters = { readonly [N in (typeof ROW_PARAMETERS)[number]]: Address };

/** Symbol by symbol: fewer rows than a vector has symbols. */
function fewRows(f: Body, p: RowParameters, direction: RowsDirection): void {
  const row = f.local('i32');
  const payload = f.local('i32');
  const list = f.let(p.list);
  const listEnd = f.let(add(p.list, shl(p.k, 2)));
  const end = f.local('i32');
  f.repeat(
    () => {
      f.set(row, load32(list));
      f.set(end, add(row, shl(p.columns, 1)));
      f.set(payload, p.payload);
      f.while(
        () => less(row, end),
        () => {
          if (direction === 'rowsFromPayload') {
            f.store16(row, load16(payload));
          } else {
            f.store16(payload, load16(row));
          }
          f.advance(row, 2);
          f.advance(payload, p.payloadRowBytes);
        },
      );
      f.advance(list, 4);
      f.advance(p.payload, 2);
    },
    () => less(list, listEnd),
  );
}

/**
 * 8 rows by 32 columns at a time. Row addresses are read from the list at each use: eight of them in
 * locals spill, and rows to payload took 1.3 times as long (alternating runs, 10 MiB, k = 256).
 */
function manyRows(f: Body, p: RowParameters, direction: RowsDirection): void {
  const column = f.let32(0);
  const payload = f.local('i32');
  const list = f.local('i32');
  const listEnd = f.let(add(p.list, shl(p.k, 2)));
  const corner = f.local('i32');
  const rowBytes = f.let(shl(p.columns, 1));
  f.while(
    () => less(column, rowBytes),
    () => {
      f.set(list, p.list);
      f.set(payload, p.payload);
      f.repeat(
        () => {
          f.set(corner, payload);
          for (let offset = 0; offset < 2 * VISIT_COLUMNS; offset += 16) {
            if (direction === 'rowsFromPayload') {
              const symbols = loadColumn(f, corner, p.payloadRowBytes, 8);
              transposeSymbols(f, symbols).forEach((vector, i) => {
                f.storeV(add(load32(list, 4 * i), column), vector, offset);
              });
            } else {
              const symbols = EIGHT.map((i) =>
                f.let(loadV(add(load32(list, 4 * i), column), offset)),
              );
              storeColumn(f, corner, p.payloadRowBytes, transposeSymbols(f, symbols));
            }
            f.set(corner, add(corner, shl(p.payloadRowBytes, 3)));
          }
          f.advance(list, 32);
          f.advance(payload, 16);
        },
        () => less(list, listEnd),
      );
      f.advance(column, 2 * VISIT_COLUMNS);
      f.set(p.payload, add(p.payload, mul(p.payloadRowBytes, VISIT_COLUMNS)));
    },
  );
}

/** See `LayoutExports`. */
function rowsAndPayload(direction: RowsDirection): FunctionText {
  return functionText(direction, ROW_PARAMETERS, (f, p) => {
    f.if(
      less(p.k, 8),
      () => fewRows(f, p, direction),
      () => manyRows(f, p, direction),
    );
    return undefined;
  });
}

/** All functions of this file. */
export const payloadFunctions: FunctionMaker = (build) => [
  planesFromPayload(build),
  payloadFromPlanes(build),
  rowsAndPayload('rowsFromPayload'),
  rowsAndPayload('payloadFromRows'),
];
