/**
 * @module
 * Hashes of byte strings that are not in the arena, through the work area of the calling thread's context,
 * those of one length together. For the nodes of proofs, and for chunks that only a commitment asks for.
 */

import type { HashNodes } from '../commitment/proof-book.ts';
import { hashRows, type KernelContext, WORK_BYTES } from '../erasure/kernel/index.ts';
import { blake2b256, HASH_BYTES } from '../primitives/hash.ts';

/** A string and its place among those asked for. */
type Placed = { readonly bytes: Uint8Array; readonly at: number };

/**
 * The hash of each string, in one array of its own, 32 bytes each in order.
 *
 * Buffers: the context's areas hold garbage afterwards.
 */
export function hashStrings(context: KernelContext): HashNodes {
  return (strings) => {
    const hashes = new Uint8Array(HASH_BYTES * strings.length);
    const placed = strings.map((bytes, at): Placed => ({ bytes, at }));
    for (const [length, all] of Map.groupBy(placed, ({ bytes }) => bytes.length)) {
      const perBatch = Math.floor(WORK_BYTES / (length + HASH_BYTES));
      if (perBatch === 0) {
        for (const { bytes, at } of all) {
          hashes.set(blake2b256(bytes), HASH_BYTES * at);
        }
        continue;
      }
      for (let from = 0; from < all.length; from += perBatch) {
        hashBatch(context, all.slice(from, from + perBatch), length, hashes);
      }
    }
    return hashes;
  };
}

function hashBatch(
  context: KernelContext,
  batch: readonly Placed[],
  length: number,
  hashes: Uint8Array,
): void {
  const memory = context.bytes();
  const rows = new Uint32Array(batch.length);
  const digests = new Uint32Array(batch.length);
  const digestStart = context.work + length * batch.length;
  batch.forEach(({ bytes }, i) => {
    const row = context.work + length * i;
    memory.set(bytes, row);
    rows[i] = row;
    digests[i] = digestStart + HASH_BYTES * i;
  });
  hashRows(context, { rows, bytes: length, digests });
  batch.forEach(({ at }, i) => {
    const from = digestStart + HASH_BYTES * i;
    hashes.set(memory.subarray(from, from + HASH_BYTES), HASH_BYTES * at);
  });
}
