/**
 * @module
 * Which shards a decoder takes, and in what order it refuses them. The order is the reference's, so
 * that the same bad input gives the same error (erasure spec §2). No arithmetic here.
 */

import type { VerifiedChunk } from '../primitives/chunk.ts';
import { ErasureError } from '../primitives/errors.ts';

/** A position in the code and the bytes there. */
export type Shard = readonly [index: number, bytes: Uint8Array];

function assertEven(bytes: Uint8Array): void {
  if (bytes.length % 2 !== 0) {
    throw new ErasureError('uneven_length', 'expected chunks of even length', {
      chunkBytes: bytes.length,
    });
  }
}

function assertEnough(count: number, needed: number): void {
  if (count < needed) {
    throw new ErasureError(
      'not_enough_chunks',
      `expected ${needed} distinct chunks, got ${count}`,
      {
        needed,
        count,
      },
    );
  }
}

/** Emptiness of the first shard, then equal lengths. @returns The common length in bytes. */
function uniformLength(shards: readonly Uint8Array[]): number {
  const expected = shards[0]?.length ?? 0;
  if (expected === 0) {
    throw new ErasureError('unknown_reconstruction', 'the first chunk is empty');
  }
  const other = shards.find((bytes) => bytes.length !== expected);
  if (other !== undefined) {
    throw new ErasureError('non_uniform_chunks', 'expected chunks of one length', {
      chunkBytes: expected,
      otherBytes: other.length,
    });
  }
  return expected;
}

/** What was received, and how long each of it is. */
export type ReceivedShards = {
  /** By position; undefined where nothing was received. */
  readonly byPosition: readonly (Uint8Array | undefined)[];
  /** Bytes of each shard: even and not 0. */
  readonly shardBytes: number;
};

/**
 * Admits shards for the regular decoder. Only the first `validatorCount` entries are looked at; a
 * repeated index overwrites the earlier shard.
 *
 * @throws {@link ErasureError} per entry `uneven_length`, `chunk_index_out_of_bounds`; then
 *   `not_enough_chunks`; `unknown_reconstruction` when the shard of lowest index is empty;
 *   `non_uniform_chunks`.
 */
export function admitShards(
  shards: readonly Shard[],
  validatorCount: number,
  needed: number,
): ReceivedShards {
  const byPosition = new Array<Uint8Array | undefined>(validatorCount).fill(undefined);
  for (const [index, bytes] of shards.slice(0, validatorCount)) {
    assertEven(bytes);
    if (!Number.isInteger(index) || index < 0 || index >= validatorCount) {
      throw new ErasureError('chunk_index_out_of_bounds', 'no such chunk', {
        chunkIndex: index,
        validatorCount,
      });
    }
    byPosition[index] = bytes;
  }
  const received = byPosition.filter((bytes) => bytes !== undefined);
  assertEnough(received.length, needed);
  return { byPosition, shardBytes: uniformLength(received) };
}

/**
 * Admits the systematic shards. Only the first `needed` entries are looked at.
 *
 * @throws {@link ErasureError} `uneven_length`, `not_enough_chunks`, `unknown_reconstruction`,
 *   `non_uniform_chunks`.
 */
export function admitSystematicShards(
  shards: readonly Uint8Array[],
  needed: number,
): ReceivedShards {
  const byPosition = shards.slice(0, needed);
  byPosition.forEach(assertEven);
  assertEnough(byPosition.length, needed);
  return { byPosition, shardBytes: uniformLength(byPosition) };
}

/** Verified chunks as the shards that {@link admitShards} takes. */
export function shardsOf(chunks: readonly VerifiedChunk<unknown>[]): Shard[] {
  return chunks.map(({ chunkIndex, bytes }): Shard => [chunkIndex, bytes]);
}

/** The bytes of distinct chunks below `end`, in ascending order of chunk index. */
export function bytesInOrder(chunks: readonly VerifiedChunk<unknown>[], end: number): Uint8Array[] {
  const byIndex = new Map<number, Uint8Array>();
  for (const chunk of chunks) {
    if (chunk.chunkIndex < end) {
      byIndex.set(chunk.chunkIndex, chunk.bytes);
    }
  }
  return [...byIndex].sort(([a], [b]) => a - b).map(([, bytes]) => bytes);
}
