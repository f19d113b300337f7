/**
 * @module
 * The stored form of one chunk: a version byte, 1, and the SCALE `ErasureChunk` that also travels
 * (recovery spec §2.4). What comes out is not verified.
 */

import { decodeErasureChunk, encodeErasureChunk } from '../codec/erasure-chunk.ts';
import type { Chunk } from '../primitives/chunk.ts';
import { CodecError } from '../primitives/errors.ts';

const VERSION = 1;

/** The stored form of a chunk. */
export function encodeChunkEntry(chunk: Chunk): Uint8Array {
  const encoded = encodeErasureChunk(chunk);
  const entry = new Uint8Array(1 + encoded.length);
  entry[0] = VERSION;
  entry.set(encoded, 1);
  return entry;
}

/**
 * Reads a stored chunk. Strict: unlike on the wire, nothing may follow.
 *
 * Buffers: the result holds views on `entry`.
 *
 * @throws {@link CodecError}
 */
export function decodeChunkEntry(entry: Uint8Array): Chunk {
  if (entry[0] !== VERSION) {
    throw new CodecError('unknown_variant', 'unknown version of a stored chunk', { offset: 0 });
  }
  const { value, bytesRead } = decodeErasureChunk(entry.subarray(1));
  if (bytesRead !== entry.length - 1) {
    throw new CodecError('bad_length', 'bytes follow a stored chunk', { offset: bytesRead + 1 });
  }
  return value;
}
