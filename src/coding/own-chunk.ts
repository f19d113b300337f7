/**
 * @module
 * Copies of chunks in memory that nobody else can reach.
 */

import type { Chunk } from '../primitives/chunk.ts';

/** A copy of a chunk, and how many bytes were copied. */
export type OwnChunk = { readonly chunk: Chunk; readonly copiedBytes: number };

/** Up to this length a chunk lies in one buffer with its proof: then the allocation costs more than the bytes. */
const JOINT_BYTES = 4096;

/**
 * Copies a chunk. The proof's nodes are views of one buffer: a chunk has a handful of some hundred bytes,
 * and an allocation for each costs more than its bytes. Not `slice`: a `Buffer`'s is a view.
 */
export function ownChunk({ bytes, chunkIndex, proof }: Chunk): OwnChunk {
  let proofBytes = 0;
  for (const node of proof) {
    proofBytes += node.length;
  }
  const isJoint = bytes.length <= JOINT_BYTES;
  const buffer = new Uint8Array(proofBytes + (isJoint ? bytes.length : 0));
  let at = 0;
  const place = (part: Uint8Array): Uint8Array => {
    buffer.set(part, at);
    at += part.length;
    return buffer.subarray(at - part.length, at);
  };
  return {
    chunk: {
      bytes: isJoint ? place(bytes) : new Uint8Array(bytes),
      chunkIndex,
      proof: proof.map(place),
    },
    copiedBytes: bytes.length + proofBytes,
  };
}
