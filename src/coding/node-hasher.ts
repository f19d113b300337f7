/**
 * @module
 * Hashes of byte strings that are not in the arena, through the work area of the calling thread's context,
 * those of one length together. For the nodes of proofs, and for chunks that only a commitment asks for.
 */

import type { NodeGroup } from '../commitment/node-shelf.ts';
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
export function hashStrings(
  context: KernelContext,
): (strings: readonly Uint8Array[]) => Uint8Array {
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

/** From so many nodes on, the memory in which they lie is copied as a whole. */
const MANY_NODES = 32;

/**
 * Hashes the nodes of a proof book.
 *
 * Buffers: the context's areas hold garbage afterwards.
 */
export function hashNodesOn(context: KernelContext): HashNodes {
  return (memory, groups) => {
    let count = 0;
    let bytes = 0;
    for (const group of groups) {
      count += group.at.length;
      bytes += group.at.length * group.bytes;
    }
    const isWhole = count >= MANY_NODES && memory.length + HASH_BYTES * count <= WORK_BYTES;
    if (isWhole || bytes + HASH_BYTES * count <= WORK_BYTES) {
      return hashGroups(context, { memory, groups, isWhole });
    }
    const nodes = groups.flatMap((group) =>
      group.at.map((from) => memory.subarray(from, from + group.bytes)),
    );
    return hashStrings(context)(nodes);
  };
}

/** Hashes nodes that fit into the work area all at once, by themselves or with all that lies between. */
function hashGroups(
  context: KernelContext,
  {
    memory,
    groups,
    isWhole,
  }: {
    readonly memory: Uint8Array;
    readonly groups: readonly NodeGroup[];
    readonly isWhole: boolean;
  },
): Uint8Array {
  const arena = context.bytes();
  const { work } = context;
  let end = work;
  if (isWhole) {
    arena.set(memory, work);
    end += memory.length;
  }
  const places = groups.map(({ bytes, at }) => {
    const rows = new Uint32Array(at.length);
    for (let i = 0; i < rows.length; i += 1) {
      const from = at[i] ?? 0;
      rows[i] = isWhole ? work + from : end;
      if (!isWhole) {
        arena.set(memory.subarray(from, from + bytes), end);
        end += bytes;
      }
    }
    return rows;
  });
  const start = end;
  groups.forEach(({ bytes }, group) => {
    const rows = places[group] ?? new Uint32Array();
    const digests = new Uint32Array(rows.length);
    for (let i = 0; i < digests.length; i += 1) {
      digests[i] = end + HASH_BYTES * i;
    }
    end += HASH_BYTES * rows.length;
    hashRows(context, { rows, bytes, digests });
  });
  return context.bytes().slice(start, end);
}
