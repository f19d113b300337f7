/**
 * @module
 * The memory of a proof book: a place for every inner node of a trie, and slots for the leaves of claims that
 * wait. Knows what form nodes have, not which are right.
 */

import type { TrieProof } from '../primitives/chunk.ts';
import { HASH_BYTES } from '../primitives/hash.ts';
import type { TrieLayout } from './trie-layout.ts';

/** Nodes of one length in one array: `bytes` from each offset of `at`. */
export type NodeGroup = { readonly bytes: number; readonly at: readonly number[] };

/** The length byte in front of each hash in a node: SCALE compact 32 (erasure spec §5.2). */
const HASH_LENGTH = HASH_BYTES << 2;

/** Room for one leaf: at most 6 bytes and the hash. */
const LEAF_BYTES = 64;

/** Slots to begin with; there are twice as many whenever all are taken. */
const FIRST_SLOTS = 256;

const WORD_BYTES = 8;

function toWords(byteCount: number): number {
  return Math.ceil(byteCount / WORD_BYTES);
}

/** Where inner nodes begin, and what comes behind the last of them. */
type Places = {
  /** By inner node: its offset, a whole word. */
  readonly at: Uint32Array;
  /** Offset with room for any inner node. */
  readonly stagingAt: number;
  readonly slotsAt: number;
};

/** Places are the same for every book over a layout. */
const placesOf = new WeakMap<TrieLayout, Places>();

function placesIn(layout: TrieLayout): Places {
  const known = placesOf.get(layout);
  if (known !== undefined) {
    return known;
  }
  const at = new Uint32Array(layout.nodeCount - layout.validatorCount);
  let end = 0;
  let longest = 0;
  for (let node = 0; node < at.length; node += 1) {
    const bytes = WORD_BYTES * toWords(layout.nodeBytes[node] ?? 0);
    at[node] = end;
    end += bytes;
    longest = Math.max(longest, bytes);
  }
  const places = { at, stagingAt: end, slotsAt: end + longest };
  placesOf.set(layout, places);
  return places;
}

/** Whether two hashes, 32 bytes each, are equal. */
export function equalHashes(a: Uint8Array, aFrom: number, b: Uint8Array, bFrom: number): boolean {
  for (let i = 0; i < HASH_BYTES; i += 1) {
    if (a[aFrom + i] !== b[bFrom + i]) {
      return false;
    }
  }
  return true;
}

/**
 * Nodes of one trie by their numbers in its layout.
 *
 * Inner nodes begin at whole words, so that a node is compared by words after it was copied next to them: 70 ns
 * for a node of 533 bytes, 120 by words of 32 bits, 330 by words at any offset and 500 by bytes (Node 24, Zen 3).
 */
export class NodeShelf {
  /** Inner nodes: these numbers come first. */
  readonly innerCount: number;
  readonly #layout: TrieLayout;
  /** By inner node: its offset. */
  readonly #at: Uint32Array;
  readonly #stagingAt: number;
  readonly #slotsAt: number;
  #memory: Uint8Array;
  #words: BigInt64Array;
  /** By slot: the chunk of the leaf in it. */
  #chunks: Uint32Array = new Uint32Array(FIRST_SLOTS);
  readonly #freed: number[] = [];
  #slotCount = 0;
  #copiedBytes = 0;

  constructor(layout: TrieLayout) {
    this.#layout = layout;
    const { at, stagingAt, slotsAt } = placesIn(layout);
    this.innerCount = at.length;
    this.#at = at;
    this.#stagingAt = stagingAt;
    this.#slotsAt = slotsAt;
    this.#memory = new Uint8Array(slotsAt + FIRST_SLOTS * LEAF_BYTES);
    this.#words = new BigInt64Array(this.#memory.buffer);
  }

  /** All of it; another array after a leaf was put. */
  get memory(): Uint8Array {
    return this.#memory;
  }

  /** Bytes that were kept so far. */
  get copiedBytes(): number {
    return this.#copiedBytes;
  }

  /** Whether these are bytes, as many as the node has. */
  fits(node: number, bytes: Uint8Array | undefined): bytes is Uint8Array {
    return bytes instanceof Uint8Array && bytes.length === this.#layout.nodeBytes[node];
  }

  /** Whether the inner node stands here with these bytes, which fit. Reads them once. */
  holds(node: number, bytes: Uint8Array): boolean {
    const words = this.#words;
    const staged = this.#stagingAt / WORD_BYTES;
    const own = (this.#at[node] ?? 0) / WORD_BYTES;
    const count = toWords(bytes.length);
    words[staged + count - 1] = 0n;
    this.#memory.set(bytes, this.#stagingAt);
    for (let i = 0; i < count; i += 1) {
      if (words[staged + i] !== words[own + i]) {
        return false;
      }
    }
    return true;
  }

  /** Puts bytes that fit in an inner node's place. @returns Whether they have its form. */
  put(node: number, bytes: Uint8Array): boolean {
    const { template, nodeAt } = this.#layout;
    const at = this.#at[node] ?? 0;
    this.#memory.set(bytes, at);
    this.#copiedBytes += bytes.length;
    const head = this.#layout.headBytes[node] ?? 0;
    const from = nodeAt[node] ?? 0;
    for (let i = 0; i < head; i += 1) {
      if (this.#memory[at + i] !== template[from + i]) {
        return false;
      }
    }
    for (let i = head + HASH_BYTES; i < bytes.length; i += 1 + HASH_BYTES) {
      if (this.#memory[at + i] !== HASH_LENGTH) {
        return false;
      }
    }
    return true;
  }

  /** Puts a chunk's leaf, which fits, into a slot. @returns The slot, or -1 if it has not the form of its leaf. */
  putLeaf(chunkIndex: number, bytes: Uint8Array): number {
    const { leaf, template, nodeAt, headBytes } = this.#layout;
    const node = leaf[chunkIndex] ?? 0;
    const slot = this.#freed.pop() ?? this.#newSlot();
    const at = this.#slotAt(slot);
    this.#memory.set(bytes, at);
    this.#chunks[slot] = chunkIndex;
    const from = nodeAt[node] ?? 0;
    const head = headBytes[node] ?? 0;
    for (let i = 0; i < head; i += 1) {
      if (this.#memory[at + i] !== template[from + i]) {
        this.freeLeaf(slot);
        return -1;
      }
    }
    this.#copiedBytes += bytes.length;
    return slot;
  }

  /** Gives a slot back. */
  freeLeaf(slot: number): void {
    this.#freed.push(slot);
  }

  /** The node of the leaf in a slot. */
  leafNode(slot: number): number {
    return this.#layout.leaf[this.#chunks[slot] ?? 0] ?? 0;
  }

  /** Offset of the chunk's hash in the leaf of a slot. */
  leafHashAt(slot: number): number {
    return this.#slotAt(slot) + (this.#layout.headBytes[this.leafNode(slot)] ?? 0);
  }

  /** Offset at which the hash of a node other than the root stands in its parent. */
  hashAt(node: number): number {
    const { hashAt, nodeAt, parent } = this.#layout;
    const above = parent[node] ?? 0;
    return (this.#at[above] ?? 0) + (hashAt[node] ?? 0) - (nodeAt[above] ?? 0);
  }

  /** Where inner nodes stand, in the order given: neighbours of one length together. */
  nodeGroups(nodes: readonly number[]): NodeGroup[] {
    const { nodeBytes } = this.#layout;
    return grouped(
      nodes,
      (node) => nodeBytes[node] ?? 0,
      (node) => this.#at[node] ?? 0,
    );
  }

  /** Where leaves stand, as {@link NodeShelf.nodeGroups}. */
  leafGroups(slots: readonly number[]): NodeGroup[] {
    return grouped(
      slots,
      (slot) => this.leafBytes(slot),
      (slot) => this.#slotAt(slot),
    );
  }

  /** Length of the leaf in a slot. */
  leafBytes(slot: number): number {
    return this.#layout.nodeBytes[this.leafNode(slot)] ?? 0;
  }

  /** A copy of the proof that ends in the leaf of a slot, with the inner nodes that are here. */
  claimedProof(slot: number): TrieProof {
    const at = this.#slotAt(slot);
    const leafBytes = this.#memory.slice(at, at + this.leafBytes(slot));
    return this.#proofTo(this.leafNode(slot), leafBytes);
  }

  /** A copy of the proof of a chunk, with the leaf that its hash makes. */
  proofOf(chunkIndex: number, digest: Uint8Array): TrieProof {
    const { leaf, template, nodeAt, nodeBytes, headBytes } = this.#layout;
    const node = leaf[chunkIndex] ?? 0;
    const from = nodeAt[node] ?? 0;
    const leafBytes = template.slice(from, from + (nodeBytes[node] ?? 0));
    leafBytes.set(digest, headBytes[node]);
    return this.#proofTo(node, leafBytes);
  }

  #proofTo(leafNode: number, leafBytes: Uint8Array): TrieProof {
    const { parent, nodeBytes } = this.#layout;
    const upwards = [leafBytes];
    for (let node = leafNode; node !== 0; ) {
      node = parent[node] ?? 0;
      const at = this.#at[node] ?? 0;
      upwards.push(this.#memory.slice(at, at + (nodeBytes[node] ?? 0)));
    }
    return upwards.reverse();
  }

  #slotAt(slot: number): number {
    return this.#slotsAt + slot * LEAF_BYTES;
  }

  #newSlot(): number {
    const slot = this.#slotCount;
    this.#slotCount += 1;
    if (this.#slotCount > this.#chunks.length) {
      const chunks = new Uint32Array(2 * this.#chunks.length);
      chunks.set(this.#chunks);
      this.#chunks = chunks;
      const memory = new Uint8Array(this.#slotsAt + chunks.length * LEAF_BYTES);
      memory.set(this.#memory);
      this.#memory = memory;
      this.#words = new BigInt64Array(memory.buffer);
    }
    return slot;
  }
}

/** Offsets of things, in groups of neighbours that are equally long. */
function grouped(
  things: readonly number[],
  bytesOf: (thing: number) => number,
  placeOf: (thing: number) => number,
): NodeGroup[] {
  const groups: { readonly bytes: number; readonly at: number[] }[] = [];
  let last: { readonly bytes: number; readonly at: number[] } | undefined;
  for (const thing of things) {
    const bytes = bytesOf(thing);
    if (last?.bytes !== bytes) {
      last = { bytes, at: [] };
      groups.push(last);
    }
    last.at.push(placeOf(thing));
  }
  return groups;
}
