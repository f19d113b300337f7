/**
 * @module
 * Stores for tests of the store itself: on either database, with a clock that is moved by hand, and with
 * counters and log lines kept.
 */

import type { Datastore, Key } from 'interface-datastore';
import { lastValueFrom, VirtualTimeScheduler } from 'rxjs';
import type { CandidateHash } from '../../src/primitives/ids.ts';
import { validatorIndex } from '../../src/primitives/ids.ts';
import type { Logger, MetricsSink, StoredEntry } from '../../src/recovery/ports.ts';
import { NO_LOGGER } from '../../src/recovery/ports.ts';
import { AvailabilityStore, type StoreSettings } from '../../src/store/availability-store.ts';
import { chunkKey, dataKey } from '../../src/store/layout.ts';
import { MemoryDatabase } from '../../src/store/memory-database.ts';
import { CORRUPTIONS } from '../../src/store/metrics.ts';
import { openLevelDatastore } from '../../src/store/open.ts';
import type { StoreCandidate } from '../support/store-candidate.ts';
import type { HeldEntries } from '../support/store-contract.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Which database a test runs on. */
export type DatabaseKind = 'memory' | 'level';

/** A store, what is below it, and what it told its surroundings. Disposing closes and removes it. */
export type OpenedStore = AsyncDisposable & {
  readonly store: AvailabilityStore;
  readonly datastore: Datastore;
  readonly counters: Counters;
  readonly log: string[];
  hold(candidate: StoreCandidate, held: HeldEntries): Promise<void>;
  damage(hash: CandidateHash, entry: StoredEntry): Promise<void>;
  corruptions(): number;
};

/** Counts by metric name and labels. */
export class Counters implements MetricsSink {
  readonly counts: Map<string, number> = new Map();

  increment(name: string, labels: Readonly<Record<string, string>> = {}, by = 1): void {
    const key = [name, ...Object.values(labels)].join(' ');
    this.counts.set(key, (this.counts.get(key) ?? 0) + by);
  }

  observe(): void {}

  /** Sum over all label values. */
  total(name: string): number {
    return [...this.counts]
      .filter(([key]) => key.split(' ')[0] === name)
      .reduce((sum, [, count]) => sum + count, 0);
  }
}

/** A clock that stands until it is moved; due actions run on the way. */
export class HandClock extends VirtualTimeScheduler {
  constructor() {
    super(undefined, 0);
  }

  /** Moves on by so many milliseconds. */
  advance(ms: number): void {
    const target = this.frame + ms;
    this.maxFrames = target;
    this.schedule(() => {}, ms);
    this.flush();
    this.frame = target;
  }
}

/** Opens a store; `level` uses a folder of its own. */
export async function openStore(
  kind: DatabaseKind,
  settings: StoreSettings = {},
): Promise<OpenedStore> {
  const folder = kind === 'level' ? await tempFolder() : undefined;
  const level = folder && (await lastValueFrom(openLevelDatastore(folder.at('db'))));
  const datastore = level ?? new MemoryDatabase();
  const counters = new Counters();
  const log: string[] = [];
  const logger: Logger = { ...NO_LOGGER, warn: (event) => void log.push(event) };
  const close = async (): Promise<void> => level?.close();
  const store = new AvailabilityStore(datastore, { metrics: counters, logger, ...settings }, close);
  return {
    store,
    datastore,
    counters,
    log,
    hold: (candidate, held) => hold(store, candidate, held),
    damage: (hash, entry) =>
      flipByte(
        datastore,
        entry.type === 'chunk' ? chunkKey(hash, entry.validatorIndex) : dataKey(hash),
        // Past the length prefix of a chunk, inside the first bytes of the data.
        8,
      ),
    corruptions: () => counters.total(CORRUPTIONS),
    [Symbol.asyncDispose]: async () => {
      await lastValueFrom(store.close());
      await folder?.[Symbol.asyncDispose]();
    },
  };
}

/** Flips the lowest bit of one byte below the store. */
export async function flipByte(datastore: Datastore, key: Key, at: number): Promise<void> {
  const bytes = Uint8Array.from(await datastore.get(key));
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await datastore.put(key, bytes);
}

async function hold(
  store: AvailabilityStore,
  candidate: StoreCandidate,
  { validators, data }: HeldEntries,
): Promise<void> {
  const keep = validators.map((v) => validatorIndex(v));
  await lastValueFrom(store.storeAvailableData({ ...candidate, keep, keepData: data }));
}

/** Every key below the store, in order. */
export async function allKeys(datastore: Datastore): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of datastore.queryKeys({})) {
    keys.push(key.toString());
  }
  return keys.sort();
}
