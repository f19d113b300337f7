/**
 * @module
 * The hashing functions of the kernel. Not for callers: `row-hasher.ts` checks and splits what they take.
 */

/** Words in an entry of a list of rows: address of the row, of its state, and of its digest. */
export const HASH_ENTRY_WORDS = 3;

/** Start from BLAKE2b-256's initial state; the states are not read. */
export const HASH_IS_FIRST = 1;
/** End the messages and write digests; the states are not written. */
export const HASH_IS_LAST = 2;

/**
 * Hashes a group of bytes of each row.
 *
 * Reads `bytes` at each row, 64 bytes at each state; writes states or digests (32 bytes). None needs
 * alignment. `bytes` is a multiple of 128 unless it is the last group, and 0 only if the row is empty.
 * Scratch holds garbage before and after.
 *
 * @param list - Entries { row, state, digest }.
 * @param count - Entries to take; those that do not fill a batch of the kernel are left.
 * @param before - Bytes of each row that earlier groups took.
 * @param flags - {@link HASH_IS_FIRST}, {@link HASH_IS_LAST}.
 */
export type HashRowsFunction = (
  list: number,
  count: number,
  bytes: number,
  before: number,
  flags: number,
  scratch: number,
) => void;

/** BLAKE2b-256 of rows, in batches of as many as a kernel takes at once. */
export type HashExports = {
  /** Two rows at a time; an odd one is hashed with itself, so none is left. */
  readonly hashPair: HashRowsFunction;
  /** Four rows at a time. */
  readonly hashPairs: HashRowsFunction;
  /** Five rows at a time. */
  readonly hashHybrid: HashRowsFunction;
};
