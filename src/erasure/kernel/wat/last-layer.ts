/**
 * @module
 * The last layer of the FFT together with the way out to byte rows: the layer is bound by arithmetic, the
 * way out by memory, and in one pass they overlap. Encoding takes 0.94 to 0.95 of its time with two passes
 * (k = 256, n = 1000, 10 MiB; stripes alternating in rotating order, each variant with buffers of its own,
 * 10th percentile). The same on the way in, the first two inverse layers after the transpose, gained 0.01
 * and was left out.
 */

import { Arithmetic, type Pair, storeSymbols, type Table } from './arithmetic.ts';
import type { Build, FunctionMaker } from './build.ts';
import { eachEntry } from './entries.ts';
import {
  add,
  type Body,
  type FunctionText,
  functionText,
  type Local,
  less,
  loadV,
  mul,
  select,
  shl,
  xor,
} from './function-text.ts';

type Address = Local<'i32'>;

/** Where two rows of planes are, and the two byte rows they become. */
type RowPair = {
  readonly x: Address;
  readonly y: Address;
  readonly toX: Address;
  readonly toY: Address;
  readonly w: Address;
};

/** Butterflies of two rows, 16 columns at a time; `toY` is written before `toX`. */
function butterfliesToRows(
  f: Body,
  arithmetic: Arithmetic,
  tower: Table,
  pair: RowPair,
  product: (pair: Pair) => Pair,
): void {
  const { x, y, toX, toY, w } = pair;
  const end = f.let(add(x, w));
  f.repeat(
    () => {
      const right = { low: f.let(loadV(y)), high: f.let(loadV(add(y, w))) };
      const sum = product(right);
      const left = {
        low: f.let(xor(loadV(x), sum.low)),
        high: f.let(xor(loadV(add(x, w)), sum.high)),
      };
      const both = {
        low: f.let(xor(right.low, left.low)),
        high: f.let(xor(right.high, left.high)),
      };
      storeSymbols(f, toY, 0, arithmetic.throughTower(both, tower));
      storeSymbols(f, toX, 0, arithmetic.throughTower(left, tower));
      f.advance(x, 16);
      f.advance(y, 16);
      f.advance(toX, 32);
      f.advance(toY, 32);
    },
    () => less(x, end),
  );
}

/** One pair of rows with the twiddle of its position. The addresses of the pair advance. */
function lastLayerPair(
  f: Body,
  arithmetic: Arithmetic,
  tower: Table,
  pair: RowPair,
  position: Address,
): void {
  f.if(
    less(position, 256),
    () => {
      const table = arithmetic.tableOf(position);
      butterfliesToRows(f, arithmetic, tower, pair, ({ low, high }) => ({
        low: f.let(arithmetic.product(low, table)),
        high: f.let(arithmetic.product(high, table)),
      }));
    },
    () => {
      const table = arithmetic.wideTableOf(position);
      butterfliesToRows(f, arithmetic, tower, pair, (right) =>
        arithmetic.wideProduct(right, table),
      );
    },
  );
}

/** See `LayoutExports.rowsFromLastLayer`. */
function rowsFromLastLayer(build: Build): FunctionText {
  const parameters = ['work', 'w', 'count', 'rows', 'rowStride', 'position'] as const;
  return functionText('rowsFromLastLayer', parameters, (f, p) => {
    const arithmetic = new Arithmetic(f, build);
    const tower = arithmetic.towerTable();
    const planeBytes = f.let(shl(p.w, 1));
    const end = f.let(add(p.work, mul(p.count, planeBytes)));
    const pair = {
      ...{ x: f.local('i32'), y: f.local('i32'), w: p.w },
      ...{ toX: f.local('i32'), toY: f.local('i32') },
    };
    f.while(
      () => less(p.work, end),
      () => {
        f.set(pair.x, p.work);
        f.set(pair.y, add(p.work, planeBytes));
        f.set(pair.toX, p.rows);
        // The second row of the last pair may be one too many: the first one is written over it.
        f.set(pair.toY, select(add(p.rows, p.rowStride), p.rows, less(pair.y, end)));
        lastLayerPair(f, arithmetic, tower, pair, p.position);
        f.advance(p.position, 2);
        f.set(p.work, add(p.work, shl(planeBytes, 1)));
        f.set(p.rows, add(p.rows, shl(p.rowStride, 1)));
      },
    );
    return undefined;
  });
}

/** See `LayoutExports.rowsFromLastLayerList`. */
function rowsFromLastLayerList(build: Build): FunctionText {
  const parameters = ['list', 'count', 'byteOffset', 'w', 'discard'] as const;
  return functionText('rowsFromLastLayerList', parameters, (f, p) => {
    const arithmetic = new Arithmetic(f, build);
    const tower = arithmetic.towerTable();
    const y = f.local('i32');
    eachEntry(f, { ...p, words: 4 }, (words) => {
      const [x, toX, toY, position] = words as readonly [Address, Address, Address, Address];
      f.set(y, add(x, shl(p.w, 1)));
      for (const to of [toX, toY]) {
        f.set(to, select(add(to, p.byteOffset), p.discard, to));
      }
      lastLayerPair(f, arithmetic, tower, { x, y, toX, toY, w: p.w }, position);
    });
    return undefined;
  });
}

/** All functions of this file. */
export const lastLayerFunctions: FunctionMaker = (build) => [
  rowsFromLastLayer(build),
  rowsFromLastLayerList(build),
];
