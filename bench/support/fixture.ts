/**
 * @module
 * What benches work on: a deterministic payload, its chunks, proofs and root, made by the plain engine, and
 * picks of chunks. `native/src/case.rs` makes the same, so digests of both sides can be compared.
 */

import { encodeAvailableData } from '../../src/codec/available-data.ts';
import { HEX_TRIE_COMMITMENT } from '../../src/commitment/commitment.ts';
import { PLAIN_CODEC_V1 } from '../../src/erasure/index.ts';
import { concatBytes, toHex } from '../../src/primitives/bytes.ts';
import type { TrieProof, VerifiedChunk } from '../../src/primitives/chunk.ts';
import { blake2b256 } from '../../src/primitives/hash.ts';
import { chunkIndex } from '../../src/primitives/ids.ts';
import { recoveryThreshold, systematicThreshold } from '../../src/primitives/thresholds.ts';

const PAYLOAD_SEED = 0x9e3779b9;
const PICK_SEED = 0x85ebca6b;

/** Bytes of available data beside the block and its length: head, number, root and size, all zero. */
const VALIDATION_BYTES = 41;

/** One payload for one number of validators, and all that is made of it. */
export type Fixture = {
  readonly validatorCount: number;
  readonly recoveryThreshold: number;
  readonly systematicThreshold: number;
  /** SCALE of available data whose block is random. */
  readonly payload: Uint8Array;
  /** By chunk index. */
  readonly chunkBytes: readonly Uint8Array[];
  readonly proofs: readonly TrieProof[];
  readonly erasureRoot: Uint8Array;
  /** Each checked against the root. */
  readonly chunks: readonly VerifiedChunk[];
};

/** Makes a fixture; takes a second for 10 MiB and 1,000 validators. Needs `hashReady()` to be fast. */
export function fixture(payloadBytes: number, validatorCount: number): Fixture {
  const payload = payloadOf(payloadBytes);
  const chunkBytes = PLAIN_CODEC_V1.encodeChunks(payload, validatorCount);
  const { root: erasureRoot, proofs } = HEX_TRIE_COMMITMENT.commit(chunkBytes);
  const chunks = chunkBytes.map((bytes, i) => {
    const chunk = { bytes, chunkIndex: chunkIndex(i), proof: proofs[i]! };
    const answer = HEX_TRIE_COMMITMENT.verifyChunk({ erasureRoot, chunk, validatorCount });
    if (answer.type !== 'verified') {
      throw new Error(`chunk ${i} of the fixture is not proven: ${answer.reason}`);
    }
    return answer.chunk;
  });
  return {
    validatorCount,
    recoveryThreshold: recoveryThreshold(validatorCount),
    systematicThreshold: systematicThreshold(validatorCount),
    payload,
    chunkBytes,
    proofs,
    erasureRoot,
    chunks,
  };
}

/** Marsaglia's xorshift with the shifts 13, 17, 5. */
function xorshift(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/**
 * Available data whose encoding has exactly so many bytes.
 *
 * @throws RangeError when none has.
 */
export function payloadOf(payloadBytes: number): Uint8Array {
  const next = xorshift(PAYLOAD_SEED);
  for (const lengthBytes of [1, 2, 4]) {
    const blockData = new Uint8Array(Math.max(0, payloadBytes - VALIDATION_BYTES - lengthBytes));
    if (encode(blockData).length === payloadBytes) {
      return encode(blockData.map(() => next() >>> 24));
    }
  }
  throw new RangeError(`payloadBytes: no available data has ${payloadBytes} bytes`);
}

function encode(blockData: Uint8Array): Uint8Array {
  return encodeAvailableData({
    pov: { blockData },
    validationData: {
      parentHead: new Uint8Array(),
      relayParentNumber: 0,
      relayParentStorageRoot: new Uint8Array(32),
      maxPovSize: 0,
    },
  });
}

/** So many different chunk indices, ascending: the front of a shuffle. */
export function pick(validatorCount: number, count: number): number[] {
  const next = xorshift(PICK_SEED);
  const indices = Array.from({ length: validatorCount }, (_, i) => i);
  for (let i = 0; i < count; i += 1) {
    const j = i + (next() % (validatorCount - i));
    const drawn = indices[j]!;
    indices[j] = indices[i]!;
    indices[i] = drawn;
  }
  return indices.slice(0, count).sort((a, b) => a - b);
}

/** As many chunks as determine the data: the first ones, but for so many at the front. */
export function withoutFirst({ systematicThreshold: count }: Fixture, missing: number): number[] {
  return Array.from({ length: count }, (_, i) => missing + i);
}

/** Chunks by index, all of which exist. */
export function chunksAt(
  { chunks }: Fixture,
  indices: readonly number[],
): readonly VerifiedChunk[] {
  return indices.map((i) => chunks[i]!);
}

/** Hex digest over the digests of all parts. */
export function digestOf(parts: readonly Uint8Array[]): string {
  return toHex(blake2b256(concatBytes(parts.map((part) => blake2b256(part)))));
}
