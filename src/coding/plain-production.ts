/**
 * @module
 * The chunks of a payload and their commitment by the plain codec and commitment, in the form in which the
 * kernel hands them out.
 */

import { encodeProof } from '../codec/erasure-chunk.ts';
import { HEX_TRIE_COMMITMENT } from '../commitment/commitment.ts';
import { PLAIN_CODEC_V1 } from '../erasure/index.ts';
import { blake2b256, HASH_BYTES } from '../primitives/hash.ts';
import type { Production } from './chunk-production.ts';

/**
 * Makes all chunks of a payload. Slow; the same bytes as the kernel's.
 *
 * @throws {@link ErasureError} about the payload or the number of validators.
 */
export function producePlainly(payload: Uint8Array, validatorCount: number): Production {
  let chunks = PLAIN_CODEC_V1.encodeChunks(payload, validatorCount);
  const chunkBytes = chunks[0]?.length ?? 0;
  const { root, proofs } = HEX_TRIE_COMMITMENT.commit(chunks);
  const digests = new Uint8Array(HASH_BYTES * validatorCount);
  chunks.forEach((chunk, i) => {
    digests.set(blake2b256(chunk), HASH_BYTES * i);
  });
  return {
    validatorCount,
    chunkBytes,
    erasureRoot: root,
    digests,
    proofs: joined(proofs.map(encodeProof)),
    chunk: (chunkIndex) => {
      const chunk = chunks[chunkIndex];
      if (chunk === undefined) {
        throw new RangeError(
          `chunkIndex: expected 0 to ${validatorCount - 1} of what is not released, got ${chunkIndex}`,
        );
      }
      return chunk;
    },
    copyChunks: (into = new Uint8Array(validatorCount * chunkBytes)) => {
      chunks.forEach((chunk, i) => {
        into.set(chunk, i * chunkBytes);
      });
      return into;
    },
    release: () => {
      chunks = [];
    },
  };
}

function joined(parts: readonly Uint8Array[]): Production['proofs'] {
  const offsets = new Uint32Array(parts.length + 1);
  parts.forEach((part, i) => {
    offsets[i + 1] = (offsets[i] ?? 0) + part.length;
  });
  const bytes = new Uint8Array(offsets.at(-1) ?? 0);
  parts.forEach((part, i) => {
    bytes.set(part, offsets[i] ?? 0);
  });
  return { bytes, offsets };
}
