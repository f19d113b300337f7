/**
 * @module
 * Much chance quickly, for tests that fill memory: a 32-bit mixing generator, good enough to leave no byte
 * as it was. Where statistics matter there is ChaCha8.
 */

import type { Random } from '../../src/primitives/random.ts';

/** A generator of 32-bit words (the finalizer of MurmurHash3 over a counter). */
export class FastRandom implements Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  nextU32(): number {
    this.#state = (this.#state + 0x9e37_79b9) >>> 0;
    let word = this.#state;
    word = Math.imul(word ^ (word >>> 16), 0x85eb_ca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2_ae35);
    return (word ^ (word >>> 16)) >>> 0;
  }

  /** An integer in 0 .. bound - 1, almost uniform. */
  below(bound: number): number {
    return Math.floor((this.nextU32() / 2 ** 32) * bound);
  }

  /** Overwrites every byte. */
  fill(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i += 4) {
      const word = this.nextU32();
      bytes[i] = word;
      bytes[i + 1] = word >>> 8;
      bytes[i + 2] = word >>> 16;
      bytes[i + 3] = word >>> 24;
    }
  }
}
