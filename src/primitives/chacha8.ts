/**
 * @module
 * A seeded source of draws: the ChaCha stream with 8 rounds. For simulations and the shuffle mapping,
 * where a run must repeat itself exactly. Not for keys.
 */

import { drawBelow, type Random } from './random.ts';

/** Bytes of a seed: the ChaCha key. */
export const SEED_BYTES = 32;

/** "expand 32-byte k", the four constant words of ChaCha. */
const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574];

/** Words in one block of the stream. */
const BLOCK_WORDS = 16;

/** 8 rounds: four times the columns and the diagonals. */
const DOUBLE_ROUNDS = 4;

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** Mixes four words in place. The indices are below 16, so every read finds a word. */
function quarterRound(words: Uint32Array, i: number, j: number, k: number, l: number): void {
  let a = words[i] ?? 0;
  let b = words[j] ?? 0;
  let c = words[k] ?? 0;
  let d = words[l] ?? 0;
  a = (a + b) | 0;
  d = rotateLeft(d ^ a, 16);
  c = (c + d) | 0;
  b = rotateLeft(b ^ c, 12);
  a = (a + b) | 0;
  d = rotateLeft(d ^ a, 8);
  c = (c + d) | 0;
  b = rotateLeft(b ^ c, 7);
  words[i] = a;
  words[j] = b;
  words[k] = c;
  words[l] = d;
}

/** Writes the block of a state: columns and diagonals in turn, then the state added. */
function fillBlock(words: Uint32Array, state: Uint32Array): void {
  words.set(state);
  for (let round = 0; round < DOUBLE_ROUNDS; round += 1) {
    for (let column = 0; column < 4; column += 1) {
      quarterRound(words, column, 4 + column, 8 + column, 12 + column);
    }
    for (let column = 0; column < 4; column += 1) {
      const [b, c, d] = [(column + 1) % 4, (column + 2) % 4, (column + 3) % 4];
      quarterRound(words, column, 4 + b, 8 + c, 12 + d);
    }
  }
  for (let i = 0; i < BLOCK_WORDS; i += 1) {
    words[i] = (words[i] ?? 0) + (state[i] ?? 0);
  }
}

/**
 * The ChaCha8 stream of a seed, word by word: blocks 0, 1, 2, … in order, stream id 0.
 *
 * Draws of both widths take the next words of the one stream, at any offset. The stream and the draw rule
 * are frozen by test vectors and do not depend on the release of any library.
 */
export class ChaCha8 implements Random {
  /** Constants, key, 64-bit block counter (words 12 and 13), stream id (14 and 15). */
  readonly #state = new Uint32Array(BLOCK_WORDS);
  readonly #block = new Uint32Array(BLOCK_WORDS);
  #next = BLOCK_WORDS;

  /**
   * @param seed - 32 bytes; not kept.
   * @throws RangeError when it has another length.
   */
  constructor(seed: Uint8Array) {
    if (seed.length !== SEED_BYTES) {
      throw new RangeError(`seed: expected ${SEED_BYTES} bytes, got ${seed.length}`);
    }
    const key = new DataView(seed.buffer, seed.byteOffset, seed.byteLength);
    this.#state.set(CONSTANTS);
    for (let i = 0; i < 8; i += 1) {
      this.#state[4 + i] = key.getUint32(4 * i, true);
    }
  }

  /** The next word of the stream. */
  nextU32(): number {
    if (this.#next === BLOCK_WORDS) {
      fillBlock(this.#block, this.#state);
      this.#next = 0;
      this.#advanceCounter();
    }
    const word = this.#block[this.#next] ?? 0;
    this.#next += 1;
    return word;
  }

  /** The next two words; the first is the low half. */
  nextU64(): bigint {
    const low = BigInt(this.nextU32());
    return (BigInt(this.nextU32()) << 32n) | low;
  }

  /** A uniform integer in 0 .. bound - 1; see {@link drawBelow}. */
  nextBelow(bound: number): number {
    return drawBelow(this, bound);
  }

  #advanceCounter(): void {
    const low = ((this.#state[12] ?? 0) + 1) >>> 0;
    this.#state[12] = low;
    if (low === 0) {
      this.#state[13] = (this.#state[13] ?? 0) + 1;
    }
  }
}
