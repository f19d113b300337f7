import { cp, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { AvailabilityStore } from '../../src/store/availability-store.ts';
import { openLevelStore } from '../../src/store/open.ts';
import { SEED, seeded } from '../support/seed.ts';
import { allValidators, type StoreCandidate, storeCandidate } from '../support/store-candidate.ts';
import { all } from '../support/store-contract.ts';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';
import { Counters } from './support.ts';

// A crash of the machine leaves the log of the database cut anywhere, or with a bad byte. One candidate
// is written in one batch, the other chunk by chunk.
const atOnce = storeCandidate({ seed: 60, validatorCount: 20, povBytes: 3_000 });
const oneByOne = storeCandidate({ seed: 61, validatorCount: 20, povBytes: 3_000 });
const PLACES = 16;

async function written(folder: TempFolder): Promise<string> {
  const path = folder.at('written');
  const store = await lastValueFrom(openLevelStore(path));
  await lastValueFrom(store.storeAvailableData(atOnce));
  for (const validatorIndex of allValidators(oneByOne)) {
    const chunk = oneByOne.chunkOf(validatorIndex);
    await lastValueFrom(store.storeChunk({ ...oneByOne, validatorIndex, chunk }));
  }
  await lastValueFrom(store.close());
  return path;
}

async function logOf(path: string): Promise<string> {
  const logs = (await readdir(path)).filter((name) => name.endsWith('.log')).sort();
  return join(path, logs.at(-1) ?? '');
}

/** Serves everything; what is served is genuine. */
async function servedOf(store: AvailabilityStore, candidate: StoreCandidate): Promise<number[]> {
  const served: number[] = [];
  for (const v of allValidators(candidate)) {
    for (const chunk of await all(store.serveChunk(candidate.candidateHash, v))) {
      expect(chunk).toEqual(candidate.chunkOf(v));
      served.push(v);
    }
  }
  return served;
}

async function listedOf(
  store: AvailabilityStore,
  candidate: StoreCandidate,
): Promise<readonly number[]> {
  const [record] = await all(store.loadCandidate(candidate.candidateHash));
  const raw = await all(store.loadChunks(candidate.candidateHash));
  expect(raw.map(({ validatorIndex }) => validatorIndex)).toEqual(record?.heldChunks ?? []);
  return record?.heldChunks ?? [];
}

describe('a store whose log was damaged', () => {
  it(
    seeded('by a cut: holds a prefix of what was written, each write whole or not at all'),
    async () => {
      await using folder = await tempFolder();
      const original = await written(folder);
      const { length } = await readFile(await logOf(original));
      let before = 0;
      for (let place = 0; place <= PLACES; place += 1) {
        const cut = Math.min(length, Math.floor((length * place) / PLACES) + (SEED % 97));
        const path = folder.at(`cut-${place}`);
        await cp(original, path, { recursive: true });
        await truncate(await logOf(path), cut);
        const metrics = new Counters();
        const store = await lastValueFrom(openLevelStore(path, { metrics }));
        const [batched, single] = [await servedOf(store, atOnce), await servedOf(store, oneByOne)];
        expect(await listedOf(store, atOnce), `cut at ${cut}`).toEqual(batched);
        expect(await listedOf(store, oneByOne), `cut at ${cut}`).toEqual(single);
        const data = await all(store.serveAvailableData(atOnce.candidateHash));
        expect([batched.length, data.length]).toEqual(batched.length === 0 ? [0, 0] : [20, 1]);
        expect(single).toEqual(Array.from(single, (_, index) => index));
        expect(batched.length + single.length).toBeGreaterThanOrEqual(before);
        expect(metrics.counts.size).toBe(0);
        before = batched.length + single.length;
        await lastValueFrom(store.close());
      }
      expect(before).toBe(40);
    },
  );

  it(
    seeded('by a bad byte: opens, serves genuine entries only, and then lists those alone'),
    async () => {
      await using folder = await tempFolder();
      const original = await written(folder);
      const log = Uint8Array.from(await readFile(await logOf(original)));
      for (let place = 0; place < PLACES; place += 1) {
        const at = Math.floor((log.length * place) / PLACES) + (SEED % 89);
        const path = folder.at(`bad-${place}`);
        await cp(original, path, { recursive: true });
        await writeFile(
          await logOf(path),
          log.map((byte, index) => (index === at ? byte ^ 0x10 : byte)),
        );
        const store = await lastValueFrom(openLevelStore(path));
        for (const candidate of [atOnce, oneByOne]) {
          const served = await servedOf(store, candidate);
          expect(await listedOf(store, candidate), `byte ${at}`).toEqual(served);
        }
        await lastValueFrom(store.close());
      }
    },
  );
});
