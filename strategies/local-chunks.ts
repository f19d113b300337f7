/**
 * @module
 * The chunks of our own store, verified like any other. A store that fails or is slow is a reason to
 * use the network, never a verdict.
 */

import {
  catchError,
  concat,
  concatMap,
  defer,
  EMPTY,
  from,
  ignoreElements,
  map,
  mergeMap,
  type Observable,
  of,
  toArray,
} from 'rxjs';
import type { VerifyChunkAnswer } from '../src/commitment/verify-chunk.ts';
import type { ChunkIndex, ValidatorIndex } from '../src/primitives/ids.ts';
import type { StrategyEvent } from '../src/recovery/events.ts';
import { inTime } from '../src/recovery/in-time.ts';
import { ownChunk } from '../src/recovery/own-copy.ts';
import type { ChunkStore, StoredChunk } from '../src/recovery/ports.ts';
import type { RecoveryContext, StrategyOutput } from '../src/recovery/strategy.ts';

/** What the store returned. */
export type LocalChunks = {
  /** Chunk indices whose stored chunk failed its proof, now or when an earlier strategy read it. */
  readonly invalid: ReadonlySet<ChunkIndex>;
  /** One `chunk_held` per chunk that was new. */
  readonly events: readonly StrategyEvent[];
};

const NOTHING: LocalChunks = { invalid: new Set(), events: [] };

/** Reads all own chunks, files the valid ones as known and drops the others from the store. */
export function loadLocalChunks(context: RecoveryContext): Observable<LocalChunks> {
  const { store, request, settings, runtime, logger } = context;
  if (store === undefined) {
    return of(NOTHING);
  }
  const { candidateHash } = request.candidate;
  return defer(() => store.loadChunks(candidateHash)).pipe(
    map(({ validatorIndex, chunk }) => ({ validatorIndex, chunk: ownChunk(chunk) })),
    toArray(),
    inTime(settings.storeTimeoutMs, runtime.scheduler),
    catchError((cause: unknown) => {
      logger.warn('store_read_failed', { candidateHash, what: 'chunks', cause });
      return of<readonly StoredChunk[]>([]);
    }),
    mergeMap((stored) => verifyAll(context, stored), 1),
    mergeMap((verified) => {
      const { outcome, corrupt } = fileChunks(context, verified);
      return concat(dropAll(context, store, corrupt), of(outcome));
    }, 1),
  );
}

/** A chunk of our own store and what its proof says. */
type OwnChunk = StoredChunk & { readonly verdict: VerifyChunkAnswer };

/** Asks about all of them at once; verdicts in the order of the chunks. */
function verifyAll(
  { work }: RecoveryContext,
  stored: readonly StoredChunk[],
): Observable<readonly OwnChunk[]> {
  return stored.length === 0
    ? of([])
    : work.verifyAll(stored.map(({ chunk }) => chunk)).pipe(
        map((verdicts) =>
          stored.flatMap((own, i) => {
            const verdict = verdicts[i];
            return verdict === undefined ? [] : [{ ...own, verdict }];
          }),
        ),
      );
}

/** Reads our own chunks first, says which of them are held, then goes on. */
export function afterLocalChunks(
  context: RecoveryContext,
  next: (local: LocalChunks) => Observable<StrategyOutput>,
): Observable<StrategyOutput> {
  return loadLocalChunks(context).pipe(
    concatMap((local) =>
      concat(
        from(local.events),
        defer(() => next(local)),
      ),
    ),
  );
}

function fileChunks(
  context: RecoveryContext,
  stored: readonly OwnChunk[],
): { readonly outcome: LocalChunks; readonly corrupt: readonly ValidatorIndex[] } {
  const events: StrategyEvent[] = [];
  const corrupt: ValidatorIndex[] = [];
  for (const { validatorIndex, chunk, verdict } of stored) {
    context.known.markOwn(validatorIndex);
    if (verdict.type === 'invalid') {
      context.known.markOwnInvalid(chunk.chunkIndex);
      corrupt.push(validatorIndex);
    } else if (context.known.add({ chunk: verdict.chunk, validatorIndex })) {
      const atMs = context.runtime.scheduler.now();
      events.push({ type: 'chunk_held', atMs, chunkIndex: chunk.chunkIndex, from: 'store' });
    }
  }
  return { outcome: { invalid: context.known.ownInvalid(), events }, corrupt };
}

function dropAll(
  context: RecoveryContext,
  store: ChunkStore,
  corrupt: readonly ValidatorIndex[],
): Observable<never> {
  const { candidateHash } = context.request.candidate;
  return concat(
    ...corrupt.map((validatorIndex) => {
      context.logger.warn('stored_chunk_invalid', { candidateHash, validatorIndex });
      return defer(() => store.dropCorrupt(candidateHash, { type: 'chunk', validatorIndex }));
    }),
  ).pipe(
    ignoreElements(),
    inTime(context.settings.storeTimeoutMs, context.runtime.scheduler),
    catchError((cause: unknown) => {
      context.logger.warn('store_drop_failed', { candidateHash, cause });
      return EMPTY;
    }),
  );
}
