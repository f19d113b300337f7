/**
 * @module
 * Checks a chunk against an erasure root. The only place where a {@link VerifiedChunk} is made.
 */

import { equalBytes } from '../primitives/bytes.ts';
import type { Chunk, VerifiedChunk } from '../primitives/chunk.ts';
import { blake2b256, HASH_BYTES } from '../primitives/hash.ts';
import { assertValidatorCount } from '../primitives/thresholds.ts';
import { decodeNode, type NodeValue, type TrieNode } from './node-decoder.ts';
import { chunkKey, EMPTY_NODE, nibblesOf } from './node-format.ts';

/** What a proof says about an index, in the reference's words. */
export type ProofVerdict =
  | { readonly type: 'value'; readonly value: Uint8Array }
  | { readonly type: 'error'; readonly code: 'invalid_branch_proof' | 'branch_out_of_bounds' };

/**
 * Why a chunk is not proven.
 *
 * - `invalid_branch_proof`: a needed node is absent or undecodable, or the value is no hash.
 * - `branch_out_of_bounds`: the trie has no value at this index.
 * - `chunk_hash_mismatch`: the index is proven, but for other bytes.
 * - `chunk_index_out_of_range`: the index is no integer in 0 .. n-1.
 */
export type ProofFault =
  | 'invalid_branch_proof'
  | 'branch_out_of_bounds'
  | 'chunk_hash_mismatch'
  | 'chunk_index_out_of_range';

/** The question that {@link verifyChunk} answers. */
export type VerifyChunkQuestion<Proof = Chunk['proof']> = {
  readonly erasureRoot: Uint8Array;
  readonly chunk: Chunk<Proof>;
  readonly validatorCount: number;
};

/** A proven chunk, or why it is not one. */
export type VerifyChunkAnswer<Proof = Chunk['proof']> =
  | { readonly type: 'verified'; readonly chunk: VerifiedChunk<Proof> }
  | { readonly type: 'invalid'; readonly reason: ProofFault };

const INVALID: ProofVerdict = { type: 'error', code: 'invalid_branch_proof' };
const OUT_OF_BOUNDS: ProofVerdict = { type: 'error', code: 'branch_out_of_bounds' };

/** Finds supplied bytes by their hash. */
type Lookup = (hash: Uint8Array) => Uint8Array | undefined;

/** A node and the hash under which it is found. */
type KnownNode = { readonly hash: Uint8Array; readonly bytes: Uint8Array };

/** Always known to the reference, supplied or not (erasure spec §5.4). */
const KNOWN_EMPTY_NODE: KnownNode = { hash: blake2b256(EMPTY_NODE), bytes: EMPTY_NODE };

function lookupOver(nodes: readonly Uint8Array[]): Lookup {
  const supplied = nodes.map((bytes): KnownNode => ({ hash: blake2b256(bytes), bytes }));
  const known = [KNOWN_EMPTY_NODE, ...supplied];
  return (hash) => known.find((node) => equalBytes(node.hash, hash))?.bytes;
}

/** The verdict for a value that was reached: at least a hash; what is longer is cut. */
function valueVerdict(value: NodeValue, lookup: Lookup): ProofVerdict {
  const bytes = value.type === 'inline' ? value.bytes : lookup(value.hash);
  if (bytes === undefined || bytes.length < HASH_BYTES) {
    return INVALID;
  }
  return { type: 'value', value: bytes.slice(0, HASH_BYTES) };
}

/** One step of a walk: the verdict, or the reference to go on with and the nibbles still to match. */
type Step =
  | ProofVerdict
  | { readonly type: 'next'; readonly reference: Uint8Array; readonly rest: Uint8Array };

/** Takes a walk through one node, with `key` left to match. */
function stepInto(node: TrieNode, key: Uint8Array, lookup: Lookup): Step {
  if (node.type === 'empty') {
    return OUT_OF_BOUNDS;
  }
  const { partial } = node;
  const isPrefix = equalBytes(partial, key.subarray(0, partial.length));
  const isWhole = isPrefix && partial.length === key.length;
  if (node.type === 'leaf') {
    return isWhole ? valueVerdict(node.value, lookup) : OUT_OF_BOUNDS;
  }
  if (isWhole) {
    return node.value === undefined ? OUT_OF_BOUNDS : valueVerdict(node.value, lookup);
  }
  const nibble = isPrefix ? key[partial.length] : undefined;
  const reference = nibble === undefined ? undefined : node.children[nibble];
  return reference === undefined
    ? OUT_OF_BOUNDS
    : { type: 'next', reference, rest: key.subarray(partial.length + 1) };
}

/**
 * The reference's verdict on a proof: what stands at an index under a root, judged by the supplied
 * nodes alone. Any nodes, any root, never an error.
 *
 * Order, duplicates and unused nodes do not matter. The number of validators plays no part, and the
 * index is cut to 32 bits as the reference does, so 2^32 + i asks for i: for a decision about a chunk use
 * {@link verifyChunk}. The value is still to be compared with the chunk's hash.
 *
 * Source: erasure spec §5.4.
 */
export function proofVerdict(
  root: Uint8Array,
  nodes: readonly Uint8Array[],
  index: number,
): ProofVerdict {
  const lookup = lookupOver(nodes);
  let encoded = lookup(root);
  let key = nibblesOf(chunkKey(index));
  // Each step into a child uses up a nibble of the key, so there are at most 9 rounds.
  while (encoded !== undefined) {
    const node = decodeNode(encoded);
    if (node === undefined) {
      return INVALID;
    }
    const step = stepInto(node, key, lookup);
    if (step.type !== 'next') {
      return step;
    }
    key = step.rest;
    encoded = step.reference.length === HASH_BYTES ? lookup(step.reference) : step.reference;
  }
  return INVALID;
}

/**
 * Decides whether a chunk is proven under an erasure root, and makes it a {@link VerifiedChunk}.
 *
 * Stricter than {@link proofVerdict}: the index must be an integer in 0 .. n-1 before the trie is
 * read. This cannot turn a verdict on an honest root. An honest trie has the keys 0 .. n-1 and no
 * others, so for an index in range both give the same answer, and at an index `n <= i < 2^32` the
 * reference finds no value either. Only numbers that no message can carry (a chunk index travels as
 * `u32`) and dishonest roots with more keys than validators come out differently; there the reference
 * files the chunk, and its decoder then refuses the index.
 *
 * @throws {@link ErasureError} `too_many_validators`, `not_enough_validators`, by misuse only.
 */
export function verifyChunk(question: VerifyChunkQuestion): VerifyChunkAnswer {
  const { erasureRoot, chunk, validatorCount } = question;
  assertValidatorCount(validatorCount);
  const { chunkIndex } = chunk;
  if (!Number.isInteger(chunkIndex) || chunkIndex < 0 || chunkIndex >= validatorCount) {
    return { type: 'invalid', reason: 'chunk_index_out_of_range' };
  }
  const verdict = proofVerdict(erasureRoot, chunk.proof, chunkIndex);
  if (verdict.type === 'error') {
    return { type: 'invalid', reason: verdict.code };
  }
  if (!equalBytes(verdict.value, blake2b256(chunk.bytes))) {
    return { type: 'invalid', reason: 'chunk_hash_mismatch' };
  }
  return { type: 'verified', chunk: chunk as VerifiedChunk };
}
