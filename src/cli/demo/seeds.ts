/**
 * @module
 * Everything of the demo that is chance comes from one seed: data, identities, mapping, draws.
 */

import { ChaCha8 } from '../../primitives/chacha8.ts';
import { blake2b256 } from '../../primitives/hash.ts';

/** 32 bytes for one purpose. Different labels give unrelated bytes. */
export function derive(seed: string, label: string): Uint8Array {
  return blake2b256(new TextEncoder().encode(`availability-recovery demo/${label}/${seed}`));
}

/** Data that no compression would help with. */
export function generatedPov(seed: string, byteCount: number): Uint8Array {
  const random = new ChaCha8(derive(seed, 'pov'));
  const words = new Uint32Array(Math.ceil(byteCount / 4));
  for (let i = 0; i < words.length; i += 1) {
    words[i] = random.nextU32();
  }
  return new Uint8Array(words.buffer).slice(0, byteCount);
}
