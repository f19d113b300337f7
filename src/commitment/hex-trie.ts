/**
 * @module
 * Builds a hexary trie and the path to each of its entries in one pass. General in its keys; the
 * erasure trie is one use of it (erasure spec §5.1).
 */

import type { TrieProof } from '../primitives/chunk.ts';
import { blake2b256, HASH_BYTES } from '../primitives/hash.ts';
import {
  type ChildReference,
  EMPTY_NODE,
  encodeBranch,
  encodeLeaf,
  nibblesOf,
} from './node-format.ts';

/** What a trie holds at one key. */
export type TrieEntry = { readonly key: Uint8Array; readonly value: Uint8Array };

/** A built trie. */
export type Trie = {
  /** Hash of the root node. */
  readonly root: Uint8Array;
  /**
   * By position of the entry: the nodes on its path, root first. Nodes shorter than a hash stand inside
   * their parent and are not listed. Proofs share the bytes of the nodes they have in common.
   */
  readonly proofs: readonly TrieProof[];
};

type Place = { readonly nibbles: Uint8Array; readonly value: Uint8Array; readonly entry: number };

type Node = {
  readonly encoded: Uint8Array;
  /** The entry whose value this node holds. */
  readonly entry: number | undefined;
  readonly children: readonly Node[];
};

/** Orders keys as the trie does; a key that ends stands before those that go on. */
function compareNibbles(a: Uint8Array, b: Uint8Array): number {
  const shared = sharedNibbles(a, b, 0);
  return (a[shared] ?? -1) - (b[shared] ?? -1);
}

/** Index of the first nibble, from `depth` on, in which two keys differ or one of them ends. */
function sharedNibbles(a: Uint8Array, b: Uint8Array, depth: number): number {
  let i = depth;
  while (i < a.length && i < b.length && a[i] === b[i]) {
    i += 1;
  }
  return i;
}

/** Splits sorted places by their nibble at `depth`. */
function groupByNibble(places: readonly Place[], depth: number): Map<number, Place[]> {
  const groups = new Map<number, Place[]>();
  for (const place of places) {
    const nibble = place.nibbles[depth] ?? 0;
    const group = groups.get(nibble);
    if (group === undefined) {
      groups.set(nibble, [place]);
    } else {
      group.push(place);
    }
  }
  return groups;
}

/** How a parent refers to a child: by hash, or by the encoding itself if that is shorter (§5.2). */
function referenceTo(encoded: Uint8Array): Uint8Array {
  return encoded.length < HASH_BYTES ? encoded : blake2b256(encoded);
}

/** The node over sorted places, at least one, whose keys agree before `depth`. */
function buildNode(first: Place, places: readonly Place[], depth: number): Node {
  const last = places.at(-1) ?? first;
  if (places.length === 1) {
    const encoded = encodeLeaf(first.nibbles.subarray(depth), first.value);
    return { encoded, entry: first.entry, children: [] };
  }
  const branchAt = sharedNibbles(first.nibbles, last.nibbles, depth);
  const own = first.nibbles.length === branchAt ? first : undefined;
  const children: Node[] = [];
  const references: ChildReference[] = [];
  for (const [nibble, group] of groupByNibble(own ? places.slice(1) : places, branchAt)) {
    const child = buildNode(group[0] ?? first, group, branchAt + 1);
    children.push(child);
    references.push({ nibble, reference: referenceTo(child.encoded) });
  }
  const partial = first.nibbles.subarray(depth, branchAt);
  return { encoded: encodeBranch(partial, own?.value, references), entry: own?.entry, children };
}

/** Writes the path of every entry at or under a node. */
function collectProofs(node: Node, path: TrieProof, proofs: TrieProof[]): void {
  if (node.entry !== undefined) {
    proofs[node.entry] = path;
  }
  for (const child of node.children) {
    const isListed = child.encoded.length >= HASH_BYTES;
    collectProofs(child, isListed ? [...path, child.encoded] : path, proofs);
  }
}

/**
 * Builds the trie of the given entries. Their keys must differ.
 *
 * Cost: one hash for each node of 32 bytes or more.
 * Source: erasure spec §5.2–5.4.
 */
export function buildTrie(entries: readonly TrieEntry[]): Trie {
  const places = entries
    .map(({ key, value }, entry): Place => ({ nibbles: nibblesOf(key), value, entry }))
    .sort((a, b) => compareNibbles(a.nibbles, b.nibbles));
  const first = places[0];
  if (first === undefined) {
    return { root: blake2b256(EMPTY_NODE), proofs: [] };
  }
  const node = buildNode(first, places, 0);
  const proofs = new Array<TrieProof>(entries.length);
  collectProofs(node, [node.encoded], proofs);
  return { root: blake2b256(node.encoded), proofs };
}
