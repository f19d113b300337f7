import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { validatorIndex } from '../../src/primitives/ids.ts';
import { chunkKey, dataKey, metadataKey } from '../../src/store/layout.ts';
import { CORRUPTIONS } from '../../src/store/metrics.ts';
import { SEED, seeded } from '../support/seed.ts';
import { storeCandidate } from '../support/store-candidate.ts';
import { all } from '../support/store-contract.ts';
import { allKeys, flipByte, type OpenedStore, openStore } from './support.ts';

const candidate = storeCandidate({ seed: 20 });
const hash = candidate.candidateHash;
const v = validatorIndex;

async function storeAll(opened: OpenedStore): Promise<void> {
  await lastValueFrom(opened.store.storeAvailableData(candidate));
}

describe.each(['memory', 'level'] as const)('one flipped byte below the store on %s', (kind) => {
  it('in a chunk: not served, counted, dropped with its metadata, and it can be stored again', async () => {
    await using opened = await openStore(kind);
    await storeAll(opened);
    await flipByte(opened.datastore, chunkKey(hash, v(2)), 10);
    expect(await all(opened.store.serveChunk(hash, v(2)))).toEqual([]);
    expect(opened.counters.counts.get(`${CORRUPTIONS} chunk`)).toBe(1);
    expect(opened.log).toEqual(['store_corruption']);
    const record = await lastValueFrom(opened.store.loadCandidate(hash));
    expect(record.heldChunks).toEqual([0, 1, 3, 4, 5, 6]);
    expect(await allKeys(opened.datastore)).not.toContain(chunkKey(hash, v(2)).toString());
    const again = { ...candidate, validatorIndex: v(2), chunk: candidate.chunkOf(2) };
    expect(await lastValueFrom(opened.store.storeChunk(again))).toMatchObject({ storedChunks: 1 });
    expect(await all(opened.store.serveChunk(hash, v(2)))).toEqual([candidate.chunkOf(2)]);
  });

  it('in full data: not served, counted, dropped with its metadata', async () => {
    await using opened = await openStore(kind);
    await storeAll(opened);
    await flipByte(opened.datastore, dataKey(hash), 30);
    expect(await all(opened.store.serveAvailableData(hash))).toEqual([]);
    expect(opened.counters.counts.get(`${CORRUPTIONS} available_data`)).toBe(1);
    const record = await lastValueFrom(opened.store.loadCandidate(hash));
    expect(record.hasAvailableData).toBe(false);
    expect(await allKeys(opened.datastore)).not.toContain(dataKey(hash).toString());
  });

  it('in metadata: everything of the candidate is dropped, counted once', async () => {
    await using opened = await openStore(kind);
    await storeAll(opened);
    await flipByte(opened.datastore, metadataKey(hash), 40);
    expect(await all(opened.store.serveChunk(hash, v(2)))).toEqual([]);
    expect(await all(opened.store.serveAvailableData(hash))).toEqual([]);
    expect(await all(opened.store.loadChunks(hash))).toEqual([]);
    expect([...opened.counters.counts].filter(([key]) => key.startsWith(CORRUPTIONS))).toEqual([
      [`${CORRUPTIONS} metadata`, 1],
    ]);
  });

  it('in metadata, found by a write: the candidate is stored anew', async () => {
    await using opened = await openStore(kind);
    await storeAll(opened);
    await flipByte(opened.datastore, metadataKey(hash), 0);
    expect(await lastValueFrom(opened.store.storeAvailableData(candidate))).toEqual({
      storedChunks: 7,
      hasStoredData: true,
    });
    expect(await all(opened.store.serveChunk(hash, v(2)))).toEqual([candidate.chunkOf(2)]);
  });
});

describe('corruption', () => {
  it(seeded('at any byte of a stored chunk is found before it is served'), async () => {
    await using opened = await openStore('memory');
    await storeAll(opened);
    const key = chunkKey(hash, v(SEED % 7));
    const { length } = await opened.datastore.get(key);
    for (let at = 0; at < length; at += 1) {
      await flipByte(opened.datastore, key, at);
      const validator = v(SEED % 7);
      expect(await all(opened.store.serveChunk(hash, validator)), `byte ${at}`).toEqual([]);
      const chunk = candidate.chunkOf(validator);
      await lastValueFrom(
        opened.store.storeChunk({ ...candidate, validatorIndex: validator, chunk }),
      );
    }
    expect(opened.corruptions()).toBe(length);
  });

  it('of an entry that vanished is counted and forgotten', async () => {
    await using opened = await openStore('memory');
    await storeAll(opened);
    await opened.datastore.delete(chunkKey(hash, v(2)));
    await opened.datastore.delete(dataKey(hash));
    expect(await all(opened.store.serveChunk(hash, v(2)))).toEqual([]);
    expect(await all(opened.store.serveAvailableData(hash))).toEqual([]);
    expect(opened.corruptions()).toBe(2);
    expect(await lastValueFrom(opened.store.loadCandidate(hash))).toMatchObject({
      hasAvailableData: false,
      heldChunks: [0, 1, 3, 4, 5, 6],
    });
  });

  it('found by many readers at once is counted once', async () => {
    await using opened = await openStore('level');
    await storeAll(opened);
    await flipByte(opened.datastore, chunkKey(hash, v(2)), 10);
    const served = await Promise.all(
      Array.from({ length: 20 }, () => all(opened.store.serveChunk(hash, v(2)))),
    );
    expect(served.flat()).toEqual([]);
    expect(opened.corruptions()).toBe(1);
  });

  it('does not take along a good entry that was stored in the meantime', async () => {
    await using opened = await openStore('memory');
    await storeAll(opened);
    const key = chunkKey(hash, v(2));
    const good = await opened.datastore.get(key);
    await flipByte(opened.datastore, key, 10);
    const bad = await opened.datastore.get(key);
    const get = opened.datastore.get.bind(opened.datastore);
    // The first read of the chunk still sees what was there before it was stored again.
    let reads = 0;
    opened.datastore.get = (asked, options) => {
      if (asked.toString() === key.toString()) {
        reads += 1;
        return reads === 1 ? bad : good;
      }
      return get(asked, options);
    };
    expect(await all(opened.store.serveChunk(hash, v(2)))).toEqual([]);
    expect(await all(opened.store.serveChunk(hash, v(2)))).toEqual([candidate.chunkOf(2)]);
    expect(opened.corruptions()).toBe(0);
  });

  it('that a recovery saw in sound entries leaves them alone, uncounted', async () => {
    await using opened = await openStore('memory');
    await storeAll(opened);
    await all(opened.store.dropCorrupt(hash, { type: 'available_data' }));
    await all(opened.store.dropCorrupt(hash, { type: 'chunk', validatorIndex: v(2) }));
    expect(await all(opened.store.serveAvailableData(hash))).toHaveLength(1);
    expect(await all(opened.store.serveChunk(hash, v(2)))).toEqual([candidate.chunkOf(2)]);
    expect(opened.corruptions()).toBe(0);
  });

  it('of a chunk that cannot be decoded is dropped when recovery reads it; others are returned', async () => {
    await using opened = await openStore('memory');
    await storeAll(opened);
    await flipByte(opened.datastore, chunkKey(hash, v(0)), 0);
    expect(await lastValueFrom(opened.store.loadChunkBytes(hash))).toBe(
      candidate.chunkOf(1).bytes.length,
    );
    const chunks = await all(opened.store.loadChunks(hash));
    expect(chunks.map(({ validatorIndex: index }) => index)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(opened.corruptions()).toBe(1);
  });
});
