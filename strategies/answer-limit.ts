/**
 * @module
 * How large one chunk's answer may be. A candidate is bounded by the answer that carries its full data,
 * so what fifty lying peers can make us hold at once is bounded by a share of that, not by fifty of it.
 */

import {
  MAX_PROOF_NODE_BYTES,
  MAX_PROOF_NODES,
  MAX_RESPONSE_BYTES,
} from '../src/primitives/limits.ts';
import type { RecoveryContext } from '../src/recovery/strategy.ts';

/** Variant, compact length, chunk index, proof count, and each node with its length (recovery spec §1.4). */
const AROUND_CHUNK_BYTES = 1 + 5 + 4 + 1 + MAX_PROOF_NODES * (2 + MAX_PROOF_NODE_BYTES);

/**
 * Bytes of the largest response with one chunk of any candidate whose full data fits an answer.
 *
 * Spec: the reference accepts 16 MiB for a chunk too. Impl: such a chunk belongs to no data that could
 * be served or executed; refusing it can only end in `unavailable`, never in a verdict.
 */
export function maxChunkAnswerBytes({ coding, session }: RecoveryContext): number {
  const chunkBytes = coding.codec.chunkBytes(MAX_RESPONSE_BYTES, session.validators.length);
  return chunkBytes + AROUND_CHUNK_BYTES;
}
