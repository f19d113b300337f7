/**
 * @module
 * Candidates for tests of recovery: honest ones, and ones whose backers committed to something wrong.
 */

import {
  type AvailableData,
  encodeAvailableData,
  hashPov,
  hashValidationData,
} from '../../src/codec/available-data.ts';
import { candidateHashOf, encodeReceipt } from '../../src/codec/candidate.ts';
import { HEX_TRIE_COMMITMENT } from '../../src/commitment/commitment.ts';
import { CODEC_V1 } from '../../src/erasure/index.ts';
import {
  type ChunkMapping,
  chunkMapping,
  type MappingScheme,
} from '../../src/mapping/assignment.ts';
import { ChaCha8 } from '../../src/primitives/chacha8.ts';
import type { Chunk } from '../../src/primitives/chunk.ts';
import { type CandidateHash, chunkIndex } from '../../src/primitives/ids.ts';

/** What a candidate's backers may have done wrong. */
export type CandidateKind =
  | 'honest'
  /** Chunk i is 32 bytes of value i under a genuine root: no codeword of any value. */
  | 'no_codeword'
  /** A non-zero byte after the value: decodes to the right value, another root. */
  | 'trailing_garbage'
  /** More zero columns than needed: decodes to the right value, another root. */
  | 'long_chunks'
  /** A payload that is no SCALE value. */
  | 'undecodable'
  /** The receipt names the hash of another PoV. */
  | 'wrong_pov_hash';

/** A candidate with everything that exists of it. */
export type TestCandidate = {
  readonly receipt: Uint8Array;
  readonly candidateHash: CandidateHash;
  readonly data: AvailableData;
  readonly erasureRoot: Uint8Array;
  /** By chunk index. */
  readonly chunks: readonly Chunk[];
  readonly mapping: ChunkMapping;
  readonly coreIndex: number;
};

/** How to make one. */
export type CandidateOptions = {
  readonly validatorCount: number;
  readonly kind?: CandidateKind;
  readonly povBytes?: number;
  readonly seed?: number;
  readonly scheme?: MappingScheme;
  readonly coreIndex?: number;
};

/** Makes a candidate; equal options give equal bytes. */
export function testCandidate(options: CandidateOptions): TestCandidate {
  const { validatorCount, kind = 'honest', povBytes = 64, seed = 1, coreIndex = 2 } = options;
  const data = testData(povBytes, seed);
  const shards =
    kind === 'no_codeword'
      ? Array.from({ length: validatorCount }, (_, i) => new Uint8Array(32).fill(i))
      : CODEC_V1.encodeChunks(payloadOf(data, kind, validatorCount), validatorCount);
  const { root, proofs } = HEX_TRIE_COMMITMENT.commit(shards);
  const receipt = encodeReceipt({
    version: 'v2',
    paraId: 2_000,
    relayParent: new Uint8Array(32).fill(10),
    coreIndex,
    sessionIndex: 10,
    validationDataHash: hashValidationData(data.validationData),
    povHash: kind === 'wrong_pov_hash' ? new Uint8Array(32).fill(3) : hashPov(data.pov),
    erasureRoot: root,
    paraHeadHash: new Uint8Array(32).fill(5),
    validationCodeHash: new Uint8Array(32).fill(6),
    commitmentsHash: new Uint8Array(32).fill(seed % 256),
  });
  return {
    receipt: receipt.bytes,
    candidateHash: candidateHashOf(receipt),
    data,
    erasureRoot: root,
    chunks: shards.map((bytes, i) => ({
      bytes,
      chunkIndex: chunkIndex(i),
      proof: proofs[i] ?? [],
    })),
    mapping: chunkMapping({
      scheme: options.scheme ?? 'rfc47',
      validatorCount,
      coreIndex,
      seed: new Uint8Array(32).fill(7),
    }),
    coreIndex,
  };
}

function testData(povBytes: number, seed: number): AvailableData {
  const random = new ChaCha8(new Uint8Array(32).fill(seed % 256));
  const blockData = Uint8Array.from({ length: povBytes }, () => random.nextU32() & 255);
  return {
    pov: { blockData },
    validationData: {
      parentHead: Uint8Array.of(7, 8, 9),
      relayParentNumber: 0,
      relayParentStorageRoot: new Uint8Array(32),
      maxPovSize: 1_024,
    },
  };
}

function payloadOf(data: AvailableData, kind: CandidateKind, validatorCount: number): Uint8Array {
  const encoded = encodeAvailableData(data);
  const columnBytes = 2 * CODEC_V1.parameters(validatorCount).systematicThreshold;
  switch (kind) {
    case 'trailing_garbage':
      return Uint8Array.from([...encoded, 1]);
    case 'long_chunks': {
      const longer = new Uint8Array(encoded.length + columnBytes);
      longer.set(encoded);
      return longer;
    }
    case 'undecodable':
      // A compact length in the eight-byte form, which no length of ours may have.
      return encoded.fill(0xff, 0, 4);
    default:
      return encoded;
  }
}
