/**
 * @module
 * Memory for tries without a kernel: a byte array, and the hash of the package.
 */

import type { TrieMemory } from '../../src/commitment/trie-build.ts';
import { blake2b256 } from '../../src/primitives/hash.ts';

/** A trie memory of so many bytes, full of ones so that nobody counts on zeros; it counts hashes. */
export class PlainTrieMemory implements TrieMemory {
  readonly #bytes: Uint8Array;
  /** Rows hashed so far. */
  hashed = 0;

  constructor(byteCount: number) {
    this.#bytes = new Uint8Array(byteCount).fill(0xff);
  }

  bytes(): Uint8Array {
    return this.#bytes;
  }

  copyList(entries: Uint32Array): void {
    for (let at = 0; at < entries.length; at += 3) {
      const [from = 0, to = 0, count = 0] = entries.subarray(at, at + 3);
      this.#bytes.copyWithin(to, from, from + count);
    }
  }

  hashRows({ rows, bytes, digests }: Parameters<TrieMemory['hashRows']>[0]): void {
    rows.forEach((row, i) => {
      this.hashed += 1;
      this.#bytes.set(blake2b256(this.#bytes.subarray(row, row + bytes)), digests[i]);
    });
  }
}
