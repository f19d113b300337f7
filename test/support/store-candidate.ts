/**
 * @module
 * Small candidates to store: data, root, chunks and proofs, equal for equal arguments.
 */

import type { AvailableData } from '../../src/codec/available-data.ts';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import { HEX_TRIE_COMMITMENT } from '../../src/commitment/commitment.ts';
import { CODEC_V1 } from '../../src/erasure/index.ts';
import type { ChunkMapping } from '../../src/mapping/assignment.ts';
import { chunkMapping } from '../../src/mapping/assignment.ts';
import { toHex } from '../../src/primitives/bytes.ts';
import type { Chunk } from '../../src/primitives/chunk.ts';
import { blake2b256 } from '../../src/primitives/hash.ts';
import type { CandidateHash, ValidatorIndex } from '../../src/primitives/ids.ts';
import { candidateHash, chunkIndex, validatorIndex } from '../../src/primitives/ids.ts';

/** A candidate with all that can be stored of it. */
export type StoreCandidate = {
  readonly candidateHash: CandidateHash;
  readonly erasureRoot: Uint8Array;
  readonly validatorCount: number;
  readonly data: AvailableData;
  /** SCALE bytes of `data`. */
  readonly dataBytes: Uint8Array;
  readonly mapping: ChunkMapping;
  /** The chunk that belongs to a validator. */
  chunkOf(validator: number): Chunk;
};

/** What the candidate is made of; its hash depends on all of it. */
export type StoreCandidateOptions = {
  readonly seed: number;
  readonly validatorCount?: number;
  readonly povBytes?: number;
};

/** Makes a candidate under the RFC-47 mapping of core 2, so that V and chunk index differ. */
export function storeCandidate(options: StoreCandidateOptions): StoreCandidate {
  const { seed, validatorCount = 7, povBytes = 64 } = options;
  const data: AvailableData = {
    pov: { blockData: pseudoRandomBytes(seed, povBytes) },
    validationData: {
      parentHead: pseudoRandomBytes(seed + 1, 20),
      relayParentNumber: seed,
      relayParentStorageRoot: pseudoRandomBytes(seed + 2, 32),
      maxPovSize: 1_024,
    },
  };
  const dataBytes = encodeAvailableData(data);
  const chunks = CODEC_V1.encodeChunks(dataBytes, validatorCount);
  const { root, proofs } = HEX_TRIE_COMMITMENT.commit(chunks);
  const mapping = chunkMapping({ scheme: 'rfc47', validatorCount, coreIndex: 2 });
  return {
    candidateHash: candidateHash(toHex(blake2b256(dataBytes))),
    erasureRoot: root,
    validatorCount,
    data,
    dataBytes,
    mapping,
    chunkOf: (validator) => {
      const index = mapping.chunkOf(validatorIndex(validator));
      return {
        bytes: chunks[index] ?? new Uint8Array(),
        chunkIndex: chunkIndex(index),
        proof: proofs[index] ?? [],
      };
    },
  };
}

/** Validators 0 .. n-1. */
export function allValidators(candidate: StoreCandidate): readonly ValidatorIndex[] {
  return Array.from({ length: candidate.validatorCount }, (_, index) => validatorIndex(index));
}

function pseudoRandomBytes(seed: number, length: number): Uint8Array {
  let state = Math.imul(seed + 1, 0x9e37_79b1) | 1;
  return Uint8Array.from({ length }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state & 0xff;
  });
}
