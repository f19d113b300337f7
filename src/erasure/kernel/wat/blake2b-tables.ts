/**
 * @module
 * Constants of BLAKE2b-256 as they lie in the kernel's memory (RFC 7693; places in `memory-map.ts`).
 */

import {
  BLAKE2B_IV,
  BLAKE2B_ORDER,
  BLAKE2B_ROTATE_16,
  BLAKE2B_ROTATE_24,
  BLAKE2B_START,
} from '../memory-map.ts';
import type { DataSegment } from './function-text.ts';

/** Rounds of one compression. */
export const ROUNDS = 12;

/** Word order of the ten permutations; rounds 10 and 11 use the first two again (RFC 7693 §2.7). */
const SIGMA: readonly (readonly number[])[] = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];

/** Initial values (RFC 7693 §2.6): the first 64 bits of the fractions of the first primes' roots. */
export const INITIAL_VALUES: readonly bigint[] = [
  0x6a09_e667_f3bc_c908n,
  0xbb67_ae85_84ca_a73bn,
  0x3c6e_f372_fe94_f82bn,
  0xa54f_f53a_5f1d_36f1n,
  0x510e_527f_ade6_82d1n,
  0x9b05_688c_2b3e_6c1fn,
  0x1f83_d9ab_fb41_bd6bn,
  0x5be0_cd19_137e_2179n,
];

/** First word of the parameter block: 32-byte digest, no key, no tree (RFC 7693 §2.5). */
const PARAMETERS = 0x0101_0020n;

/** Bytes of 64-bit words, little-endian. */
function wordBytes(words: readonly bigint[]): Uint8Array {
  return new Uint8Array(BigUint64Array.from(words).buffer);
}

const twice = (words: readonly bigint[]): bigint[] => words.flatMap((word) => [word, word]);

/** For a byte look-up that rotates each of two 64-bit words to the right by whole bytes. */
function rotation(bytes: number): Uint8Array {
  return Uint8Array.from({ length: 16 }, (_, i) => (i & 8) | ((i + bytes) & 7));
}

function wordOrder(): Uint8Array {
  const used = Array.from(
    { length: ROUNDS },
    (_, round) => SIGMA[round % SIGMA.length] ?? [],
  ).flat();
  const offsets = [16, 8].flatMap((size) => used.map((word) => word * size));
  return new Uint8Array(Uint32Array.from(offsets).buffer);
}

/** The segments; made on a little-endian host, as all hosts of the generator are. */
export const blake2bTables: readonly DataSegment[] = [
  { address: BLAKE2B_ROTATE_16, bytes: rotation(2) },
  { address: BLAKE2B_ROTATE_24, bytes: rotation(3) },
  { address: BLAKE2B_IV, bytes: wordBytes(twice(INITIAL_VALUES)) },
  {
    address: BLAKE2B_START,
    bytes: wordBytes(twice(INITIAL_VALUES.map((word, i) => (i === 0 ? word ^ PARAMETERS : word)))),
  },
  { address: BLAKE2B_ORDER, bytes: wordOrder() },
];
