/**
 * @module
 * The order of holders under the ChaCha8 shuffle, and the seed it is drawn from (recovery spec §3.5).
 * Not a scheme of live networks; see the folder's README.
 */

import { concatBytes } from '../primitives/bytes.ts';
import { ChaCha8, SEED_BYTES } from '../primitives/chacha8.ts';
import { blake2b256 } from '../primitives/hash.ts';
import { shuffle } from '../primitives/random.ts';

/** The validators 0 .. n-1 in the order drawn from a seed of 32 bytes. */
export function shuffledOrder(validatorCount: number, seed: Uint8Array): number[] {
  const order = Array.from({ length: validatorCount }, (_, validator) => validator);
  shuffle(order, new ChaCha8(seed));
  return order;
}

/** What a shuffle seed is made from. */
export type ShuffleSeedSource = {
  /** Randomness of the epoch, 32 bytes. */
  readonly epochRandomness: Uint8Array;
  /** Session, a `u32`. */
  readonly sessionIndex: number;
  /** Slot of the block, a `u64`. */
  readonly slot: bigint;
};

/**
 * The seed of a block: `blake2b256(epochRandomness ++ u32le(session) ++ u64le(slot))`.
 *
 * Source: recovery spec §3.5.
 *
 * @throws RangeError when a field does not fit its width.
 */
export function shuffleSeed(source: ShuffleSeedSource): Uint8Array {
  const { epochRandomness, sessionIndex, slot } = source;
  if (epochRandomness.length !== SEED_BYTES) {
    throw new RangeError(
      `epochRandomness: expected ${SEED_BYTES} bytes, got ${epochRandomness.length}`,
    );
  }
  if (!Number.isInteger(sessionIndex) || sessionIndex < 0 || sessionIndex >= 2 ** 32) {
    throw new RangeError(`sessionIndex: expected an integer in 0..2^32-1, got ${sessionIndex}`);
  }
  if (slot < 0n || slot >= 2n ** 64n) {
    throw new RangeError(`slot: expected an integer in 0..2^64-1, got ${slot}`);
  }
  const numbers = new DataView(new ArrayBuffer(12));
  numbers.setUint32(0, sessionIndex, true);
  numbers.setBigUint64(4, slot, true);
  return blake2b256(concatBytes([epochRandomness, new Uint8Array(numbers.buffer)]));
}
