/**
 * @module
 * What an erasure codec is to the rest of the package: a value that turns a payload into chunk bytes
 * and verified chunks into a payload. Which codec a session uses is chosen by its features.
 */

import type { VerifiedChunk } from '../primitives/chunk.ts';

/** Names of the codecs. `v1` is the one that Polkadot uses. */
export type CodecId = 'v1';

/** The sizes of one code (erasure spec §2). */
export type CodeParameters = {
  /** Number of chunks, one for each validator. */
  readonly validatorCount: number;
  /** f + 1: how many chunks recovery waits for. */
  readonly recoveryThreshold: number;
  /** How many chunks carry the payload itself, and how many of any kind determine it. */
  readonly systematicThreshold: number;
  /** Length of the mother code; only the first `validatorCount` positions are chunks. */
  readonly codeLength: number;
};

/**
 * Turns a payload into chunks and back.
 *
 * **Guarantees.**
 * - Synchronous and pure: the same input gives the same bytes; inputs are read only, results are new.
 * - Nothing unverified is decoded: chunks come in as {@link VerifiedChunk}. The proofs are not read.
 * - `reconstruct(any systematicThreshold or more of encodeChunks(p, n), n)` is `p` followed by zeros.
 */
export interface ErasureCodec {
  /** Name, for reports. */
  readonly id: CodecId;

  /**
   * The sizes of the code for so many validators.
   *
   * @throws {@link ErasureError} `too_many_validators`, `not_enough_validators`.
   */
  parameters(validatorCount: number): CodeParameters;

  /**
   * Bytes of each chunk of a payload.
   *
   * @param payloadBytes - Size of the payload, at least 1.
   * @throws {@link ErasureError} as {@link ErasureCodec.encodeChunks}.
   */
  chunkBytes(payloadBytes: number, validatorCount: number): number;

  /**
   * All chunks, by chunk index. Each has its own buffer, so keeping one does not keep all.
   *
   * @throws {@link ErasureError} `too_many_validators`, `not_enough_validators`, `bad_payload`.
   */
  encodeChunks(payload: Uint8Array, validatorCount: number): Uint8Array[];

  /**
   * The payload and the zeros after it, from any chunks in any order.
   *
   * Of the entries, the first `validatorCount` count; of two with one index, the later. All of
   * them are used, also above the systematic threshold: chunks that are proven under a dishonest root
   * need not lie on one codeword, and then the result depends on which are used.
   *
   * @throws {@link ErasureError} in this order: `too_many_validators`, `not_enough_validators`; per
   *   chunk `uneven_length`, `chunk_index_out_of_bounds`; `not_enough_chunks`,
   *   `unknown_reconstruction`, `non_uniform_chunks`.
   */
  reconstruct(chunks: readonly VerifiedChunk<unknown>[], validatorCount: number): Uint8Array;

  /**
   * The payload and the zeros after it, from the systematic chunks. Order does not matter, other
   * chunks are ignored. No arithmetic: bytes are moved.
   *
   * @throws {@link ErasureError} in this order: `too_many_validators`, `not_enough_validators`,
   *   `uneven_length`, `not_enough_chunks`, `unknown_reconstruction`, `non_uniform_chunks`.
   */
  reassemble(chunks: readonly VerifiedChunk<unknown>[], validatorCount: number): Uint8Array;
}
