/**
 * @module
 * What our own store can say before anybody is asked: the full data, and the size of a chunk. Whatever
 * goes wrong here is a reason to use the network.
 */

import {
  catchError,
  concatMap,
  defaultIfEmpty,
  defer,
  EMPTY,
  ignoreElements,
  map,
  type Observable,
  of,
  take,
} from 'rxjs';
import { inTime } from './in-time.ts';
import { ownBytes } from './own-copy.ts';
import { type ChunkStore, NO_METRICS } from './ports.ts';
import { type CheckedData, checkPayload, notedSubject, trustStored } from './result-check.ts';
import type { RecoveryContext } from './strategy.ts';

/** The full data of our own store, checked if the settings say so; completes without a value when there is none. */
export function loadOwnData(context: RecoveryContext): Observable<CheckedData> {
  const { store, request } = context;
  if (store === undefined) {
    return EMPTY;
  }
  const { candidateHash } = request.candidate;
  return readStore(context, 'available_data', () =>
    store.loadAvailableData(candidateHash).pipe(
      map((stored) => {
        const own = ownBytes(stored);
        context.workLog.copied(own.length);
        return own;
      }),
    ),
  ).pipe(concatMap((stored) => checkStored(context, store, stored)));
}

/** Bytes of any chunk we hold; `undefined` when there is none or the store can't say. */
export function loadChunkBytes(
  context: Pick<RecoveryContext, 'request' | 'settings' | 'runtime' | 'logger'>,
  store: ChunkStore,
): Observable<number | undefined> {
  const { candidateHash } = context.request.candidate;
  return readStore(context, 'chunk_bytes', () => store.loadChunkBytes(candidateHash)).pipe(
    defaultIfEmpty<number, undefined>(undefined),
  );
}

function checkStored(
  context: RecoveryContext,
  store: ChunkStore,
  stored: Uint8Array,
): Observable<CheckedData> {
  const { request, work, logger, settings } = context;
  const { candidateHash } = request.candidate;
  // Spec: what our own store answers is no recovery, and not counted (recovery spec §6).
  const outcome$ = settings.checkStoredData
    ? checkPayload(stored, notedSubject({ ...context, metrics: NO_METRICS }), work)
    : of(trustStored(stored));
  return outcome$.pipe(
    concatMap((outcome) => {
      if (outcome.type === 'checked') {
        return of(outcome.data);
      }
      logger.warn('stored_data_invalid', { candidateHash, ...outcome.evidence });
      return readStore(context, 'drop', () =>
        // What a store emits here is not data, whatever it is.
        store.dropCorrupt(candidateHash, { type: 'available_data' }).pipe(ignoreElements()),
      );
    }),
  );
}

function readStore<T>(
  {
    request,
    settings,
    runtime,
    logger,
  }: Pick<RecoveryContext, 'request' | 'settings' | 'runtime' | 'logger'>,
  what: string,
  read: () => Observable<T>,
): Observable<T> {
  return defer(read).pipe(
    take(1),
    inTime(settings.storeTimeoutMs, runtime.scheduler),
    catchError((cause: unknown) => {
      logger.warn('store_read_failed', {
        candidateHash: request.candidate.candidateHash,
        what,
        cause,
      });
      return EMPTY;
    }),
  );
}
