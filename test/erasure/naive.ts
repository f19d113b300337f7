/**
 * @module
 * The code as its definition reads, independent of the package's tables and transforms: products of
 * polynomials, interpolation term by term. Slow, and the reference for properties.
 */

/** Basis element i as a polynomial in x (erasure spec §1.1), spelled again on purpose. */
const BASIS = [
  0x0001, 0xacca, 0x3c0e, 0x163e, 0xc582, 0xed2e, 0x914c, 0x4012, 0x6c98, 0x10d8, 0x6a72, 0xb900,
  0xfdb8, 0xfb34, 0xff38, 0x991e,
];

/** Product of two polynomials in x modulo x^16 + x^5 + x^3 + x^2 + 1. */
export function multiplyPolynomials(a: number, b: number): number {
  let product = 0;
  for (let bit = 15; bit >= 0; bit -= 1) {
    product <<= 1;
    if (product & 0x10000) {
      product ^= 0x1002d;
    }
    if ((b >> bit) & 1) {
      product ^= a;
    }
  }
  return product;
}

/** The polynomial that a symbol stands for. */
function polynomialOf(symbol: number): number {
  return BASIS.reduce((sum, element, bit) => ((symbol >> bit) & 1 ? sum ^ element : sum), 0);
}

/** The symbol of a polynomial, by elimination: no table. */
function eliminate(): readonly { readonly pivot: number; readonly symbol: number }[] {
  const rows: { pivot: number; symbol: number }[] = [];
  BASIS.forEach((element, bit) => {
    let pivot = element;
    let symbol = 1 << bit;
    for (const row of rows) {
      if ((pivot ^ row.pivot) < pivot) {
        pivot ^= row.pivot;
        symbol ^= row.symbol;
      }
    }
    rows.push({ pivot, symbol });
    rows.sort((a, b) => b.pivot - a.pivot);
  });
  return rows;
}

const ROWS = eliminate();

/** The symbol of a polynomial in x. */
export function symbolOf(polynomial: number): number {
  let rest = polynomial;
  let symbol = 0;
  for (const row of ROWS) {
    if ((rest ^ row.pivot) < rest) {
      rest ^= row.pivot;
      symbol ^= row.symbol;
    }
  }
  return symbol;
}

/** Product of two symbols. */
export function product(a: number, b: number): number {
  return symbolOf(multiplyPolynomials(polynomialOf(a), polynomialOf(b)));
}

/** `a^(2^16 - 2)`, the inverse of a symbol. */
export function reciprocal(a: number): number {
  let power = a;
  let result = 1;
  for (let i = 1; i < 16; i += 1) {
    power = product(power, power);
    result = product(result, power);
  }
  return result;
}

/** The value at `x` of the polynomial of lowest degree through the given points (Lagrange). */
export function interpolate(points: ReadonlyMap<number, number>, x: number): number {
  let sum = 0;
  for (const [a, value] of points) {
    let term = value;
    for (const b of points.keys()) {
      if (b !== a) {
        term = product(term, product(x ^ b, reciprocal(a ^ b)));
      }
    }
    sum ^= term;
  }
  return sum;
}

/** Big-endian symbols of a chunk. */
export function symbolsOf(bytes: Uint8Array): number[] {
  return Array.from(
    { length: bytes.length / 2 },
    (_, c) => bytes[2 * c]! * 256 + bytes[2 * c + 1]!,
  );
}
