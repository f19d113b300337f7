/**
 * @module
 * The arena as the memory in which erasure tries are built: the commitment asks for copies and hashes, a
 * kernel does them. Joins the two; neither knows of the other.
 */

import { digestAddresses, layOutTrie, type TrieMemory } from '../commitment/trie-build.ts';
import type { TrieLayout } from '../commitment/trie-layout.ts';
import { hashRows, type KernelContext, LIST_BYTES } from '../erasure/kernel/index.ts';

/** Words and bytes of an entry of a copy list. */
const COPY_WORDS = 3;
const COPY_BYTES = 4 * COPY_WORDS;

/** Entries that fit into the list area of a context. */
const MAX_ENTRIES = Math.floor(LIST_BYTES / COPY_BYTES);

/** Memory for tries on the thread of a context. Its list area holds garbage afterwards. */
export function trieMemory(context: KernelContext): TrieMemory {
  return {
    bytes: () => context.bytes(),
    hashRows: (job) => hashRows(context, job),
    copyList: (entries) => {
      const count = entries.length / COPY_WORDS;
      for (let from = 0; from < count; from += MAX_ENTRIES) {
        const to = Math.min(count, from + MAX_ENTRIES);
        const some = entries.subarray(from * COPY_WORDS, to * COPY_WORDS);
        context.words().set(some, context.lists / 4);
        context.kernel.copyList(context.lists, to - from);
      }
    },
  };
}

/** Lays a trie out at `nodes`. @returns By chunk index: where its hash goes. */
export function leafAddresses(
  layout: TrieLayout,
  context: KernelContext,
  nodes: number,
): Uint32Array {
  layOutTrie(layout, trieMemory(context), nodes);
  return digestAddresses(layout, nodes);
}
