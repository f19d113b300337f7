/**
 * @module
 * BLAKE2b with a 32-byte digest, the only hash of the protocol (recovery spec §2).
 */

// Not from the package's root: that loads every cipher and curve, 0.3 s of CPU more per process.
import { blake2AsU8a } from '@polkadot/util-crypto/blake2';
import { cryptoWaitReady } from '@polkadot/util-crypto/crypto';

/** Size of every hash of the protocol, in bytes. */
export const HASH_BYTES = 32;

/**
 * BLAKE2b-256 without key: 32 bytes. Works before {@link hashReady}, about 31 times slower.
 *
 * @throws TypeError for what is no bytes. The library would hash a hex string as the bytes it spells, and
 *   nothing for `undefined`, so that a proof would hold for what no decoder reads alike.
 */
export function blake2b256(bytes: Uint8Array): Uint8Array {
  if (!(bytes instanceof Uint8Array)) {
    throw new TypeError(`bytes: expected a Uint8Array, got ${typeof bytes}`);
  }
  return blake2AsU8a(bytes, 256);
}

/** Resolves once the WebAssembly hash is loaded. */
export async function hashReady(): Promise<void> {
  await cryptoWaitReady();
}
