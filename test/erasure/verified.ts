/**
 * @module
 * Verified chunks for tests of decoders, made the only way there is: by their proofs.
 */

import { HEX_TRIE_COMMITMENT } from '../../src/commitment/commitment.ts';
import type { VerifiedChunk } from '../../src/primitives/chunk.ts';
import { chunkIndex } from '../../src/primitives/ids.ts';

/** All chunks with their proofs, verified under the root over them. */
export function verifiedChunks(chunks: readonly Uint8Array[]): VerifiedChunk[] {
  const { root, proofs } = HEX_TRIE_COMMITMENT.commit(chunks);
  return chunks.map((bytes, i) => {
    const answer = HEX_TRIE_COMMITMENT.verifyChunk({
      erasureRoot: root,
      chunk: { bytes, chunkIndex: chunkIndex(i), proof: proofs[i]! },
      validatorCount: chunks.length,
    });
    if (answer.type !== 'verified') {
      throw new Error(`chunk ${i}: ${answer.reason}`);
    }
    return answer.chunk;
  });
}
