/**
 * @module
 * What a commitment to all chunks is to the rest of the package: a value, with the proof type as a
 * parameter; and the one in use, the hexary trie of Polkadot's erasure root (erasure spec §5).
 */

import type { TrieProof } from '../primitives/chunk.ts';
import { blake2b256 } from '../primitives/hash.ts';
import { assertValidatorCount } from '../primitives/thresholds.ts';
import { buildTrie, type Trie } from './hex-trie.ts';
import { chunkKey } from './node-format.ts';
import { type VerifyChunkAnswer, type VerifyChunkQuestion, verifyChunk } from './verify-chunk.ts';

/** A root and the proof of every chunk, by chunk index. Proofs may share memory: do not write to them. */
export type Committed<Proof> = { readonly root: Uint8Array; readonly proofs: readonly Proof[] };

/**
 * Commits to the chunks of one payload.
 *
 * **Guarantees.**
 * - Synchronous and pure; `chunks` is by chunk index, and its length is the number of validators.
 * - `verifyChunk` accepts chunk `i` with `commit(chunks).proofs[i]` under `commit(chunks).root`, and
 *   nothing else at `i`; it never throws on foreign proofs.
 * - `root` and `prove` agree with `commit`.
 *
 * All throw {@link ErasureError} `too_many_validators`, `not_enough_validators`.
 */
export interface Commitment<Proof> {
  /** Name, for reports. */
  readonly id: string;

  /** Root and all proofs in one pass. */
  commit(chunks: readonly Uint8Array[]): Committed<Proof>;

  /** The root alone. */
  root(chunks: readonly Uint8Array[]): Uint8Array;

  /**
   * The proof of one chunk.
   *
   * @throws RangeError when `chunkIndex` is none of `chunks`.
   */
  prove(chunks: readonly Uint8Array[], chunkIndex: number): Proof;

  /** Checks one chunk and its index. */
  verifyChunk(question: VerifyChunkQuestion<Proof>): VerifyChunkAnswer<Proof>;
}

/** The erasure trie: at key `u32le(i)` the hash of chunk `i` (erasure spec §5.1). */
function chunkTrie(chunks: readonly Uint8Array[]): Trie {
  assertValidatorCount(chunks.length);
  return buildTrie(chunks.map((bytes, i) => ({ key: chunkKey(i), value: blake2b256(bytes) })));
}

function prove(chunks: readonly Uint8Array[], chunkIndex: number): TrieProof {
  const proof = chunkTrie(chunks).proofs[chunkIndex];
  if (proof === undefined) {
    throw new RangeError(
      `chunkIndex: expected an integer in 0..${chunks.length - 1}, got ${chunkIndex}`,
    );
  }
  return proof;
}

/** The erasure root of Polkadot. */
export const HEX_TRIE_COMMITMENT: Commitment<TrieProof> = {
  id: 'hex_trie',
  commit: chunkTrie,
  root: (chunks) => chunkTrie(chunks).root,
  prove,
  verifyChunk,
};
