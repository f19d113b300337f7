/**
 * @module
 * Products of 16 symbols at a time, for the functions that need them: by half bytes, with the tables at
 * `PRODUCTS` (erasure spec §1.4).
 */

import { FIRST_BYTES, NIBBLE_MASK, PRODUCT_SHIFT, PRODUCTS, TOWER } from '../memory-map.ts';
import type { Build } from './build.ts';
import {
  add,
  and,
  and32,
  type Body,
  type I32,
  type Local,
  load8,
  loadV,
  shift,
  shl,
  shr,
  shuffle,
  type V128,
  vector,
  xor,
  xor32,
} from './function-text.ts';

/** A vector in a local. */
export type Vector = Local<'v128'>;

/** The half bytes of a vector: what tables are indexed by. */
export type Halves = { readonly low: Vector; readonly high: Vector };

/** Products of one constant of GF(2^8): by low half byte, by high half byte. */
export type Table = { readonly low: V128; readonly high: V128 };

/**
 * Products of one constant `(c0, c1)` of GF(2^16), in tower coordinates. The product with `(L, H)` is
 * `(c0 L + v7 c1 H, c1 L + (c0 + c1) H)`, and its high byte is `c0 L + (c0 + c1)(L + H)`: three byte
 * products instead of four.
 */
export type WideTable = { readonly c0: Table; readonly c1v7: Table; readonly sum: Table };

/** Low and high bytes of 16 symbols. */
export type Pair = { readonly low: Vector; readonly high: Vector };

/** Lanes of an interleave: the low or high halves of two vectors, `bytes` at a time from each. */
export function interleave(bytes: number, isHigh: boolean, a: V128, b: V128): V128 {
  const first = isHigh ? 8 : 0;
  const lanes: number[] = [];
  for (let at = first; at < first + 8; at += bytes) {
    for (const vectorStart of [0, 16]) {
      for (let byte = 0; byte < bytes; byte += 1) {
        lanes.push(vectorStart + at + byte);
      }
    }
  }
  return shuffle(lanes, a, b);
}

/** Product of a byte in GF(2^8) by `v7 = 128`, from the tables. */
function timesV7(f: Body, byte: Local<'i32'>): Local<'i32'> {
  const row = PRODUCTS + (128 << PRODUCT_SHIFT);
  return f.let(xor32(load8(and32(byte, 15), row), load8(shr(byte, 4), row + 16)));
}

/** Arithmetic inside one function. Constants that loops use are in locals from here on. */
export class Arithmetic {
  readonly #f: Body;
  readonly #build: Build;
  readonly #mask: Vector;

  constructor(f: Body, build: Build) {
    this.#f = f;
    this.#build = build;
    // From memory: V8 makes a literal anew at each use in a loop, which costs a quarter of the time.
    this.#mask = f.let(loadV(NIBBLE_MASK));
  }

  /** Splits bytes into half bytes. */
  halves(bytes: Vector): Halves {
    const f = this.#f;
    return {
      low: f.let(and(bytes, this.#mask)),
      high: f.let(and(shift('i16x8.shr_u', bytes, 4), this.#mask)),
    };
  }

  /** The sum of two split vectors, split. */
  sumOf(a: Halves, b: Halves): Halves {
    return { low: this.#f.let(xor(a.low, b.low)), high: this.#f.let(xor(a.high, b.high)) };
  }

  /** Loads the table at an address into locals. */
  tableAt(address: I32): Table {
    return { low: this.#f.let(loadV(address)), high: this.#f.let(loadV(address, 16)) };
  }

  /** Loads the products of a constant of GF(2^8) into locals. */
  tableOf(constant: I32): Table {
    return this.tableAt(this.#f.let(add(PRODUCTS, shl(constant, PRODUCT_SHIFT))));
  }

  /** Loads the tower map into locals. */
  towerTable(): Table {
    return this.tableAt(TOWER);
  }

  /** Loads the products of a constant given in tower coordinates. */
  wideTable(c0: Local<'i32'>, c1: Local<'i32'>): WideTable {
    return {
      c0: this.tableOf(c0),
      c1v7: this.tableOf(timesV7(this.#f, c1)),
      sum: this.tableOf(xor32(c0, c1)),
    };
  }

  /** {@link Arithmetic.wideTable} of a symbol in the coordinates of the field. */
  wideTableOf(symbol: Local<'i32'>): WideTable {
    const f = this.#f;
    const c1 = f.let(shr(symbol, 8));
    const tower = xor32(load8(and32(c1, 15), TOWER), load8(shr(c1, 4), TOWER + 16));
    const c0 = f.let(xor32(and32(symbol, 255), tower));
    return this.wideTable(c0, c1);
  }

  /** Products by a constant of GF(2^8). */
  times(halves: Halves, table: Table): V128 {
    const { swizzle } = this.#build;
    return xor(swizzle(table.low, halves.low), swizzle(table.high, halves.high));
  }

  /** {@link Arithmetic.times} of a vector that is not split. */
  product(bytes: Vector, table: Table): V128 {
    return this.times(this.halves(bytes), table);
  }

  /** Products by a constant of GF(2^16): `(c0 L + v7 c1 H, c0 L + (c0 + c1)(L + H))`. */
  wideProduct({ low, high }: Pair, table: WideTable): Pair {
    const f = this.#f;
    const lowHalves = this.halves(low);
    const highHalves = this.halves(high);
    const shared = f.let(this.times(lowHalves, table.c0));
    const sum = this.sumOf(lowHalves, highHalves);
    return {
      low: f.let(xor(shared, this.times(highHalves, table.c1v7))),
      high: f.let(xor(shared, this.times(sum, table.sum))),
    };
  }

  /** Low bytes in tower coordinates from those of the field, or back; high bytes stay. */
  throughTower({ low, high }: Pair, tower: Table): Pair {
    return { low: this.#f.let(xor(low, this.product(high, tower))), high };
  }
}

/** Takes 16 big-endian symbols apart, given in two vectors. `firstBytes`: the constant of that name. */
export function bytesOfSymbols(f: Body, a: Vector, b: Vector, firstBytes: Vector): Pair {
  // Narrowing beats the shuffle of even and odd bytes by a seventh; V8 has no single instruction for that.
  const high = vector('i8x16.narrow_i16x8_u', and(a, firstBytes), and(b, firstBytes));
  const low = vector(
    'i8x16.narrow_i16x8_u',
    shift('i16x8.shr_u', a, 8),
    shift('i16x8.shr_u', b, 8),
  );
  return { low: f.let(low), high: f.let(high) };
}

/** Loads the constant for {@link bytesOfSymbols}. */
export function firstBytesMask(f: Body): Vector {
  return f.let(loadV(FIRST_BYTES));
}

/** Writes 16 symbols big-endian, from field coordinates. */
export function storeSymbols(f: Body, at: Local<'i32'>, offset: number, { low, high }: Pair): void {
  f.storeV(at, interleave(1, false, high, low), offset);
  f.storeV(at, interleave(1, true, high, low), offset + 16);
}
