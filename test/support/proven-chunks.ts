/**
 * @module
 * The chunks of a test candidate, proven.
 */

import { verifyChunk } from '../../src/commitment/verify-chunk.ts';
import type { Chunk, VerifiedChunk } from '../../src/primitives/chunk.ts';
import type { TestCandidate } from './candidate-world.ts';

/** Every chunk of a candidate, by chunk index. */
export function provenChunks({
  chunks,
  erasureRoot,
}: Pick<TestCandidate, 'chunks' | 'erasureRoot'>): readonly VerifiedChunk[] {
  return chunks.map((chunk) => {
    const verdict = verifyChunk({ erasureRoot, chunk, validatorCount: chunks.length });
    if (verdict.type === 'invalid') {
      throw new TypeError(`chunk ${chunk.chunkIndex}: ${verdict.reason}`);
    }
    return verdict.chunk;
  });
}

/** Size of a chunk with its proof, in bytes. */
export function chunkAndProofBytes({ bytes, proof }: Chunk): number {
  return proof.reduce((sum, node) => sum + node.length, bytes.length);
}
