/**
 * @module
 * The erasure code and the commitment of a session, as values. How the work of both is done is
 * `erasure-work.ts`.
 */

import { type Commitment, HEX_TRIE_COMMITMENT } from '../commitment/commitment.ts';
import { CODEC_V1, type ErasureCodec, PLAIN_CODEC_V1 } from '../erasure/index.ts';
import type { TrieProof } from '../primitives/chunk.ts';
import type { NodeFeatures } from '../primitives/node-features.ts';
import { FAST_HEX_TRIE } from './fast-commitment.ts';

/** A code and the commitment to its chunks. */
export type CodingParts = {
  readonly codec: ErasureCodec;
  readonly commitment: Commitment<TrieProof>;
};

/**
 * How the chunks of a session are made and proven.
 *
 * **Guarantees.** `plain` gives the same bytes and the same answers as the rest, on code that shares no
 * engine with it: what the fast parts say against a candidate is said again by the plain ones before it
 * is a verdict.
 */
export type Coding = CodingParts & { readonly plain: CodingParts };

/** Picks the coding of a session. */
export type CodingChoice = (features: NodeFeatures) => Coding;

const PLAIN_V1: CodingParts = {
  codec: PLAIN_CODEC_V1,
  commitment: HEX_TRIE_COMMITMENT,
};

/** The one coding that live networks have, whatever their features. */
export const CODING_V1: CodingChoice = () => ({
  codec: CODEC_V1,
  commitment: FAST_HEX_TRIE,
  plain: PLAIN_V1,
});
