/**
 * @module
 * Builds an erasure trie in somebody's memory, after a {@link TrieLayout}: hashes are written straight to
 * where they stand in their parents, so a build moves no nodes; and reads proofs out of it.
 */

import type { TrieProof } from '../primitives/chunk.ts';
import { HASH_BYTES } from '../primitives/hash.ts';
import type { TrieLayout } from './trie-layout.ts';

/** Rows to hash: `bytes` from each address of `rows`; each hash, 32 bytes, goes to its address in `digests`. */
export type HashRowsJob = {
  readonly rows: Uint32Array;
  readonly bytes: number;
  readonly digests: Uint32Array;
};

/**
 * Memory in which a trie is built. Addresses are offsets in `bytes()` and need no alignment.
 *
 * **Guarantees.** Both operations work on lists of any length, and are done when they return. A list's
 * targets do not overlap its sources.
 */
export interface TrieMemory {
  /** All of the memory. */
  bytes(): Uint8Array;
  /** Copies byte runs; entries of three words: from, to, bytes. */
  copyList(entries: Uint32Array): void;
  /** BLAKE2b-256 of each row. */
  hashRows(job: HashRowsJob): void;
}

/** Words in an entry of a copy list. */
const COPY_WORDS = 3;

/** Chunks whose proofs are copied with one list, so that the list stays below half a MiB. */
const PROOFS_PER_LIST = 4096;

/** Offsets as addresses. A loop, since `map` takes four times as long, a tenth of a build at n = 1000. */
function moved(offsets: Uint32Array, by: number): Uint32Array {
  const addresses = new Uint32Array(offsets.length);
  for (let i = 0; i < offsets.length; i += 1) {
    addresses[i] = (offsets[i] ?? 0) + by;
  }
  return addresses;
}

/**
 * Writes all of the trie but its hashes to `nodes`, an address with room for `layout.regionBytes`.
 *
 * Must precede the hashes: what stands there is overwritten.
 */
export function layOutTrie(layout: TrieLayout, memory: TrieMemory, nodes: number): void {
  memory.bytes().set(layout.template, nodes);
}

/** By chunk: the address to which its hash is to be written, in a trie laid out at `nodes`. */
export function digestAddresses(layout: TrieLayout, nodes: number): Uint32Array {
  return moved(layout.digestAt, nodes);
}

/** Copies the hashes of all chunks, 32 bytes each in order from address `digests`, into the trie. */
export function copyDigests(
  layout: TrieLayout,
  memory: TrieMemory,
  { nodes, digests }: { readonly nodes: number; readonly digests: number },
): void {
  const entries = new Uint32Array(COPY_WORDS * layout.validatorCount);
  for (let chunk = 0, at = 0; chunk < layout.validatorCount; chunk += 1, at += COPY_WORDS) {
    entries[at] = digests + HASH_BYTES * chunk;
    entries[at + 1] = nodes + (layout.digestAt[chunk] ?? 0);
    entries[at + 2] = HASH_BYTES;
  }
  memory.copyList(entries);
}

/**
 * Hashes the trie at `nodes` upwards from the hashes of the chunks, which must be in it.
 *
 * Afterwards all nodes are whole, and the root's hash stands at `nodes + layout.rootAt`.
 *
 * @returns The root's hash, own bytes.
 */
export function hashTrie(layout: TrieLayout, memory: TrieMemory, nodes: number): Uint8Array {
  for (const batch of layout.batches) {
    const rows = moved(batch.nodes, nodes);
    memory.hashRows({ rows, bytes: batch.bytes, digests: moved(batch.hashes, nodes) });
  }
  const rootAt = nodes + layout.rootAt;
  return memory.bytes().slice(rootAt, rootAt + HASH_BYTES);
}

/** Where a trie's nodes are, which chunks' proofs are wanted (`from` .. `to` - 1), and where they go. */
export type WriteProofsJob = {
  readonly nodes: number;
  readonly proofs: number;
  readonly from: number;
  readonly to: number;
};

/**
 * Writes SCALE proofs of a built trie one behind the other (erasure spec §5.4).
 *
 * Chunk `i` stands at `proofs + layout.proofAt[i] - layout.proofAt[from]`, and ends where the next begins.
 */
export function writeProofs(layout: TrieLayout, memory: TrieMemory, job: WriteProofsJob): void {
  const start = layout.proofAt[job.from] ?? 0;
  for (let from = job.from; from < job.to; from += PROOFS_PER_LIST) {
    const to = Math.min(job.to, from + PROOFS_PER_LIST);
    const proofs = job.proofs + (layout.proofAt[from] ?? 0) - start;
    memory.copyList(writeCounts(layout, memory.bytes(), { nodes: job.nodes, proofs, from, to }));
  }
}

/** Writes the first byte of each proof, and lists the copies that make the rest. */
function writeCounts(layout: TrieLayout, bytes: Uint8Array, job: WriteProofsJob): Uint32Array {
  const { leaf, parent, pathLength, proofAt, nodeAt, nodeBytes, prefixBytes } = layout;
  const start = proofAt[job.from] ?? 0;
  let entryCount = 0;
  for (let chunk = job.from; chunk < job.to; chunk += 1) {
    entryCount += pathLength[chunk] ?? 0;
  }
  const entries = new Uint32Array(COPY_WORDS * entryCount);
  let at = 0;
  for (let chunk = job.from; chunk < job.to; chunk += 1) {
    const count = pathLength[chunk] ?? 0;
    bytes[job.proofs + (proofAt[chunk] ?? 0) - start] = count << 2;
    // From the leaf, which ends the proof, to the root behind the count.
    let end = job.proofs + (proofAt[chunk + 1] ?? 0) - start;
    let node = leaf[chunk] ?? 0;
    for (let left = count; left > 0; left -= 1, at += COPY_WORDS) {
      const prefix = prefixBytes[node] ?? 0;
      const size = prefix + (nodeBytes[node] ?? 0);
      end -= size;
      entries[at] = job.nodes + (nodeAt[node] ?? 0) - prefix;
      entries[at + 1] = end;
      entries[at + 2] = size;
      node = parent[node] ?? 0;
    }
  }
  return entries;
}

/**
 * The proofs of all chunks as node lists, from a built trie.
 *
 * @param region - The trie's bytes, from its start. Proofs are views into them and share nodes: hand in a
 *   copy, or keep the region unchanged as long as the proofs live.
 */
export function trieProofs(layout: TrieLayout, region: Uint8Array): TrieProof[] {
  const { nodeAt, nodeBytes, parent } = layout;
  const paths: TrieProof[] = [];
  for (let node = 0; node < layout.nodeCount; node += 1) {
    const from = nodeAt[node] ?? 0;
    const encoding = region.subarray(from, from + (nodeBytes[node] ?? 0));
    // Parents come first.
    const above = node === 0 ? [] : (paths[parent[node] ?? 0] ?? []);
    paths.push([...above, encoding]);
  }
  return Array.from(layout.leaf, (node) => paths[node] ?? []);
}
