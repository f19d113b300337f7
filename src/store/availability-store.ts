/**
 * @module
 * The store: what we hold of each candidate, for recovery and for serving. Wires the operations of this
 * folder to one database; decides nothing itself.
 */

import type { Datastore } from 'interface-datastore';
import type { Observable, SchedulerLike } from 'rxjs';
import { asyncScheduler, concat, defer, from, ignoreElements, map, mergeMap, reduce } from 'rxjs';
import type { ErasureCodec } from '../erasure/index.ts';
import { CODEC_V1 } from '../erasure/index.ts';
import type { Chunk } from '../primitives/chunk.ts';
import { hashReady } from '../primitives/hash.ts';
import type { CandidateHash, ValidatorIndex } from '../primitives/ids.ts';
import { fromAbortable, fromAbortableOptional } from '../recovery/from-abortable.ts';
import type {
  ChunkStore,
  Logger,
  MetricsSink,
  ServedStore,
  StoredChunk,
  StoredEntry,
} from '../recovery/ports.ts';
import { NO_LOGGER, NO_METRICS } from '../recovery/ports.ts';
import { CandidateLocks } from './candidate-locks.ts';
import type { CandidateIdentity, StoreContext } from './context.ts';
import { toStoredTime } from './context.ts';
import { dropEntry } from './corruption.ts';
import { databaseOver } from './database.ts';
import { StoreError } from './errors.ts';
import { dataKey, INDEXED_STATES } from './layout.ts';
import type { IncludingBlock, Retention } from './lifecycle.ts';
import { DEFAULT_RETENTION, finalized, included, retracted } from './lifecycle.ts';
import { addCandidate, changeState } from './marks.ts';
import { pruneExpired } from './prune.ts';
import { PRUNE_EVERY_MS, Pruner } from './pruner.ts';
import type { CandidateRecord } from './reads.ts';
import { loadRecord, loadServedChunk, loadServedData, loadStoredChunks } from './reads.ts';
import type { AvailableDataEntry, ChunkEntry, StoreReport } from './writes.ts';
import { storeData, storeOneChunk } from './writes.ts';

/** What a store may be given; everything has a default. */
export type StoreSettings = {
  /** Clock of the lifecycle and timer of the pruner. Default: the real one, ms since the epoch. */
  readonly scheduler?: SchedulerLike;
  /** How long data is kept, once a pruner runs. Default: {@link DEFAULT_RETENTION}. */
  readonly retention?: Partial<Retention>;
  /** Between two pruning passes. Default: {@link PRUNE_EVERY_MS}. */
  readonly pruneEveryMs?: number;
  /** Default: version 1 on the scalar engine's default. */
  readonly codec?: ErasureCodec;
  readonly metrics?: MetricsSink;
  readonly logger?: Logger;
};

/**
 * Chunks, full data and metadata of candidates over an `interface-datastore`.
 *
 * **Guarantees**, besides those of {@link ChunkStore} and {@link ServedStore}.
 * - Every method is cold and errors with a {@link StoreError} only, apart from misuse (`RangeError`,
 *   `TypeError`, `ErasureError` for an impossible validator count).
 * - A write is one batch: after a crash at any moment each entry is there whole, and listed in its
 *   candidate's metadata, or not there. (A crash of the machine, as opposed to the process, may undo the
 *   last writes, each as a whole.)
 * - Unsubscribing from a write before its batch has begun prevents it; after that it is carried out.
 * - Reads wait for no writer and no pruner.
 */
export class AvailabilityStore implements ChunkStore, ServedStore {
  readonly #context: StoreContext;
  readonly #pruner: Pruner;
  readonly #closeDatastore: () => Promise<void>;
  readonly #running = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  /**
   * @param datastore - Open; its batches are atomic and its queries ordered, as LevelDB's are.
   * @param closeDatastore - Called by `close`; by default the datastore stays open, for whoever opened
   * it closes it.
   */
  constructor(
    datastore: Datastore,
    settings: StoreSettings = {},
    closeDatastore: () => Promise<void> = async () => {},
  ) {
    const { scheduler = asyncScheduler, logger = NO_LOGGER } = settings;
    this.#closeDatastore = closeDatastore;
    this.#context = {
      database: databaseOver(datastore),
      locks: new CandidateLocks(),
      codec: settings.codec ?? CODEC_V1,
      retention: { ...DEFAULT_RETENTION, ...settings.retention },
      metrics: settings.metrics ?? NO_METRICS,
      logger,
      nowMs: () => toStoredTime(scheduler.now()),
      nextTurn: () =>
        new Promise<void>((resolve) => {
          scheduler.schedule(() => resolve(), 0);
        }),
    };
    this.#pruner = new Pruner(() => this.prune(), {
      scheduler,
      logger,
      everyMs: settings.pruneEveryMs ?? PRUNE_EVERY_MS,
    });
  }

  /**
   * Checks full data against its erasure root and stores chunks and, for a backer, the data. Makes an
   * unknown candidate *unavailable since now*. Emits once; storing again is a success without effect.
   *
   * Cost: one encode and one commitment, on this thread, unless everything is held already.
   * Errors: `invalid_erasure_root`, `validator_index_out_of_range`, `conflicting_candidate`,
   * `write_failed`, `read_failed`, `closed`.
   */
  storeAvailableData(entry: AvailableDataEntry): Observable<StoreReport> {
    return this.#run((signal) => storeData(this.#context, entry, signal));
  }

  /**
   * Checks one chunk's proof and stores it under its validator; otherwise as
   * {@link AvailabilityStore.storeAvailableData}, with `invalid_chunk` for a proof that does not hold.
   */
  storeChunk(entry: ChunkEntry): Observable<StoreReport> {
    return this.#run((signal) => storeOneChunk(this.#context, entry, signal));
  }

  /** A backed candidate was seen: *unavailable since now*, if it was unknown. Emits whether it was. */
  markBacked(candidate: CandidateIdentity): Observable<boolean> {
    return this.#run((signal) => addCandidate(this.#context, candidate, signal));
  }

  /**
   * A block includes the candidate: kept without a time limit while one such block is left. Emits
   * whether the candidate is known; an unknown one stays so.
   */
  markIncluded(candidateHash: CandidateHash, block: IncludingBlock): Observable<boolean> {
    return this.#change(candidateHash, block, (state) => included(state, block));
  }

  /**
   * An including block lost to a fork. With the last of them the candidate is *unavailable* again since
   * the time it was first seen, and may be pruned at once. Emits whether the candidate is known.
   */
  markRetracted(candidateHash: CandidateHash, block: IncludingBlock): Observable<boolean> {
    return this.#change(candidateHash, block, (state) => retracted(state, block));
  }

  /** An including block is final, now; nothing undoes it. Emits whether the candidate is known. */
  markFinalized(candidateHash: CandidateHash): Observable<boolean> {
    return this.#run((signal) => changeState(this.#context, candidateHash, signal, finalized));
  }

  /** What is known about a candidate; completes without a value when it is unknown or was pruned. */
  loadCandidate(candidateHash: CandidateHash): Observable<CandidateRecord> {
    return this.#runOptional((signal) => loadRecord(this.#context, candidateHash, signal));
  }

  /** For recovery: all chunks held, as of one moment, not verified. */
  loadChunks(candidateHash: CandidateHash): Observable<StoredChunk> {
    return this.#run((signal) => loadStoredChunks(this.#context, candidateHash, signal)).pipe(
      mergeMap((chunks) => from(chunks), 1),
    );
  }

  /** For recovery: the full data as stored, not checked. */
  loadAvailableData(candidateHash: CandidateHash): Observable<Uint8Array> {
    const key = dataKey(candidateHash);
    return this.#runOptional((signal) => this.#context.database.get(key, signal));
  }

  /** Bytes of the first chunk held. */
  loadChunkBytes(candidateHash: CandidateHash): Observable<number> {
    return this.#run((signal) => loadStoredChunks(this.#context, candidateHash, signal, 1)).pipe(
      mergeMap((chunks) => from(chunks), 1),
      map(({ chunk }) => chunk.bytes.length),
    );
  }

  /**
   * Forgets an entry that a recovery found corrupt; counted once per entry that was held. One that is as
   * it was stored stays.
   */
  dropCorrupt(candidateHash: CandidateHash, entry: StoredEntry): Observable<never> {
    return this.#run(() => dropEntry(this.#context, candidateHash, entry)).pipe(ignoreElements());
  }

  /** For serving: one validator's chunk after its proof held; one that fails is dropped. */
  serveChunk(candidateHash: CandidateHash, validatorIndex: ValidatorIndex): Observable<Chunk> {
    return this.#runOptional((signal) =>
      loadServedChunk(this.#context, candidateHash, validatorIndex, signal),
    );
  }

  /** For serving: the full data after its hash was compared; data that fails is dropped. */
  serveAvailableData(candidateHash: CandidateHash): Observable<Uint8Array> {
    return this.#runOptional((signal) => loadServedData(this.#context, candidateHash, signal));
  }

  /**
   * Removes what expired. Emits once: how many candidates went. Unsubscribing stops it between two
   * candidates, and so does `close`, then with the error `closed`. Reads go on meanwhile, and so do
   * writes, except to the candidate being removed.
   */
  prune(): Observable<number> {
    return concat(
      ...INDEXED_STATES.map((type) =>
        this.#run((signal) => {
          const stop = AbortSignal.any([signal, this.#closing.signal]);
          return pruneExpired(this.#context, type, stop);
        }),
      ),
    ).pipe(reduce((sum, pruned) => sum + pruned, 0));
  }

  /** Prunes from now on, every `pruneEveryMs`, until {@link AvailabilityStore.stopPruning} or `close`. */
  startPruning(): void {
    this.#pruner.start();
  }

  /** Stops what {@link AvailabilityStore.startPruning} began. */
  stopPruning(): void {
    this.#pruner.stop();
  }

  /**
   * Refuses new operations with `closed`, waits for those that run, then closes the datastore if this
   * store opened it. Emits once and completes; closing again waits for the first.
   */
  close(): Observable<void> {
    return defer(() => {
      this.#closed ??= this.#close();
      return from(this.#closed);
    });
  }

  async #close(): Promise<void> {
    this.#pruner.stop();
    this.#closing.abort(storeClosed());
    await Promise.allSettled(this.#running);
    await this.#closeDatastore();
  }

  #change(
    hash: CandidateHash,
    block: IncludingBlock,
    next: Parameters<typeof changeState>[3],
  ): Observable<boolean> {
    assertBlock(block);
    return this.#run((signal) => changeState(this.#context, hash, signal, next));
  }

  #run<T>(task: (signal: AbortSignal) => Promise<T>): Observable<T> {
    return fromAbortable((signal) => this.#tracked(() => task(signal)));
  }

  #runOptional<T>(task: (signal: AbortSignal) => Promise<T | undefined>): Observable<T> {
    return fromAbortableOptional((signal) => this.#tracked(() => task(signal)));
  }

  async #tracked<T>(task: () => Promise<T>): Promise<T> {
    if (this.#closed !== undefined) {
      throw storeClosed();
    }
    const running = hashReady().then(task);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }
}

function storeClosed(): StoreError {
  return new StoreError('closed', 'the store is closed');
}

function assertBlock(block: IncludingBlock): void {
  if (!(Number.isInteger(block.number) && block.number >= 0 && block.number < 2 ** 32)) {
    throw new RangeError(`block.number: expected an integer in 0..2^32-1, got ${block.number}`);
  }
  if (!/^[0-9a-f]{64}$/.test(block.hash)) {
    throw new TypeError('block.hash: expected 64 lower-case hex characters');
  }
}
