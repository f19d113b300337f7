/**
 * @module
 * The byte strings that vector files name instead of spelling them out, and digests in their place.
 */

import { createHash } from 'node:crypto';
import { concatBytes, fromHex, toHex } from '../../src/primitives/bytes.ts';
import { blake2b256 } from '../../src/primitives/hash.ts';

/** `[tag, length]` of the payload generator, `['fill:2a', length]`, `['hex:0708', length]`. */
export type Source = readonly [tag: string, length: number];

/** What a vector says about bytes: themselves, or their length and BLAKE2b-256. */
export type Expected =
  | { readonly hex: string }
  | { readonly len: number; readonly blake2b256: string };

/** `payload(tag, len)` of the vector files: SHA-256 of `tag/0`, `tag/1`, …, joined and cut. */
export function payload(tag: string, length: number): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (let i = 0; 32 * i < length; i += 1) {
    blocks.push(createHash('sha256').update(`${tag}/${i}`).digest());
  }
  return concatBytes(blocks).slice(0, length);
}

/** The bytes that a source stands for; plain hex stands for itself. */
export function sourceBytes(source: Source | string): Uint8Array {
  if (typeof source === 'string') {
    return fromHex(source);
  }
  const [tag, length] = source;
  if (tag.startsWith('fill:')) {
    return new Uint8Array(length).fill(Number.parseInt(tag.slice(5), 16));
  }
  return tag.startsWith('hex:') ? fromHex(tag.slice(4), length) : payload(tag, length);
}

/** Bytes in the form that the vector expects them in, for comparison. */
export function inFormOf(expected: Expected, bytes: Uint8Array): Expected {
  return 'hex' in expected
    ? { hex: toHex(bytes) }
    : { len: bytes.length, blake2b256: toHex(blake2b256(bytes)) };
}
