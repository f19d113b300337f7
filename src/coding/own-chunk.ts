/**
 * @module
 * Copies of chunks in memory that nobody else can reach.
 */

import type { Chunk } from '../primitives/chunk.ts';

/** A copy of a chunk, and how many bytes were copied. */
export type OwnChunk = { readonly chunk: Chunk; readonly copiedBytes: number };

/**
 * Copies a chunk. The proof's nodes are views of one buffer: a chunk has a handful of some hundred bytes,
 * and an allocation for each costs more than its bytes. Not `slice`: a `Buffer`'s is a view.
 */
export function ownChunk({ bytes, chunkIndex, proof }: Chunk): OwnChunk {
  const proofBytes = proof.reduce((sum, node) => sum + node.length, 0);
  const nodes = new Uint8Array(proofBytes);
  let at = 0;
  const own = proof.map((node) => {
    nodes.set(node, at);
    at += node.length;
    return nodes.subarray(at - node.length, at);
  });
  return {
    chunk: { bytes: new Uint8Array(bytes), chunkIndex, proof: own },
    copiedBytes: bytes.length + proofBytes,
  };
}
