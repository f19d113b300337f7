/**
 * @module
 * The one bridge from abortable promises to Observables, and the adapters that spare embedders RxJS.
 */

import { concatMap, filter, from, ignoreElements, Observable } from 'rxjs';
import type { AuthorityId, CandidateHash } from '../primitives/ids.ts';
import type {
  ChunkQuestion,
  ChunkReply,
  ChunkSource,
  ChunkStore,
  DataQuestion,
  DataReply,
  DataSource,
  PeerLocation,
  SessionDirectory,
  SessionInfo,
  StoredChunk,
  StoredEntry,
} from './ports.ts';

/**
 * Starts a promise on subscribe and aborts its signal on unsubscribe. Does not abort after the
 * promise has settled.
 */
export function fromAbortable<T>(start: (signal: AbortSignal) => Promise<T>): Observable<T> {
  return new Observable<T>((subscriber) => {
    const controller = new AbortController();
    let hasSettled = false;
    subscriber.add(() => {
      if (!hasSettled) {
        controller.abort();
      }
    });
    const run = async (): Promise<void> => {
      try {
        const value = await start(controller.signal);
        hasSettled = true;
        subscriber.next(value);
        subscriber.complete();
      } catch (error: unknown) {
        hasSettled = true;
        subscriber.error(error);
      }
    };
    void run();
  });
}

/** As {@link fromAbortable}; `undefined` becomes completion without a value. */
export function fromAbortableOptional<T>(
  start: (signal: AbortSignal) => Promise<T | undefined>,
): Observable<T> {
  return fromAbortable(start).pipe(filter((value) => value !== undefined));
}

/** A chunk source of promises. */
export type PromisedChunkSource = {
  /** Asks once; rejects with a `RequestError` or `CodecError`. */
  askChunk(question: ChunkQuestion, signal: AbortSignal): Promise<ChunkReply>;
};

/** Makes a {@link ChunkSource} from promises. */
export function chunkSourceFrom(source: PromisedChunkSource): ChunkSource {
  return {
    askChunk: (question) => fromAbortable((signal) => source.askChunk(question, signal)),
  };
}

/** A full-data source of promises. */
export type PromisedDataSource = {
  /** Asks once; rejects with a `RequestError` or `CodecError`. */
  askData(question: DataQuestion, signal: AbortSignal): Promise<DataReply>;
};

/** Makes a {@link DataSource} from promises. */
export function dataSourceFrom(source: PromisedDataSource): DataSource {
  return { askData: (question) => fromAbortable((signal) => source.askData(question, signal)) };
}

/** A session directory of promises; `undefined` means unknown. */
export type PromisedDirectory = {
  /** Validators and groups of a session. */
  session(sessionIndex: number, signal: AbortSignal): Promise<SessionInfo | undefined>;
  /** Where an authority is at this moment. */
  locate(authority: AuthorityId, signal: AbortSignal): Promise<PeerLocation | undefined>;
};

/** Makes a {@link SessionDirectory} from promises. */
export function sessionDirectoryFrom(directory: PromisedDirectory): SessionDirectory {
  return {
    session: (index) => fromAbortableOptional((signal) => directory.session(index, signal)),
    locate: (authority) => fromAbortableOptional((signal) => directory.locate(authority, signal)),
  };
}

/** A store of promises; `undefined` means not held. */
export type PromisedStore = {
  /** Every chunk held of a candidate, in ascending validator order. */
  loadChunks(candidateHash: CandidateHash, signal: AbortSignal): Promise<readonly StoredChunk[]>;
  /** The SCALE bytes of the full available data. */
  loadAvailableData(
    candidateHash: CandidateHash,
    signal: AbortSignal,
  ): Promise<Uint8Array | undefined>;
  /** Size in bytes of any one chunk held. */
  loadChunkBytes(candidateHash: CandidateHash, signal: AbortSignal): Promise<number | undefined>;
  /** Counts a local corruption and forgets the entry. */
  dropCorrupt(candidateHash: CandidateHash, entry: StoredEntry, signal: AbortSignal): Promise<void>;
};

/** Makes a {@link ChunkStore} from promises. */
export function chunkStoreFrom(store: PromisedStore): ChunkStore {
  return {
    loadChunks: (candidateHash) =>
      fromAbortable((signal) => store.loadChunks(candidateHash, signal)).pipe(
        concatMap((chunks) => from(chunks)),
      ),
    loadAvailableData: (candidateHash) =>
      fromAbortableOptional((signal) => store.loadAvailableData(candidateHash, signal)),
    loadChunkBytes: (candidateHash) =>
      fromAbortableOptional((signal) => store.loadChunkBytes(candidateHash, signal)),
    dropCorrupt: (candidateHash, entry) =>
      fromAbortable((signal) => store.dropCorrupt(candidateHash, entry, signal)).pipe(
        ignoreElements(),
      ),
  };
}
