/**
 * @module
 * The field GF(2^16) in the coordinates of the Cantor basis: tables, product and inverse of single
 * symbols. Not for bulk data: rows of symbols are the engine's work.
 *
 * A symbol is a 16-bit integer. Its bit `i` is the coordinate on the basis element `v_i`, so addition
 * is XOR, and the integer `i` is also the evaluation point of codeword position `i` (erasure spec §1.1).
 */

/** Reduction polynomial x^16 + x^5 + x^3 + x^2 + 1, bit i = coefficient of x^i (erasure spec §1.1). */
const POLYNOMIAL = 0x1002d;

/** Number of field elements, 2^16. */
export const FIELD_SIZE = 65_536;

/** Number of units. It is the order of `x`, and logarithms are added modulo it. */
export const UNITS: number = FIELD_SIZE - 1;

/**
 * The Cantor basis `v_0 … v_15` as polynomials in `x` (erasure spec §1.1). To derive it: `v_0 = 1`,
 * and `v_(i+1)` is that one of the two roots of `X^2 + X = v_i` which is listed here (they differ
 * by 1); the choice fixes the code.
 */
export const CANTOR_BASIS: readonly number[] = [
  0x0001, 0xacca, 0x3c0e, 0x163e, 0xc582, 0xed2e, 0x914c, 0x4012, 0x6c98, 0x10d8, 0x6a72, 0xb900,
  0xfdb8, 0xfb34, 0xff38, 0x991e,
];

/** Symbol -> polynomial in x, by the recurrence `poly[2^i + j] = poly[j] + v_i` (erasure spec §1.2). */
function polynomials(): Uint16Array {
  const poly = new Uint16Array(FIELD_SIZE);
  CANTOR_BASIS.forEach((element, bit) => {
    const half = 1 << bit;
    for (let j = 0; j < half; j += 1) {
      poly[half + j] = poly[j]! ^ element;
    }
  });
  return poly;
}

function buildTables(): FieldTables {
  const symbolOf = new Uint16Array(FIELD_SIZE);
  polynomials().forEach((poly, symbol) => {
    symbolOf[poly] = symbol;
  });
  const exp = new Uint16Array(2 * UNITS);
  const log = new Uint16Array(FIELD_SIZE);
  let power = 1;
  for (let e = 0; e < UNITS; e += 1) {
    const symbol = symbolOf[power]!;
    exp[e] = symbol;
    exp[e + UNITS] = symbol;
    log[symbol] = e;
    power <<= 1;
    if (power >= FIELD_SIZE) {
      power ^= POLYNOMIAL;
    }
  }
  return { exp, log };
}

/** The tables of {@link fieldTables}. */
export type FieldTables = {
  /**
   * `exp[e]` is the symbol of `x^e`. It is stored for `0 <= e < 2 * 65535`, so that the sum of two
   * logarithms needs no reduction (erasure spec §1.2).
   */
  readonly exp: Uint16Array;
  /** `log[s]` is the exponent of `x` for a symbol `s > 0`; `log[0]` is 0 and means nothing (§1.2). */
  readonly log: Uint16Array;
};

let tables: FieldTables | undefined;

/**
 * Powers and logarithms of the whole field. They are made at the first call: that takes some
 * milliseconds in a fresh process, which a process that never multiplies this way need not pay.
 */
export function fieldTables(): FieldTables {
  tables ??= buildTables();
  return tables;
}

/** The product of two symbols. */
export function multiply(a: number, b: number): number {
  if (a === 0 || b === 0) {
    return 0;
  }
  const { exp, log } = fieldTables();
  return exp[log[a]! + log[b]!]!;
}

/**
 * The inverse of a symbol.
 *
 * @throws RangeError for 0.
 */
export function inverse(symbol: number): number {
  if (symbol === 0) {
    throw new RangeError('symbol: 0 has no inverse');
  }
  const { exp, log } = fieldTables();
  return exp[UNITS - log[symbol]!]!;
}
