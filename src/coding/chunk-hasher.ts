/**
 * @module
 * Hashes chunks of one length together, in rows of the arena that stay theirs as long as there is room,
 * and in portions through memory on loan where there is none.
 */

import { catchError, concat, defer, map, type Observable, of } from 'rxjs';
import { rowStride } from '../erasure/kernel/index.ts';
import { blake2b256, HASH_BYTES } from '../primitives/hash.ts';
import { type ReadyJob, runOnLease, runReady } from './arena-job.ts';
import { ArenaTooSmallError } from './arena-queue.ts';
import type { ChunkRows } from './chunk-rows.ts';
import { RegionCutter } from './code-layout.ts';
import type { HeldChunk } from './held-chunk.ts';
import { cutCount } from './job-cutting.ts';
import type { KernelHost } from './kernel-host.ts';
import { hashCostMs } from './planner.ts';
import { HASH_STEP, kernelOption } from './row-groups.ts';
import type { Job, Task } from './tasks.ts';

/** Chunks that were hashed, and in what memory their hashes are, 32 bytes each, in this turn alone. */
export type HashedPart = {
  readonly chunks: readonly HeldChunk[];
  readonly memory: Uint8Array;
  readonly at: ArrayLike<number>;
};

/** Bytes of chunks that are hashed at a time where they get no rows. */
const STAGING_BYTES = 4 * 1024 * 1024;

/** Where chunks and their hashes are while they are hashed. */
type Places = { readonly rows: Uint32Array; readonly digests: Uint32Array };

/**
 * Hashes chunks and emits part after part: first those with a row, then the others. Rows are to be kept or
 * given back in the turn of the emission of their part: afterwards they may be evicted, for they must not be
 * in use while the next part waits for memory.
 *
 * @param chunks - Of `rows.chunkBytes` each.
 */
export function hashChunks(
  host: KernelHost,
  rows: ChunkRows,
  chunks: readonly HeldChunk[],
): Observable<HashedPart> {
  return defer(() => {
    const endUse = rows.use();
    const others = chunks.filter(({ row }) => row === undefined);
    const placed = others.length === 0 ? chunks : chunks.filter(({ row }) => row !== undefined);
    const places: Places = {
      rows: new Uint32Array(placed.length),
      digests: new Uint32Array(placed.length),
    };
    placed.forEach(({ row }, i) => {
      places.rows[i] = row?.row ?? 0;
      places.digests[i] = row?.digest ?? 0;
    });
    const inRows = runReady(host.runner, {
      ...hashJob(host, placed, places, rows.chunkBytes),
      onIdle: endUse,
    });
    return others.length === 0
      ? inRows
      : concat(
          inRows,
          ...portions(others, rows.chunkBytes).map((some) =>
            hashStaged(host, some, rows.chunkBytes),
          ),
        );
  });
}

/** The job that hashes chunks that are in their places. */
function hashJob(
  host: KernelHost,
  chunks: readonly HeldChunk[],
  { rows, digests }: Places,
  bytes: number,
): ReadyJob<HashedPart> {
  const settings = host.settings(hashCostMs(host.settings(0).costs, chunks.length, bytes));
  const cost = hashCostMs(settings.costs, chunks.length, bytes);
  const cut = { costMs: cost, threads: settings.threads };
  const stage = cutCount(chunks.length, cut, HASH_STEP).map(
    ({ from, to }): Task => ({
      type: 'hash_rows',
      job: {
        rows: rows.slice(from, to),
        bytes,
        digests: digests.slice(from, to),
        ...kernelOption(settings),
      },
    }),
  );
  const regions = host.needsRegions
    ? {
        inputs: Array.from(rows, (address) => ({ address, bytes })),
        outputs: Array.from(digests, (address) => ({ address, bytes: HASH_BYTES })),
      }
    : {};
  const job: Job = { stages: [stage], cost, ...regions };
  return { job, finish: () => ({ chunks, memory: host.context.bytes(), at: digests }) };
}

function hashStaged(
  host: KernelHost,
  chunks: readonly HeldChunk[],
  chunkBytes: number,
): Observable<HashedPart> {
  const placesFrom = (region: RegionCutter): Places => ({
    rows: Uint32Array.from(chunks, () => region.part(rowStride(chunkBytes))),
    digests: Uint32Array.from(chunks, () => region.part(HASH_BYTES)),
  });
  const size = new RegionCutter();
  placesFrom(size);
  return runOnLease(host, { byteCount: () => size.byteCount }, (address) => {
    const places = placesFrom(new RegionCutter(address));
    const memory = host.context.bytes();
    chunks.forEach(({ bytes }, i) => {
      memory.set(bytes, places.rows[i]);
    });
    return hashJob(host, chunks, places, chunkBytes);
  }).pipe(
    map(({ memory, at }): HashedPart => {
      // The lease ends while this is told.
      const own = new Uint8Array(HASH_BYTES * chunks.length);
      chunks.forEach((_, i) => {
        const from = at[i] ?? 0;
        own.set(memory.subarray(from, from + HASH_BYTES), HASH_BYTES * i);
      });
      return ownPart(chunks, own);
    }),
    catchError((error: unknown) => {
      if (!(error instanceof ArenaTooSmallError)) {
        throw error;
      }
      host.warn('arena_too_small', error);
      const own = new Uint8Array(HASH_BYTES * chunks.length);
      chunks.forEach(({ bytes }, i) => {
        own.set(blake2b256(bytes), HASH_BYTES * i);
      });
      return of(ownPart(chunks, own));
    }),
  );
}

function ownPart(chunks: readonly HeldChunk[], memory: Uint8Array): HashedPart {
  return { chunks, memory, at: chunks.map((_, i) => HASH_BYTES * i) };
}

function portions(chunks: readonly HeldChunk[], chunkBytes: number): (readonly HeldChunk[])[] {
  const perPortion = Math.max(1, Math.floor(STAGING_BYTES / rowStride(chunkBytes)));
  return Array.from({ length: Math.ceil(chunks.length / perPortion) }, (_, i) =>
    chunks.slice(i * perPortion, (i + 1) * perPortion),
  );
}
