/**
 * @module
 * A payload with its chunks, root and proofs by the plain codec and commitment, for tests of the work.
 */

import { lastValueFrom } from 'rxjs';
import type { Coding, CodingParts } from '../../src/coding/coding.ts';
import type { RecoveryWork, WorkSubject } from '../../src/coding/erasure-work.ts';
import { FAST_HEX_TRIE } from '../../src/coding/fast-commitment.ts';
import { HEX_TRIE_COMMITMENT } from '../../src/commitment/commitment.ts';
import type { VerifyChunkAnswer } from '../../src/commitment/verify-chunk.ts';
import { CODEC_V1, PLAIN_CODEC_V1 } from '../../src/erasure/index.ts';
import type { Chunk, VerifiedChunk } from '../../src/primitives/chunk.ts';
import { blake2b256 } from '../../src/primitives/hash.ts';
import { chunkIndex } from '../../src/primitives/ids.ts';

const PLAIN = { codec: PLAIN_CODEC_V1, commitment: HEX_TRIE_COMMITMENT };

/** The coding of live networks. */
export const CODING: Coding = { codec: CODEC_V1, commitment: HEX_TRIE_COMMITMENT, plain: PLAIN };

/** A payload and everything that follows from it. */
export type Fixture = {
  readonly payload: Uint8Array;
  readonly subject: WorkSubject;
  readonly chunks: readonly Chunk[];
  /** k. */
  readonly systematicThreshold: number;
};

/** Bytes that differ from place to place and from seed to seed. */
export function bytesOf(byteCount: number, seed: number): Uint8Array {
  let state = (seed + 1) * 0x9e37_79b1;
  return Uint8Array.from({ length: byteCount }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state >>> 24;
  });
}

/** The fixture of a payload. */
function fixtureOf(
  validatorCount: number,
  payload: Uint8Array,
  { codec, commitment }: CodingParts = PLAIN,
): Fixture {
  const rows = codec.encodeChunks(payload, validatorCount);
  const { root, proofs } = commitment.commit(rows);
  return {
    payload,
    subject: { coding: CODING, erasureRoot: root, validatorCount },
    chunks: rows.map((bytes, i) => ({ bytes, chunkIndex: chunkIndex(i), proof: proofs[i] ?? [] })),
    systematicThreshold: PLAIN_CODEC_V1.parameters(validatorCount).systematicThreshold,
  };
}

/** The fixture of bytes made up from a seed. */
export function fixture(validatorCount: number, payloadBytes: number, seed = 1): Fixture {
  return fixtureOf(validatorCount, bytesOf(payloadBytes, seed));
}

/** A large fixture, by the fast codec and commitment, which other tests hold to the plain ones. */
export function fastFixture(validatorCount: number, payloadBytes: number, seed = 1): Fixture {
  const parts = { codec: CODEC_V1, commitment: FAST_HEX_TRIE };
  return fixtureOf(validatorCount, bytesOf(payloadBytes, seed), parts);
}

/** The answers to some chunks, all asked in one turn. */
export function verifyAll(
  work: RecoveryWork,
  chunks: readonly Chunk[],
): Promise<readonly VerifyChunkAnswer[]> {
  return Promise.all(chunks.map((chunk) => lastValueFrom(work.verify(chunk))));
}

/** Chunks that are all to be verified. */
export async function verified(
  work: RecoveryWork,
  chunks: readonly Chunk[],
): Promise<readonly VerifiedChunk[]> {
  const answers = await verifyAll(work, chunks);
  return answers.map((answer) => {
    if (answer.type !== 'verified') {
      throw new Error(`a chunk was refused: ${answer.reason}`);
    }
    return answer.chunk;
  });
}

/** Chunks by index. */
export function chunksAt({ chunks }: Fixture, indices: readonly number[]): readonly Chunk[] {
  return indices.flatMap((index) => chunks[index] ?? []);
}

/** A chunk with one bit of its bytes turned, and the proof as it was. */
export function damaged(chunk: Chunk): Chunk {
  const bytes = new Uint8Array(chunk.bytes);
  bytes[0] = (bytes[0] ?? 0) ^ 1;
  return { ...chunk, bytes };
}

/**
 * Chunks that are proven but lie on no codeword: all are honest but those at `liars`, whose bytes were
 * changed before somebody committed to them.
 */
export function inconsistent(honest: Fixture, liars: readonly number[]): Fixture {
  const rows = honest.chunks.map((chunk, i) =>
    liars.includes(i) ? damaged(chunk).bytes : chunk.bytes,
  );
  const { root, proofs } = HEX_TRIE_COMMITMENT.commit(rows);
  return {
    ...honest,
    subject: { ...honest.subject, erasureRoot: root },
    chunks: rows.map((bytes, i) => ({ bytes, chunkIndex: chunkIndex(i), proof: proofs[i] ?? [] })),
  };
}

/** The root over the codeword of a payload, by the plain codec. */
export function plainRoot(payload: Uint8Array, validatorCount: number): Uint8Array {
  return HEX_TRIE_COMMITMENT.root(PLAIN_CODEC_V1.encodeChunks(payload, validatorCount));
}

/** The hash of a chunk, for comparison. */
export function digestOf({ bytes }: Chunk): Uint8Array {
  return blake2b256(bytes);
}
