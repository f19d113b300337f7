/**
 * @module
 * Hashes chunks of one length together, in rows of the arena that stay theirs as long as there is room,
 * and in portions through memory on loan where there is none.
 */

import { catchError, concat, defer, map, type Observable, of } from 'rxjs';
import { rowStride } from '../erasure/kernel/index.ts';
import { blake2b256 } from '../primitives/hash.ts';
import { type ReadyJob, runOnLease, runReady } from './arena-job.ts';
import { ArenaTooSmallError } from './arena-queue.ts';
import type { ChunkRow, ChunkRows } from './chunk-rows.ts';
import { RegionCutter } from './code-layout.ts';
import { cutCount } from './job-cutting.ts';
import type { KernelHost } from './kernel-host.ts';
import { hashCostMs } from './planner.ts';
import { HASH_STEP, kernelOption } from './row-groups.ts';
import type { Job, Task } from './tasks.ts';

/** The hash of a chunk, own bytes, and the row that holds the chunk if it got one. */
export type HashedChunk = { readonly digest: Uint8Array; readonly row?: ChunkRow };

/** Bytes of chunks that are hashed at a time where they get no rows. */
const STAGING_BYTES = 4 * 1024 * 1024;

const DIGEST_BYTES = 32;

/**
 * Hashes chunks, in their order, and emits part after part. Rows that are handed out with a part are to be
 * kept or given back in the turn of its emission: afterwards they may be evicted, for they must not be in
 * use while the next part waits for memory.
 *
 * Buffers: chunks are read in the turn of the subscription where they get rows, else later.
 *
 * @param chunks - Of `rows.chunkBytes` each.
 */
export function hashChunks(
  host: KernelHost,
  rows: ChunkRows,
  chunks: readonly Uint8Array[],
): Observable<readonly HashedChunk[]> {
  return defer(() => {
    const endUse = rows.use();
    const placed: ChunkRow[] = [];
    while (placed.length < chunks.length) {
      const row = rows.take();
      if (row === undefined) {
        break;
      }
      placed.push(row);
    }
    const inRows = runReady(host.runner, {
      ...hashJob(host, chunks.slice(0, placed.length), placed, rows.chunkBytes),
      onIdle: endUse,
    }).pipe(map((digests) => digests.map((digest, i): HashedChunk => withRow(digest, placed[i]))));
    const staged = portions(chunks.slice(placed.length), rows.chunkBytes).map((some) =>
      hashStaged(host, some, rows.chunkBytes),
    );
    return concat(inRows, ...staged);
  });
}

function withRow(digest: Uint8Array, row: ChunkRow | undefined): HashedChunk {
  return row === undefined ? { digest } : { digest, row };
}

/** Copies chunks to rows, and makes the job that hashes them. */
function hashJob(
  host: KernelHost,
  chunks: readonly Uint8Array[],
  rows: readonly ChunkRow[],
  bytes: number,
): ReadyJob<readonly Uint8Array[]> {
  const memory = host.context.bytes();
  chunks.forEach((chunk, i) => {
    memory.set(chunk, rows[i]?.row ?? 0);
  });
  const settings = host.settings(hashCostMs(host.settings(0).costs, chunks.length, bytes));
  const cost = hashCostMs(settings.costs, chunks.length, bytes);
  const at = Uint32Array.from(rows, ({ row }) => row);
  const digests = Uint32Array.from(rows, ({ digest }) => digest);
  const cut = { costMs: cost, threads: settings.threads };
  const stage = cutCount(chunks.length, cut, HASH_STEP).map(
    ({ from, to }): Task => ({
      type: 'hash_rows',
      job: {
        rows: at.slice(from, to),
        bytes,
        digests: digests.slice(from, to),
        ...kernelOption(settings),
      },
    }),
  );
  const regions = host.needsRegions
    ? {
        inputs: rows.map(({ row }) => ({ address: row, bytes })),
        outputs: rows.map(({ digest }) => ({ address: digest, bytes: DIGEST_BYTES })),
      }
    : {};
  const job: Job = { stages: [stage], cost, ...regions };
  return {
    job,
    finish: () => {
      const after = host.context.bytes();
      return rows.map(({ digest }) => after.slice(digest, digest + DIGEST_BYTES));
    },
  };
}

function hashStaged(
  host: KernelHost,
  chunks: readonly Uint8Array[],
  chunkBytes: number,
): Observable<readonly HashedChunk[]> {
  const placesFrom = (region: RegionCutter): readonly ChunkRow[] =>
    chunks.map(() => ({
      row: region.part(rowStride(chunkBytes)),
      digest: region.part(DIGEST_BYTES),
    }));
  const size = new RegionCutter();
  placesFrom(size);
  return runOnLease(host, { byteCount: () => size.byteCount }, (address) =>
    hashJob(host, chunks, placesFrom(new RegionCutter(address)), chunkBytes),
  ).pipe(
    catchError((error: unknown) => {
      if (!(error instanceof ArenaTooSmallError)) {
        throw error;
      }
      host.warn('arena_too_small', error);
      return of(chunks.map((chunk) => blake2b256(chunk)));
    }),
    map((digests) => digests.map((digest) => ({ digest }))),
  );
}

function portions(chunks: readonly Uint8Array[], chunkBytes: number): (readonly Uint8Array[])[] {
  const perPortion = Math.max(1, Math.floor(STAGING_BYTES / rowStride(chunkBytes)));
  return Array.from({ length: Math.ceil(chunks.length / perPortion) }, (_, i) =>
    chunks.slice(i * perPortion, (i + 1) * perPortion),
  );
}
