/**
 * @module
 * Chance as an argument, and the draws that need nothing but 32-bit words. The same seed gives the same
 * run; nothing here reads a global source.
 */

/** A source of uniform 32-bit draws. */
export interface Random {
  /** The next draw, an integer in 0 .. 2^32 - 1. */
  nextU32(): number;
}

/** Bounds are 32-bit numbers. */
const MAX_BOUND = 2 ** 32 - 1;

/** The high 32 bits of the 64-bit product of two 32-bit numbers, without a rounded step. */
function highProduct(a: number, b: number): number {
  const upper = Math.floor(a / 65_536) * b;
  const lower = (a % 65_536) * b;
  return Math.floor((upper + Math.floor(lower / 65_536)) / 65_536);
}

/**
 * A uniform integer in 0 .. bound - 1.
 *
 * Takes words until the low half of `word * bound` is at most the zone, the bound shifted up to its
 * highest bit less 1; then the high half is the draw. It is the rule of Rust's `rand` 0.8 for `u32`, frozen
 * by test vectors. A bound of 1 consumes words too.
 *
 * @param bound - An integer in 1 .. 2^32 - 1.
 * @throws RangeError for any other bound.
 */
export function drawBelow(random: Random, bound: number): number {
  if (!Number.isInteger(bound) || bound < 1 || bound > MAX_BOUND) {
    throw new RangeError(`bound: expected an integer in 1..${MAX_BOUND}, got ${bound}`);
  }
  const zone = ((bound << Math.clz32(bound)) >>> 0) - 1;
  let word = random.nextU32();
  while (Math.imul(word, bound) >>> 0 > zone) {
    word = random.nextU32();
  }
  return highProduct(word, bound);
}

/** Shuffles in place: from the last element down to the second, swap with a draw at or before it. */
export function shuffle<T>(items: T[], random: Random): void {
  for (let i = items.length - 1; i > 0; i -= 1) {
    const j = drawBelow(random, i + 1);
    // Both are within the array: 0 <= j <= i < length.
    const drawn = items[j] as T;
    items[j] = items[i] as T;
    items[i] = drawn;
  }
}
