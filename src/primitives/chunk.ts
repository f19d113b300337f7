/**
 * @module
 * What travels for one validator: chunk bytes, chunk index and proof. A {@link VerifiedChunk} can
 * only be made by `commitment/verify-chunk.ts`; the decoders take nothing else.
 */

import type { ChunkIndex } from './ids.ts';

declare const verified: unique symbol;

/** Path through the erasure trie: encoded nodes, root first (erasure spec §5.4). */
export type TrieProof = readonly Uint8Array[];

/** A chunk as it came, not yet proven. `Proof` depends on the commitment in use. */
export type Chunk<Proof = TrieProof> = {
  /** Column symbols of this codeword position, 16-bit big-endian; even length. */
  readonly bytes: Uint8Array;
  /** Position in the code, as claimed by whoever sent it. */
  readonly chunkIndex: ChunkIndex;
  /** Proof that `bytes` stands at `chunkIndex` under the erasure root. */
  readonly proof: Proof;
};

/** A chunk whose index is in range and whose proof holds under the candidate's erasure root. */
export type VerifiedChunk<Proof = TrieProof> = Chunk<Proof> & { readonly [verified]: true };
