/**
 * @module
 * Chance as an argument. The same seed gives the same run; nothing here reads a global source.
 */

/** A source of uniform 32-bit draws. */
export interface Random {
  /** The next draw, an integer in 0 .. 2^32 - 1. */
  nextU32(): number;
}
