/**
 * @module
 * The hexary trie commitment with the kernel's hashing, behind the commitment's own interface: synchronous,
 * results in memory of their own. Chunks pass through a small memory, whatever they are in size. The plain
 * form, to which it is held, is `HEX_TRIE_COMMITMENT`.
 */

import { type Commitment, type Committed, HEX_TRIE_COMMITMENT } from '../commitment/commitment.ts';
import { hashTrie, trieProofs } from '../commitment/trie-build.ts';
import { trieLayout } from '../commitment/trie-layout.ts';
import {
  createContext,
  detectEngine,
  type KernelContext,
  KernelMemory,
} from '../erasure/kernel/index.ts';
import type { TrieProof } from '../primitives/chunk.ts';
import { HASH_BYTES } from '../primitives/hash.ts';
import { hashStrings } from './node-hasher.ts';
import { leafAddresses, trieMemory } from './trie-memory.ts';

/** Cap of the memory: one context, and a trie of 65,536 chunks. */
const MEMORY_BYTES = 32 * 1024 * 1024;

/** A kernel of its own. */
type Own = { readonly memory: KernelMemory; readonly context: KernelContext };

/** A trie in the arena, and where. */
type Built = { readonly root: Uint8Array; readonly region: () => Uint8Array };

function makeOwn(): Own | undefined {
  const engine = detectEngine();
  if (engine === 'scalar') {
    return undefined;
  }
  try {
    const memory = new KernelMemory({ isShared: false, maxBytes: MEMORY_BYTES });
    const context = createContext(memory, engine);
    return context && { memory, context };
  } catch {
    // The host refuses memory: the plain form gives the same bytes.
    return undefined;
  }
}

let own: { readonly kernel: Own | undefined } | undefined;

/** Builds the trie and reads from it what `read` wants. @returns undefined where there is no room. */
function build<T>(chunks: readonly Uint8Array[], read: (built: Built) => T): T | undefined {
  const layout = trieLayout(chunks.length);
  own ??= { kernel: makeOwn() };
  const { kernel } = own;
  const nodes = kernel?.memory.take(layout.regionBytes);
  if (kernel === undefined || nodes === undefined) {
    return undefined;
  }
  const { memory, context } = kernel;
  try {
    const hashes = hashStrings(context)(chunks);
    const bytes = memory.bytes();
    leafAddresses(layout, context, nodes).forEach((leaf, chunk) => {
      bytes.set(hashes.subarray(HASH_BYTES * chunk, HASH_BYTES * (chunk + 1)), leaf);
    });
    const root = hashTrie(layout, trieMemory(context), nodes);
    return read({ root, region: () => memory.bytes().slice(nodes, nodes + layout.regionBytes) });
  } finally {
    memory.give(nodes);
  }
}

function commit(chunks: readonly Uint8Array[]): Committed<TrieProof> {
  const layout = trieLayout(chunks.length);
  return (
    build(chunks, ({ root, region }) => ({ root, proofs: trieProofs(layout, region()) })) ??
    HEX_TRIE_COMMITMENT.commit(chunks)
  );
}

function prove(chunks: readonly Uint8Array[], chunkIndex: number): TrieProof {
  const proof = commit(chunks).proofs[chunkIndex];
  // The plain form says what is wrong with the index.
  return proof ?? HEX_TRIE_COMMITMENT.prove(chunks, chunkIndex);
}

/**
 * The erasure root of Polkadot, hashed by the kernel where the host has one: the same bytes, answers and
 * errors as `HEX_TRIE_COMMITMENT`. The first call takes some 5 MiB of memory, and keeps them.
 */
export const FAST_HEX_TRIE: Commitment<TrieProof> = {
  id: HEX_TRIE_COMMITMENT.id,
  commit,
  root: (chunks) => build(chunks, ({ root }) => root) ?? HEX_TRIE_COMMITMENT.root(chunks),
  prove,
  verifyChunk: (question) => HEX_TRIE_COMMITMENT.verifyChunk(question),
};
