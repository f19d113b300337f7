/**
 * @module
 * Between byte rows (chunks) and planes (work rows), one row at a time, with or without a factor; and
 * linear combinations of rows.
 */

import {
  Arithmetic,
  bytesOfSymbols,
  firstBytesMask,
  type Pair,
  storeSymbols,
  type Table,
  type Vector,
} from './arithmetic.ts';
import type { Build, FunctionMaker } from './build.ts';
import { eachEntry } from './entries.ts';
import {
  add,
  type Body,
  type FunctionText,
  functionText,
  type I32,
  type Local,
  less,
  load32,
  loadV,
  mul,
  shl,
  xor,
} from './function-text.ts';

type Address = Local<'i32'>;

/** Columns that one turn of a loop over a row takes; `w` is a multiple of it. */
const TURN = 32;

/** Loads and stores planes at an offset of columns. */
function loadPlanes(f: Body, at: Address, w: I32, offset: number): Pair {
  return { low: f.let(loadV(at, offset)), high: f.let(loadV(add(at, w), offset)) };
}

function storePlanes(f: Body, at: Address, w: I32, offset: number, pair: Pair): void {
  f.storeV(at, pair.low, offset);
  f.storeV(add(at, w), pair.high, offset);
}

/** Runs the body over a row of planes, {@link TURN} columns in a turn; `plane` advances. */
function overPlanes(
  f: Body,
  plane: Address,
  w: Address,
  body: (offset: number) => void,
  after: () => void,
): void {
  const end = f.let(add(plane, w));
  f.repeat(
    () => {
      for (let offset = 0; offset < TURN; offset += 16) {
        body(offset);
      }
      f.advance(plane, TURN);
      after();
    },
    () => less(plane, end),
  );
}

/** Byte row to planes; both addresses advance. `scale` is given tower coordinates. */
function convertRow(
  f: Body,
  arithmetic: Arithmetic,
  row: { readonly from: Address; readonly to: Address; readonly w: Address },
  constants: { readonly firstBytes: Vector; readonly tower: Table },
  scale: (pair: Pair) => Pair,
): void {
  const { from, to, w } = row;
  overPlanes(
    f,
    to,
    w,
    (offset) => {
      const a = f.let(loadV(from, 2 * offset));
      const b = f.let(loadV(from, 2 * offset + 16));
      const pair = bytesOfSymbols(f, a, b, constants.firstBytes);
      storePlanes(f, to, w, offset, scale(arithmetic.throughTower(pair, constants.tower)));
    },
    () => f.advance(from, 2 * TURN),
  );
}

/** See `LayoutExports.planesFromRows`. */
function planesFromRows(build: Build): FunctionText {
  const parameters = ['list', 'count', 'byteOffset', 'w'] as const;
  return functionText('planesFromRows', parameters, (f, p) => {
    const arithmetic = new Arithmetic(f, build);
    const constants = { firstBytes: firstBytesMask(f), tower: arithmetic.towerTable() };
    eachEntry(f, { ...p, words: 2 }, ([from, to]) => {
      f.advance(from!, p.byteOffset);
      convertRow(f, arithmetic, { from: from!, to: to!, w: p.w }, constants, (pair) => pair);
    });
    return undefined;
  });
}

/** A factor of GF(2^8) multiplies the planes as plain bytes: four look-ups instead of six. */
function byFactor(
  f: Body,
  arithmetic: Arithmetic,
  [low, high]: readonly [Address, Address],
  work: (scale: (pair: Pair) => Pair) => void,
): void {
  f.if(
    high,
    () => {
      const table = arithmetic.wideTable(low, high);
      work((pair) => arithmetic.wideProduct(pair, table));
    },
    () => {
      const table = arithmetic.tableOf(low);
      work((pair) => ({
        low: f.let(arithmetic.product(pair.low, table)),
        high: f.let(arithmetic.product(pair.high, table)),
      }));
    },
  );
}

/** See `LayoutExports.scaledPlanesFromRows`. */
function scaledPlanesFromRows(build: Build): FunctionText {
  const parameters = ['list', 'count', 'byteOffset', 'w'] as const;
  return functionText('scaledPlanesFromRows', parameters, (f, p) => {
    const arithmetic = new Arithmetic(f, build);
    const constants = { firstBytes: firstBytesMask(f), tower: arithmetic.towerTable() };
    eachEntry(f, { ...p, words: 4 }, ([from, to, low, high]) => {
      f.advance(from!, p.byteOffset);
      byFactor(f, arithmetic, [low!, high!], (scale) => {
        convertRow(f, arithmetic, { from: from!, to: to!, w: p.w }, constants, scale);
      });
    });
    return undefined;
  });
}

/** See `TransformExports.scalePlanes`. */
function scalePlanes(build: Build): FunctionText {
  return functionText('scalePlanes', ['list', 'count', 'w'], (f, p) => {
    const arithmetic = new Arithmetic(f, build);
    eachEntry(f, { ...p, words: 4 }, ([from, to, low, high]) => {
      byFactor(f, arithmetic, [low!, high!], (scale) => {
        overPlanes(
          f,
          to!,
          p.w,
          (offset) => {
            storePlanes(f, to!, p.w, offset, scale(loadPlanes(f, from!, p.w, offset)));
          },
          () => f.advance(from!, TURN),
        );
      });
    });
    return undefined;
  });
}

/** See `TransformExports.addScaled`. */
function addScaled(build: Build): FunctionText {
  const parameters = ['target', 'source', 'w', 'factorLow', 'factorHigh'] as const;
  return functionText('addScaled', parameters, (f, p) => {
    const arithmetic = new Arithmetic(f, build);
    byFactor(f, arithmetic, [p.factorLow, p.factorHigh], (scale) => {
      overPlanes(
        f,
        p.target,
        p.w,
        (offset) => {
          const product = scale(loadPlanes(f, p.source, p.w, offset));
          const { low, high } = loadPlanes(f, p.target, p.w, offset);
          const sum = {
            low: f.let(xor(low, product.low)),
            high: f.let(xor(high, product.high)),
          };
          storePlanes(f, p.target, p.w, offset, sum);
        },
        () => f.advance(p.source, TURN),
      );
    });
    return undefined;
  });
}

/** One row of planes to a byte row; both addresses advance. */
function writeRow(
  f: Body,
  arithmetic: Arithmetic,
  row: { readonly plane: Address; readonly to: Address; readonly w: Address },
  tower: Table,
): void {
  const { plane, to, w } = row;
  overPlanes(
    f,
    plane,
    w,
    (offset) => {
      const pair = loadPlanes(f, plane, w, offset);
      storeSymbols(f, to, 2 * offset, arithmetic.throughTower(pair, tower));
    },
    () => f.advance(to, 2 * TURN),
  );
}

/** See `LayoutExports.rowsFromPlanes`. */
function rowsFromPlanes(build: Build): FunctionText {
  const parameters = ['work', 'w', 'count', 'rows', 'rowStride'] as const;
  return functionText('rowsFromPlanes', parameters, (f, p) => {
    const arithmetic = new Arithmetic(f, build);
    const tower = arithmetic.towerTable();
    const planeBytes = f.let(shl(p.w, 1));
    const end = f.let(add(p.work, mul(p.count, planeBytes)));
    const plane = f.local('i32');
    const to = f.local('i32');
    f.while(
      () => less(p.work, end),
      () => {
        f.set(plane, p.work);
        f.set(to, p.rows);
        writeRow(f, arithmetic, { plane, to, w: p.w }, tower);
        f.advance(p.work, planeBytes);
        f.advance(p.rows, p.rowStride);
      },
    );
    return undefined;
  });
}

/** See `LayoutExports.rowsFromPlanesList`. */
function rowsFromPlanesList(build: Build): FunctionText {
  const parameters = ['list', 'count', 'byteOffset', 'w'] as const;
  return functionText('rowsFromPlanesList', parameters, (f, p) => {
    const arithmetic = new Arithmetic(f, build);
    const tower = arithmetic.towerTable();
    eachEntry(f, { ...p, words: 2 }, ([plane, to]) => {
      f.advance(to!, p.byteOffset);
      writeRow(f, arithmetic, { plane: plane!, to: to!, w: p.w }, tower);
    });
    return undefined;
  });
}

/** See `TransformExports.combineRows1`: the sums stay in registers over all rows. */
function combineRows(build: Build, outputs: number): FunctionText {
  const parameters = ['work', 'w', 'k', 'coefficients', 'out'] as const;
  return functionText(`combineRows${outputs}`, parameters, (f, p) => {
    const arithmetic = new Arithmetic(f, build);
    const zero = f.local('v128');
    const planeBytes = f.let(shl(p.w, 1));
    const end = f.let(add(p.work, p.w));
    const coefficientBytes = 12 * outputs;
    const plane = f.local('i32');
    const coefficient = f.local('i32');
    const coefficientsEnd = f.let(add(p.coefficients, mul(p.k, coefficientBytes)));
    const sums = Array.from({ length: outputs }, () => ({
      low: f.local('v128'),
      high: f.local('v128'),
    }));
    const tableFrom = (word: number): Table => {
      const at = f.let(load32(coefficient, 4 * word));
      return { low: loadV(at), high: loadV(at, 16) };
    };
    f.repeat(
      () => {
        f.set(plane, p.work);
        f.set(coefficient, p.coefficients);
        for (const { low, high } of sums) {
          f.set(low, zero);
          f.set(high, zero);
        }
        f.repeat(
          () => {
            const pair = loadPlanes(f, plane, p.w, 0);
            const low = arithmetic.halves(pair.low);
            const high = arithmetic.halves(pair.high);
            const both = arithmetic.sumOf(low, high);
            sums.forEach((sum, output) => {
              const shared = f.let(arithmetic.times(low, tableFrom(3 * output)));
              const lowPart = arithmetic.times(high, tableFrom(3 * output + 1));
              f.set(sum.low, xor(sum.low, xor(shared, lowPart)));
              const highPart = arithmetic.times(both, tableFrom(3 * output + 2));
              f.set(sum.high, xor(sum.high, xor(shared, highPart)));
            });
            f.advance(coefficient, coefficientBytes);
            f.advance(plane, planeBytes);
          },
          () => less(coefficient, coefficientsEnd),
        );
        f.set(plane, p.out);
        for (const sum of sums) {
          storePlanes(f, plane, p.w, 0, sum);
          f.advance(plane, planeBytes);
        }
        f.advance(p.work, 16);
        f.advance(p.out, 16);
      },
      () => less(p.work, end),
    );
    return undefined;
  });
}

/** All functions of this file. */
export const rowFunctions: FunctionMaker = (build) => [
  planesFromRows(build),
  scaledPlanesFromRows(build),
  scalePlanes(build),
  addScaled(build),
  rowsFromPlanes(build),
  rowsFromPlanesList(build),
  ...[1, 2, 4].map((outputs) => combineRows(build, outputs)),
];
