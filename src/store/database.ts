/**
 * @module
 * The few things we ask of an `interface-datastore`, with our errors. Not found is a value.
 */

import type { Datastore, Key, Pair } from 'interface-datastore';
import { StoreError } from './errors.ts';

/** One change of a batch. */
export type DatabaseChange =
  | { readonly type: 'put'; readonly key: Key; readonly value: Uint8Array }
  | { readonly type: 'delete'; readonly key: Key };

/** A datastore with our errors. */
export interface Database {
  /** The value of a key, or `undefined`. Rejects with `read_failed`. */
  get(key: Key, signal?: AbortSignal): Promise<Uint8Array | undefined>;
  /**
   * Applies all changes or none. Rejects with `write_failed`. Takes no signal: a batch that has begun
   * is carried out.
   */
  commit(changes: readonly DatabaseChange[]): Promise<void>;
  /** Entries under a prefix in the order of keys, as of one moment. Rejects with `read_failed`. */
  entries(prefix: string, signal?: AbortSignal): AsyncIterable<Pair>;
  /** As `entries`, without the values. */
  keys(prefix: string, signal?: AbortSignal): AsyncIterable<Key>;
}

/**
 * Wraps a datastore.
 *
 * Asked of the datastore: `batch().commit()` is atomic; `query` and `queryKeys` return keys in byte
 * order, as of the moment of the call. LevelDB does that, and so does `MemoryDatabase` here;
 * `MemoryDatastore` of `datastore-core` does neither.
 */
export function databaseOver(datastore: Datastore): Database {
  return {
    get: async (key, signal) => {
      try {
        return plain(await datastore.get(key, withSignal(signal)));
      } catch (error: unknown) {
        if (error instanceof Error && error.name === 'NotFoundError') {
          return undefined;
        }
        throw readFailed(error, signal);
      }
    },
    commit: async (changes) => {
      const batch = datastore.batch();
      for (const change of changes) {
        if (change.type === 'put') {
          batch.put(change.key, change.value);
        } else {
          batch.delete(change.key);
        }
      }
      try {
        await batch.commit();
      } catch (error: unknown) {
        throw new StoreError('write_failed', 'the batch was not written', {}, error);
      }
    },
    entries: async function* (prefix, signal) {
      const pairs = guarded(() => datastore.query({ prefix }, withSignal(signal)), signal);
      for await (const { key, value } of pairs) {
        yield { key, value: plain(value) };
      }
    },
    keys: (prefix, signal) =>
      guarded(() => datastore.queryKeys({ prefix }, withSignal(signal)), signal),
  };
}

async function* guarded<T>(
  start: () => Iterable<T> | AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  try {
    yield* start();
  } catch (error: unknown) {
    throw readFailed(error, signal);
  }
}

/** LevelDB answers with `Buffer`, whose `slice` is a view where that of `Uint8Array` is a copy. */
function plain(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

function withSignal(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function readFailed(error: unknown, signal: AbortSignal | undefined): StoreError {
  signal?.throwIfAborted();
  return new StoreError('read_failed', 'the database could not be read', {}, error);
}
