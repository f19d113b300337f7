/**
 * @module
 * Lists for kernel functions in the list area of a context: written once per job and stripe width where
 * they fit, and written again at each use where they do not, as in the largest codes.
 */

import { type KernelContext, LIST_BYTES } from './kernel-context.ts';

/**
 * Bytes kept for lists that do not fit beside the others. No list of codec v1 is longer: at most 16,384
 * entries, those of one block of rows, of 16 bytes.
 */
const STAGE_BYTES = 256 * 1024;

/** A list of entries, ready to be handed to the kernel by {@link ListArea.address}. */
export type PlacedList = {
  /** Entries. */
  readonly count: number;
  /** Where it lies; 0 when it is copied to the stage at each use. */
  readonly address: number;
  readonly words: Uint32Array;
};

/** The lists of one job at one stripe width. Making another one on the context makes these void. */
export class ListArea {
  readonly #context: KernelContext;
  #end: number;

  constructor(context: KernelContext) {
    this.#context = context;
    this.#end = context.lists + STAGE_BYTES;
  }

  /** Takes a list in. `words` is kept and must not change. */
  place(words: Uint32Array, entryWords: number): PlacedList {
    const count = words.length / entryWords;
    const address = this.#end;
    if (address + words.byteLength > this.#context.lists + LIST_BYTES) {
      return { count, address: 0, words };
    }
    this.#context.words().set(words, address >>> 2);
    this.#end = address + words.byteLength;
    return { count, address, words };
  }

  /** The address of a list, good until the next call. */
  address(list: PlacedList): number {
    if (list.address !== 0) {
      return list.address;
    }
    this.#context.words().set(list.words, this.#context.lists >>> 2);
    return this.#context.lists;
  }
}
