/**
 * @module
 * Runner of `erasure-v1.json`: payloads to chunks, erasure root and proofs, on the API; and roots of
 * small general tries.
 */

import { createHash } from 'node:crypto';
import { encodeProof } from '../../../src/codec/erasure-chunk.ts';
import { HEX_TRIE_COMMITMENT } from '../../../src/commitment/commitment.ts';
import { buildTrie } from '../../../src/commitment/hex-trie.ts';
import { concatBytes, fromHex, toHex } from '../../../src/primitives/bytes.ts';
import type { TrieProof } from '../../../src/primitives/chunk.ts';
import { blake2b256 } from '../../../src/primitives/hash.ts';
import { chunkIndex } from '../../../src/primitives/ids.ts';
import { type Expected, inFormOf, payload, type Source, sourceBytes } from '../payload.ts';
import type { Checks } from '../runner.ts';
import { SHIPPED_CODE, type TestedCode } from '../tested-code.ts';

/** Nodes by position and, by chunk index, the positions of its proof. */
type Proofs = {
  readonly nodes?: readonly string[];
  readonly proofs?: Readonly<Record<string, readonly number[]>>;
};

type Case = Proofs & {
  readonly n: number;
  readonly k: number;
  readonly threshold: number;
  readonly tag: string;
  readonly len: number;
  readonly chunk_len: number;
  readonly chunks?: readonly string[];
  readonly chunks_blake2b256?: string;
  readonly samples?: Readonly<Record<string, Expected>>;
  readonly root: string;
  readonly proof_scale?: Readonly<Record<string, Expected>>;
};

type Example = {
  readonly what: string;
  readonly n: number;
  readonly payload?: string;
  readonly payload_source?: Source;
  readonly chunks?: readonly string[];
  readonly chunks_sha256?: string;
  readonly root: string;
  readonly scale_len_of_last_proof?: number;
  readonly blake2b256_of_first_proof?: string;
  readonly node_lengths_of_last_proof?: readonly number[];
  readonly node_lengths_of_proof_1?: readonly number[];
};

type File = {
  readonly cases: readonly Case[];
  readonly spec_examples: readonly Example[];
  readonly trie_roots_pairs_root: readonly [readonly [string, string][], string][];
};

/** Compares the listed proofs node by node, and checks that each verifies. */
export function checkProofs(
  checks: Checks,
  file: Proofs,
  chunks: readonly Uint8Array[],
  committed: { readonly root: Uint8Array; readonly proofs: readonly TrieProof[] },
  what: string,
): void {
  for (const [index, positions] of Object.entries(file.proofs ?? {})) {
    const i = Number(index);
    const proof = committed.proofs[i]!;
    const expected = positions.map((position) => file.nodes![position]);
    checks.equal(proof.map(toHex), expected, `${what}: proof of ${i}`);
    const chunk = { bytes: chunks[i]!, chunkIndex: chunkIndex(i), proof };
    const answer = HEX_TRIE_COMMITMENT.verifyChunk({
      erasureRoot: committed.root,
      chunk,
      validatorCount: chunks.length,
    });
    checks.equal(answer.type, 'verified', `${what}: chunk ${i} verifies`);
  }
}

function runCase(vector: Case, checks: Checks, tested: TestedCode): void {
  const { n, tag } = vector;
  const parameters = tested.codec.parameters(n);
  checks.equal(parameters.systematicThreshold, vector.k, `${tag}: k`);
  checks.equal(parameters.recoveryThreshold, vector.threshold, `${tag}: threshold`);
  checks.equal(tested.codec.chunkBytes(vector.len, n), vector.chunk_len, `${tag}: chunk length`);
  const chunks = tested.codec.encodeChunks(payload(tag, vector.len), n);
  if (vector.chunks === undefined) {
    const digest = toHex(blake2b256(concatBytes(chunks)));
    checks.equal(digest, vector.chunks_blake2b256, `${tag}: digest of chunks`);
  } else {
    checks.equal(chunks.map(toHex), vector.chunks, `${tag}: chunks`);
  }
  for (const [index, expected] of Object.entries(vector.samples ?? {})) {
    const actual = inFormOf(expected, chunks[Number(index)]!);
    checks.equal(actual, expected, `${tag}: chunk ${index}`);
  }
  const committed = HEX_TRIE_COMMITMENT.commit(chunks);
  checks.equal(toHex(committed.root), vector.root, `${tag}: root`);
  checkProofs(checks, vector, chunks, committed, tag);
  for (const [index, expected] of Object.entries(vector.proof_scale ?? {})) {
    const bytes = encodeProof(committed.proofs[Number(index)]!);
    checks.equal(inFormOf(expected, bytes), expected, `${tag}: SCALE proof of ${index}`);
  }
}

/** Chunks of an example: coded from its payload, or the index twice where only the trie is meant. */
function exampleChunks(example: Example, tested: TestedCode): Uint8Array[] {
  const source = example.payload ?? example.payload_source;
  if (source !== undefined) {
    return tested.codec.encodeChunks(sourceBytes(source), example.n);
  }
  return Array.from({ length: example.n }, (_, i) => new Uint8Array(Uint32Array.of(i, i).buffer));
}

function runExample(example: Example, checks: Checks, tested: TestedCode): void {
  const what = `${example.what}, n = ${example.n}`;
  const chunks = exampleChunks(example, tested);
  if (example.chunks !== undefined) {
    checks.equal(chunks.map(toHex), example.chunks, `${what}: chunks`);
  }
  if (example.chunks_sha256 !== undefined) {
    const digest = createHash('sha256').update(concatBytes(chunks)).digest('hex');
    checks.equal(digest, example.chunks_sha256, `${what}: digest of chunks`);
  }
  const { root, proofs } = HEX_TRIE_COMMITMENT.commit(chunks);
  checks.equal(toHex(root), example.root, `${what}: root`);
  const last = proofs[example.n - 1]!;
  if (example.scale_len_of_last_proof !== undefined) {
    const first = toHex(blake2b256(encodeProof(proofs[0]!)));
    checks.equal(encodeProof(last).length, example.scale_len_of_last_proof, `${what}: last proof`);
    checks.equal(first, example.blake2b256_of_first_proof, `${what}: first proof`);
  }
  if (example.node_lengths_of_last_proof !== undefined) {
    const lengths = (proof: TrieProof): number[] => proof.map((node) => node.length);
    checks.equal(lengths(last), example.node_lengths_of_last_proof, `${what}: last proof`);
    checks.equal(lengths(proofs[1]!), example.node_lengths_of_proof_1, `${what}: proof of 1`);
  }
}

/** Encodes every payload and compares chunks, root and proofs; builds every small trie. */
export function erasureV1Runner(
  content: unknown,
  checks: Checks,
  tested: TestedCode = SHIPPED_CODE,
): void {
  const file = content as File;
  for (const vector of file.cases) {
    runCase(vector, checks, tested);
  }
  for (const example of file.spec_examples) {
    runExample(example, checks, tested);
  }
  for (const [pairs, root] of file.trie_roots_pairs_root) {
    const entries = pairs.map(([key, value]) => ({ key: fromHex(key), value: fromHex(value) }));
    checks.equal(toHex(buildTrie(entries).root), root, `trie of ${pairs.length} entries`);
  }
}
