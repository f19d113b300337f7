/**
 * @module
 * Single symbols in tower form: logarithm, exponential and product from tables of a few hundred
 * entries. Plans of decoding use it, so that they need none of the tables of the whole field.
 *
 * The tower form of a symbol is the pair (low, high) over GF(2^8) that stands for `low + high · v_8`,
 * held as one integer `high * 256 + low` (erasure spec §1.4). A symbol below 256 is its own tower form.
 */

/** Order of the field's units. */
const UNITS = 65_535;

/**
 * Index of the units of GF(2^8) in all units: `x^257` generates them (erasure spec §1.3), and each
 * unit is `x^r` times a unit of GF(2^8), with one r in 0 .. 256.
 */
const INDEX = 257;

/** Units of GF(2^8). */
const BYTE_UNITS = 255;

/**
 * `b_i`, by which the element `v_(8+i)` differs from `v_8 · v_i` (erasure spec §1.4); to derive it,
 * multiply and add.
 */
const TOWER_STEPS: readonly number[] = [0x00, 0xcf, 0xab, 0x21, 0x8a, 0x9d, 0x27, 0x1f];

/** `x^257 · v_i` for i in 0 .. 7, where `x^257 = 7a` (erasure spec §1.3); to derive, multiply. */
const GENERATOR_STEPS: readonly number[] = [0x7a, 0xab, 0x93, 0x1b, 0xbf, 0x7e, 0x36, 0x0d];

/** `x` in tower form: the symbol `4690` (erasure spec §1.2). */
const X_LOW = 0x90;
const X_HIGH = 0x46;

/** The image of each byte under the linear map that takes bit i to `steps[i]`. */
function linearTable(steps: readonly number[]): Uint8Array {
  const table = new Uint8Array(256);
  steps.forEach((step, bit) => {
    const half = 1 << bit;
    for (let j = 0; j < half; j += 1) {
      table[half + j] = table[j]! ^ step;
    }
  });
  return table;
}

/** What is added to the low byte of a symbol for its high byte, to get the tower form or back. */
const TOWER_MAP: Uint8Array = linearTable(TOWER_STEPS);

/** Powers of the generator of GF(2^8), twice over so that sums of two logarithms need no reduction. */
const BYTE_EXP = new Uint8Array(2 * BYTE_UNITS);

/** Logarithms in GF(2^8); that of 0 means nothing. */
const BYTE_LOG = new Uint8Array(256);

/** `x^r` in tower form for r in 0 .. 256. */
const LINE_EXP = new Uint16Array(INDEX);

/** By `low / high`: the logarithm of the unit `low / high + v_8`. */
const LINE_LOG = new Uint16Array(256);

function multiplyBytes(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : BYTE_EXP[BYTE_LOG[a]! + BYTE_LOG[b]!]!;
}

function fillTables(): void {
  const times = linearTable(GENERATOR_STEPS);
  let power = 1;
  for (let e = 0; e < BYTE_UNITS; e += 1) {
    BYTE_EXP[e] = power;
    BYTE_EXP[e + BYTE_UNITS] = power;
    BYTE_LOG[power] = e;
    power = times[power]!;
  }
  const x = toTower(X_HIGH * 256 + X_LOW);
  LINE_EXP[0] = 1;
  for (let r = 1; r < INDEX; r += 1) {
    const line = multiplyTower(LINE_EXP[r - 1]!, x);
    LINE_EXP[r] = line;
    const high = BYTE_LOG[line >> 8]!;
    const slope = multiplyBytes(line & 255, BYTE_EXP[BYTE_UNITS - high]!);
    LINE_LOG[slope] = (r + UNITS - INDEX * high) % UNITS;
  }
}

/** The tower form of a symbol, or the symbol of a tower form: the map is its own inverse. */
export function toTower(symbol: number): number {
  return symbol ^ TOWER_MAP[symbol >> 8]!;
}

/** The product of two symbols in tower form, in tower form (erasure spec §1.4). */
export function multiplyTower(a: number, b: number): number {
  const a0 = a & 255;
  const a1 = a >> 8;
  const b0 = b & 255;
  const b1 = b >> 8;
  const low = multiplyBytes(a0, b0) ^ multiplyBytes(0x80, multiplyBytes(a1, b1));
  const high = multiplyBytes(a1, b0) ^ multiplyBytes(a0 ^ a1, b1);
  return high * 256 + low;
}

/**
 * The logarithm to the base `x` of a unit in tower form, in 0 .. 65534; of 0 it means nothing.
 * Equal to the logarithm of the symbol in `field.ts`.
 */
export function towerLog(unit: number): number {
  const low = unit & 255;
  const high = unit >> 8;
  if (high === 0) {
    return INDEX * BYTE_LOG[low]!;
  }
  const inverse = BYTE_UNITS - BYTE_LOG[high]!;
  const slope = low === 0 ? 0 : BYTE_EXP[BYTE_LOG[low]! + inverse]!;
  return (INDEX * BYTE_LOG[high]! + LINE_LOG[slope]!) % UNITS;
}

/** `x^exponent` in tower form, for an exponent in 0 .. 65534. */
export function towerExp(exponent: number): number {
  const scale = Math.trunc(exponent / INDEX);
  const line = LINE_EXP[exponent - INDEX * scale]!;
  const low = line & 255;
  const high = line >> 8;
  return (
    (high === 0 ? 0 : BYTE_EXP[BYTE_LOG[high]! + scale]! * 256) |
    (low === 0 ? 0 : BYTE_EXP[BYTE_LOG[low]! + scale]!)
  );
}

fillTables();
