import type { Datastore } from 'interface-datastore';
import { asyncScheduler, lastValueFrom, type SchedulerLike } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/bytes.ts';
import { candidateHash, validatorIndex } from '../../src/primitives/ids.ts';
import { emptyBitfield, withBits } from '../../src/store/bitfield.ts';
import { chunkKey, indexKey, metadataKey } from '../../src/store/layout.ts';
import { encodeMetadata } from '../../src/store/metadata.ts';
import { storeCandidate } from '../support/store-candidate.ts';
import { all } from '../support/store-contract.ts';
import { allKeys, openStore } from './support.ts';

const HOUR_MS = 3_600_000;
const kept = storeCandidate({ seed: 40 });

/** Shows a fixed time; its turns are the event loop's. */
function clockAt(nowMs: number): SchedulerLike {
  return { now: () => nowMs, schedule: asyncScheduler.schedule.bind(asyncScheduler) };
}

/** Writes candidates with one chunk entry each straight below the store: their content is not read. */
async function fill(datastore: Datastore, count: number, sinceMs: number): Promise<void> {
  const entry = new Uint8Array(100);
  const metadata = encodeMetadata({
    state: { type: 'unavailable', sinceMs },
    erasureRoot: new Uint8Array(32),
    validatorCount: 10,
    heldChunks: withBits(emptyBitfield(10), [0]),
  });
  const batch = datastore.batch();
  for (let i = 0; i < count; i += 1) {
    const hash = candidateHash(toHex(Uint8Array.of(i >>> 16, i >>> 8, i)).padEnd(64, '0'));
    const key = indexKey(hash, { type: 'unavailable', sinceMs });
    batch.put(metadataKey(hash), metadata);
    batch.put(chunkKey(hash, validatorIndex(0)), entry);
    batch.put(key ?? metadataKey(hash), new Uint8Array());
  }
  await batch.commit();
}

describe.each([
  ['memory', 10_000],
  ['level', 3_000],
] as const)('prune on %s', (kind, count) => {
  it(`answers reads while it removes ${count} candidates`, async () => {
    await using opened = await openStore(kind, { scheduler: clockAt(2 * HOUR_MS) });
    await lastValueFrom(opened.store.storeAvailableData(kept));
    await fill(opened.datastore, count, 0);
    let isPruning = true;
    const pruning = lastValueFrom(opened.store.prune()).finally(() => {
      isPruning = false;
    });
    let turns = 0;
    while (isPruning) {
      const served = await all(opened.store.serveChunk(kept.candidateHash, validatorIndex(1)));
      expect(served).toHaveLength(1);
      // A read from outside comes in a turn of its own.
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
      turns += 1;
    }
    expect(await pruning).toBe(count);
    // Three entries per candidate, a turn per 1,000: the reads were not held up until the end.
    expect(turns).toBeGreaterThan(10);
    const left = await allKeys(opened.datastore);
    expect(left.filter((key) => !key.includes(kept.candidateHash))).toEqual([]);
    expect(await all(opened.store.loadChunks(kept.candidateHash))).toHaveLength(7);
  });

  it('looks at the index up to the first candidate that is not due, and at nothing else', async () => {
    await using opened = await openStore(kind, { scheduler: clockAt(HOUR_MS + 5) });
    await fill(opened.datastore, 2_000, 6);
    const due = storeCandidate({ seed: 41 });
    const hash = due.candidateHash;
    await lastValueFrom(opened.store.storeAvailableData(due));
    const touched: string[] = [];
    const walked: string[] = [];
    const queryKeys = opened.datastore.queryKeys.bind(opened.datastore);
    opened.datastore.queryKeys = async function* (query, options) {
      for await (const key of queryKeys(query, options)) {
        walked.push(key.toString());
        yield key;
      }
    };
    const get = opened.datastore.get.bind(opened.datastore);
    opened.datastore.get = (key, options) => {
      touched.push(key.toString());
      return get(key, options);
    };
    const old = indexKey(hash, { type: 'unavailable', sinceMs: 5 });
    expect(await lastValueFrom(opened.store.prune())).toBe(0);
    expect(touched).toEqual([]);
    expect(walked).toHaveLength(1);
    await opened.datastore.put(old ?? metadataKey(hash), new Uint8Array());
    await lastValueFrom(opened.store.prune());
    expect(touched).toEqual([metadataKey(hash).toString()]);
    // The first that is not due, once per pass, and the stale line before it.
    expect(walked).toHaveLength(3);
  });

  it('ends with closed, between two candidates, when the store is closed', async () => {
    await using opened = await openStore(kind, { scheduler: clockAt(2 * HOUR_MS) });
    await fill(opened.datastore, 2_000, 0);
    const pruning = lastValueFrom(opened.store.prune());
    pruning.catch(() => {});
    await all(opened.store.loadChunks(kept.candidateHash));
    await lastValueFrom(opened.store.close());
    await expect(pruning).rejects.toMatchObject({ code: 'closed' });
  });

  it('stops between two candidates when it is unsubscribed', async () => {
    await using opened = await openStore(kind, { scheduler: clockAt(2 * HOUR_MS) });
    await fill(opened.datastore, 2_000, 0);
    const pruning = opened.store.prune().subscribe({ error: expect.unreachable });
    await all(opened.store.loadChunks(kept.candidateHash));
    pruning.unsubscribe();
    await lastValueFrom(opened.store.markBacked(kept));
    const left = await allKeys(opened.datastore);
    expect(left.length).toBeGreaterThan(1_000);
    const metadata = left.filter((key) => key.startsWith('/candidate/')).length;
    expect(left.filter((key) => key.startsWith('/chunk/'))).toHaveLength(metadata - 1);
    // A batch that had begun when we left may have ended after the keys were listed.
    expect([metadata - 1, metadata - 2]).toContain(await lastValueFrom(opened.store.prune()));
  });
});
