/**
 * @module
 * Ways to get a store: on LevelDB, embedded in this process, or in memory.
 */

import { LevelDatastore } from 'datastore-level';
import type { Observable } from 'rxjs';
import { map } from 'rxjs';
import { fromAbortable } from '../recovery/from-abortable.ts';
import type { StoreSettings } from './availability-store.ts';
import { AvailabilityStore } from './availability-store.ts';
import { StoreError } from './errors.ts';
import { MemoryDatabase } from './memory-database.ts';

/**
 * Opens a store in a folder, which is made when it is absent. Emits once; whoever gets the store closes
 * it. Unsubscribing before that closes what was opened.
 *
 * Errors: {@link StoreError} `store_locked`, `store_unavailable`.
 */
export function openLevelStore(
  path: string,
  settings: StoreSettings = {},
): Observable<AvailabilityStore> {
  return openLevelDatastore(path).pipe(
    map((datastore) => new AvailabilityStore(datastore, settings, () => datastore.close())),
  );
}

/**
 * Opens the database below a store, to look at or to damage its entries (keys: `layout.ts`). Errors as
 * {@link openLevelStore}.
 */
export function openLevelDatastore(path: string): Observable<LevelDatastore> {
  return fromAbortable(async (signal) => {
    const datastore = new LevelDatastore(path);
    try {
      // Impl: `LevelDatastore.open` keeps only the text of an error; the database below has its code.
      await datastore.db.open({ createIfMissing: true, compression: false });
    } catch (error: unknown) {
      throw openFailed(path, error);
    }
    if (signal.aborted) {
      await datastore.close();
    }
    return datastore;
  });
}

/** A store in memory, gone with the process. Closing it is optional. */
export function memoryStore(settings: StoreSettings = {}): AvailabilityStore {
  return new AvailabilityStore(new MemoryDatabase(), settings);
}

function openFailed(path: string, error: unknown): StoreError {
  const cause = error instanceof Error ? error.cause : undefined;
  const isLocked = cause instanceof Error && 'code' in cause && cause.code === 'LEVEL_LOCKED';
  return isLocked
    ? new StoreError('store_locked', `the store is open already: ${path}`, { path }, error)
    : new StoreError('store_unavailable', `cannot open a store: ${path}`, { path }, error);
}
