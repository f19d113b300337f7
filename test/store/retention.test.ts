import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { metadataKey } from '../../src/store/layout.ts';
import { CANDIDATES_PRUNED } from '../../src/store/metrics.ts';
import { storeCandidate } from '../support/store-candidate.ts';
import { all } from '../support/store-contract.ts';
import { allKeys, HandClock, openStore } from './support.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const candidate = storeCandidate({ seed: 30 });
const other = storeCandidate({ seed: 31 });
const hash = candidate.candidateHash;
const block = { number: 100, hash: 'aa'.repeat(32) };
const fork = { number: 100, hash: 'bb'.repeat(32) };

describe.each(['memory', 'level'] as const)('retention on %s', (kind) => {
  it('removes everything of a candidate that was unavailable for an hour', async () => {
    const scheduler = new HandClock();
    await using opened = await openStore(kind, { scheduler });
    const { store } = opened;
    await lastValueFrom(store.storeAvailableData(candidate));
    scheduler.advance(HOUR_MS - 1);
    await lastValueFrom(store.storeAvailableData(other));
    expect(await lastValueFrom(store.prune())).toBe(0);
    expect(await all(store.loadChunks(hash))).toHaveLength(7);
    scheduler.advance(1);
    expect(await lastValueFrom(store.prune())).toBe(1);
    expect(await all(store.loadChunks(hash))).toEqual([]);
    expect(await all(store.loadAvailableData(hash))).toEqual([]);
    expect(await all(store.loadCandidate(hash))).toEqual([]);
    expect((await allKeys(opened.datastore)).filter((key) => key.includes(hash))).toEqual([]);
    expect(await all(store.loadChunks(other.candidateHash))).toHaveLength(7);
    expect(opened.counters.counts.get(`${CANDIDATES_PRUNED} unavailable`)).toBe(1);
  });

  it('counts from the time first seen, not from the time stored', async () => {
    const scheduler = new HandClock();
    await using opened = await openStore(kind, { scheduler });
    const { store } = opened;
    expect(await lastValueFrom(store.markBacked(candidate))).toBe(true);
    scheduler.advance(HOUR_MS - 1);
    await lastValueFrom(store.storeAvailableData(candidate));
    expect(await lastValueFrom(store.markBacked(candidate))).toBe(false);
    scheduler.advance(1);
    expect(await lastValueFrom(store.prune())).toBe(1);
  });

  it('keeps a candidate in an unfinalized block for as long as it takes', async () => {
    const scheduler = new HandClock();
    await using opened = await openStore(kind, { scheduler });
    const { store } = opened;
    await lastValueFrom(store.storeAvailableData(candidate));
    expect(await lastValueFrom(store.markIncluded(hash, block))).toBe(true);
    scheduler.advance(1_000 * HOUR_MS);
    expect(await lastValueFrom(store.prune())).toBe(0);
    expect(await all(store.loadChunks(hash))).toHaveLength(7);
  });

  it('removes a finalized candidate 25 hours after finality', async () => {
    const scheduler = new HandClock();
    await using opened = await openStore(kind, { scheduler });
    const { store } = opened;
    await lastValueFrom(store.storeAvailableData(candidate));
    await lastValueFrom(store.markIncluded(hash, block));
    scheduler.advance(10 * HOUR_MS);
    expect(await lastValueFrom(store.markFinalized(hash))).toBe(true);
    scheduler.advance(25 * HOUR_MS - 1);
    await lastValueFrom(store.markFinalized(hash));
    expect(await lastValueFrom(store.prune())).toBe(0);
    scheduler.advance(1);
    expect(await lastValueFrom(store.prune())).toBe(1);
    expect(await allKeys(opened.datastore)).toEqual([]);
    expect(opened.counters.counts.get(`${CANDIDATES_PRUNED} finalized`)).toBe(1);
  });

  it('prunes at once, by the original time, when the last including block loses to a fork', async () => {
    const scheduler = new HandClock();
    await using opened = await openStore(kind, { scheduler });
    const { store } = opened;
    await lastValueFrom(store.storeAvailableData(candidate));
    await lastValueFrom(store.markIncluded(hash, block));
    await lastValueFrom(store.markIncluded(hash, fork));
    scheduler.advance(2 * HOUR_MS);
    expect(await lastValueFrom(store.markRetracted(hash, fork))).toBe(true);
    expect(await lastValueFrom(store.prune())).toBe(0);
    await lastValueFrom(store.markRetracted(hash, block));
    expect(await lastValueFrom(store.loadCandidate(hash))).toMatchObject({
      state: { type: 'unavailable', sinceMs: 0 },
    });
    expect(await lastValueFrom(store.prune())).toBe(1);
  });

  it('obeys the retention it is opened with, also for what was stored before', async () => {
    const scheduler = new HandClock();
    const retention = { unavailableMs: 10, finalizedMs: 20 };
    await using opened = await openStore(kind, { scheduler, retention });
    await lastValueFrom(opened.store.storeAvailableData(candidate));
    await lastValueFrom(opened.store.storeAvailableData(other));
    await lastValueFrom(opened.store.markFinalized(other.candidateHash));
    scheduler.advance(10);
    expect(await lastValueFrom(opened.store.prune())).toBe(1);
    scheduler.advance(10);
    expect(await lastValueFrom(opened.store.prune())).toBe(1);
  });

  it('clears index lines that no metadata stands behind, without counting them', async () => {
    const scheduler = new HandClock();
    await using opened = await openStore(kind, { scheduler });
    await lastValueFrom(opened.store.markBacked(candidate));
    await opened.datastore.delete(metadataKey(hash));
    scheduler.advance(HOUR_MS);
    expect(await lastValueFrom(opened.store.prune())).toBe(0);
    expect(await allKeys(opened.datastore)).toEqual([]);
  });
});

describe('marks', () => {
  it('leave an unknown candidate unknown', async () => {
    await using opened = await openStore('memory');
    const { store } = opened;
    expect(await lastValueFrom(store.markIncluded(hash, block))).toBe(false);
    expect(await lastValueFrom(store.markRetracted(hash, block))).toBe(false);
    expect(await lastValueFrom(store.markFinalized(hash))).toBe(false);
    expect(await allKeys(opened.datastore)).toEqual([]);
  });

  it('refuse what is no block', async () => {
    await using opened = await openStore('memory');
    expect(() => opened.store.markIncluded(hash, { ...block, number: 2 ** 32 })).toThrow(
      RangeError,
    );
    expect(() => opened.store.markRetracted(hash, { ...block, hash: '0xaa' })).toThrow(TypeError);
  });
});

describe('startPruning', () => {
  /** Lets promises settle that need no clock: each read below is a later one. */
  const settled = async (opened: Awaited<ReturnType<typeof openStore>>): Promise<void> => {
    for (let read = 0; read < 20; read += 1) {
      await all(opened.store.loadCandidate(hash));
    }
  };

  it('prunes nothing unless it is called', async () => {
    const scheduler = new HandClock();
    await using opened = await openStore('memory', { scheduler });
    await lastValueFrom(opened.store.storeAvailableData(candidate));
    scheduler.advance(100 * HOUR_MS);
    await settled(opened);
    expect(await all(opened.store.loadChunks(hash))).toHaveLength(7);
  });

  it('prunes at once and every five minutes until it is stopped, and again after a start', async () => {
    const scheduler = new HandClock();
    await using opened = await openStore('memory', { scheduler });
    const { store } = opened;
    await lastValueFrom(store.storeAvailableData(candidate));
    store.startPruning();
    store.startPruning();
    scheduler.advance(HOUR_MS - 1);
    await settled(opened);
    expect(await all(store.loadCandidate(hash))).toHaveLength(1);
    scheduler.advance(5 * MINUTE_MS);
    await settled(opened);
    expect(await all(store.loadCandidate(hash))).toEqual([]);
    store.stopPruning();
    await lastValueFrom(store.storeAvailableData(candidate));
    scheduler.advance(2 * HOUR_MS);
    await settled(opened);
    expect(await all(store.loadCandidate(hash))).toHaveLength(1);
    store.startPruning();
    scheduler.advance(0);
    await settled(opened);
    expect(await all(store.loadCandidate(hash))).toEqual([]);
  });

  it('logs a pass that failed and tries again', async () => {
    const scheduler = new HandClock();
    await using opened = await openStore('memory', { scheduler });
    const { store, datastore } = opened;
    await lastValueFrom(store.storeAvailableData(candidate));
    const batch = datastore.batch.bind(datastore);
    datastore.batch = () => ({ ...batch(), commit: () => Promise.reject(new Error('disk full')) });
    store.startPruning();
    scheduler.advance(HOUR_MS);
    await settled(opened);
    expect(opened.log).toEqual(['store_prune_failed']);
    datastore.batch = batch;
    scheduler.advance(5 * MINUTE_MS);
    await settled(opened);
    expect(await all(store.loadCandidate(hash))).toEqual([]);
  });

  it('ends with close', async () => {
    const scheduler = new HandClock();
    await using opened = await openStore('memory', { scheduler });
    opened.store.startPruning();
    scheduler.advance(0);
    await lastValueFrom(opened.store.close());
    scheduler.advance(HOUR_MS);
    expect(opened.log).toEqual([]);
  });
});
