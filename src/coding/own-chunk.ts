/**
 * @module
 * Copies of proofs in memory that nobody else can reach.
 */

import type { TrieProof } from '../primitives/chunk.ts';

/** A copy of a proof, and how many bytes were copied. */
export type OwnProof = { readonly proof: TrieProof; readonly copiedBytes: number };

/**
 * Copies a proof. Its nodes are views of one buffer: there are a handful of some hundred bytes, and an
 * allocation for each costs more than its bytes. Not `slice`: a `Buffer`'s is a view.
 */
export function ownProof(proof: TrieProof): OwnProof {
  let copiedBytes = 0;
  for (const node of proof) {
    copiedBytes += node.length;
  }
  const buffer = new Uint8Array(copiedBytes);
  let at = 0;
  const own = proof.map((node) => {
    buffer.set(node, at);
    at += node.length;
    return buffer.subarray(at - node.length, at);
  });
  return { proof: own, copiedBytes };
}
