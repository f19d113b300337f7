import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { validatorIndex } from '../../src/primitives/ids.ts';
import { AvailabilityStore } from '../../src/store/availability-store.ts';
import { MemoryDatabase } from '../../src/store/memory-database.ts';
import { memoryStore, openLevelStore } from '../../src/store/open.ts';
import { storeCandidate } from '../support/store-candidate.ts';
import { all } from '../support/store-contract.ts';
import { tempFolder } from '../support/temp-folder.ts';

const candidate = storeCandidate({ seed: 50 });
const hash = candidate.candidateHash;

describe('openLevelStore', () => {
  it('makes the folder, and finds what was stored when it is opened again', async () => {
    await using folder = await tempFolder();
    const path = folder.at('deep', 'er', 'store');
    const store = await lastValueFrom(openLevelStore(path));
    await lastValueFrom(store.storeAvailableData(candidate));
    await lastValueFrom(store.close());
    const again = await lastValueFrom(openLevelStore(path));
    expect(await all(again.serveAvailableData(hash))).toEqual([candidate.dataBytes]);
    expect(await all(again.loadChunks(hash))).toHaveLength(7);
    await lastValueFrom(again.close());
  });

  it('is cold', async () => {
    await using folder = await tempFolder();
    openLevelStore(folder.at('store'));
    const store = await lastValueFrom(openLevelStore(folder.at('store')));
    await lastValueFrom(store.close());
  });

  it('is store_locked while this process has the path open, and not afterwards', async () => {
    await using folder = await tempFolder();
    const store = await lastValueFrom(openLevelStore(folder.path));
    await expect(lastValueFrom(openLevelStore(folder.path))).rejects.toMatchObject({
      code: 'store_locked',
    });
    await lastValueFrom(store.close());
    await lastValueFrom((await lastValueFrom(openLevelStore(folder.path))).close());
  });

  it('is store_locked while another process has the path open', async () => {
    await using folder = await tempFolder();
    const holder = fileURLToPath(new URL('./hold-open.ts', import.meta.url));
    const child = spawn(process.execPath, [holder, folder.path], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      for await (const line of createInterface({ input: child.stdout })) {
        expect(line).toBe('open');
        break;
      }
      await expect(lastValueFrom(openLevelStore(folder.path))).rejects.toMatchObject({
        name: 'StoreError',
        code: 'store_locked',
      });
    } finally {
      child.stdin.end();
      await once(child, 'exit');
    }
    await lastValueFrom((await lastValueFrom(openLevelStore(folder.path))).close());
  });

  it('is store_unavailable where no folder can be made', async () => {
    await using folder = await tempFolder();
    await writeFile(folder.at('file'), 'not a folder');
    await expect(lastValueFrom(openLevelStore(folder.at('file', 'store')))).rejects.toMatchObject({
      code: 'store_unavailable',
    });
  });

  it('is store_unavailable where the database is damaged as a whole', async () => {
    await using folder = await tempFolder();
    await lastValueFrom((await lastValueFrom(openLevelStore(folder.path))).close());
    await writeFile(folder.at('CURRENT'), 'nonsense');
    await expect(lastValueFrom(openLevelStore(folder.path))).rejects.toMatchObject({
      code: 'store_unavailable',
    });
  });

  it('closes what it opened for nobody', async () => {
    await using folder = await tempFolder();
    openLevelStore(folder.path).subscribe({ error: expect.unreachable }).unsubscribe();
    for (let attempt = 0; ; attempt += 1) {
      try {
        const store = await lastValueFrom(openLevelStore(folder.path));
        await lastValueFrom(store.close());
        break;
      } catch (error: unknown) {
        // The abandoned one may still be on its way; it must not stay.
        expect(error).toMatchObject({ code: 'store_locked' });
        expect(attempt).toBeLessThan(1_000);
      }
    }
  });
});

describe('close', () => {
  it('waits for writes under way and refuses later operations', async () => {
    await using folder = await tempFolder();
    const store = await lastValueFrom(openLevelStore(folder.path));
    const writing = lastValueFrom(store.storeAvailableData(candidate));
    const closing = lastValueFrom(store.close());
    await expect(lastValueFrom(store.serveAvailableData(hash))).rejects.toMatchObject({
      code: 'closed',
    });
    expect(await writing).toMatchObject({ storedChunks: 7 });
    await closing;
    await lastValueFrom(store.close());
    const again = await lastValueFrom(openLevelStore(folder.path));
    expect(await all(again.loadChunks(hash))).toHaveLength(7);
    await lastValueFrom(again.close());
  });

  it('leaves a datastore open that somebody else opened', async () => {
    const datastore = new MemoryDatabase();
    let closed = 0;
    const store = new AvailabilityStore(Object.assign(datastore, { close: () => (closed += 1) }));
    await lastValueFrom(store.storeAvailableData(candidate));
    await lastValueFrom(store.close());
    expect(closed).toBe(0);
    expect(await all(new AvailabilityStore(datastore).loadChunks(hash))).toHaveLength(7);
  });
});

describe('memoryStore', () => {
  it('hands out copies: nobody can change what is stored', async () => {
    const store = memoryStore();
    await lastValueFrom(store.storeAvailableData(candidate));
    const served = await lastValueFrom(store.serveChunk(hash, validatorIndex(1)));
    served.bytes.fill(0);
    expect(await all(store.serveChunk(hash, validatorIndex(1)))).toEqual([candidate.chunkOf(1)]);
  });
});
