import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { validatorIndex } from '../../src/primitives/ids.ts';
import { AvailabilityStore } from '../../src/store/availability-store.ts';
import { CORRUPTIONS } from '../../src/store/metrics.ts';
import { openLevelDatastore } from '../../src/store/open.ts';
import { SEED, seeded } from '../support/seed.ts';
import { allValidators, type StoreCandidate } from '../support/store-candidate.ts';
import { all } from '../support/store-contract.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { killCandidate } from './kill-candidate.ts';
import { Counters } from './support.ts';

/** Runs the writer and kills it when a line makes `isTime` true; the lines it printed. */
async function writeUntilKilled(
  path: string,
  seed: number,
  how: 'each' | 'batch',
  isTime: (line: string, count: number) => boolean,
): Promise<string[]> {
  const writer = fileURLToPath(new URL('./write-until-killed.ts', import.meta.url));
  const child = spawn(process.execPath, [writer, path, String(seed), how], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  // Also the lines that were on their way when it was killed are read.
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (isTime(line, lines.length)) {
      child.kill('SIGKILL');
    }
  }
  const [, signal] = (await exited) as [number | null, string | null];
  expect(signal).toBe('SIGKILL');
  return lines;
}

/** Opens what the killed process left and reads everything in every way. */
async function inspect(
  path: string,
  candidate: StoreCandidate,
): Promise<{
  served: number[];
  listed: readonly number[];
  raw: number[];
  hasData: boolean;
}> {
  const hash = candidate.candidateHash;
  const datastore = await lastValueFrom(openLevelDatastore(path));
  const metrics = new Counters();
  const store = new AvailabilityStore(datastore, { metrics }, () => datastore.close());
  const served: number[] = [];
  for (const v of allValidators(candidate)) {
    for (const chunk of await all(store.serveChunk(hash, validatorIndex(v)))) {
      const genuine = candidate.chunkOf(v);
      expect(Buffer.compare(chunk.bytes, genuine.bytes), `V ${v}`).toBe(0);
      expect(chunk.chunkIndex).toBe(genuine.chunkIndex);
      served.push(v);
    }
  }
  const [record] = await all(store.loadCandidate(hash));
  const raw = (await all(store.loadChunks(hash))).map(({ validatorIndex: v }) => v);
  const [data] = await all(store.serveAvailableData(hash));
  expect(data === undefined || Buffer.compare(data, candidate.dataBytes) === 0).toBe(true);
  expect(metrics.total(CORRUPTIONS)).toBe(0);
  await lastValueFrom(store.close());
  return { served, listed: record?.heldChunks ?? [], raw, hasData: data !== undefined };
}

describe('a store whose process was killed', () => {
  const moments = [1, 2].map((round) => 1 + ((SEED * 31 * round) % 999));
  it.each(moments)(
    seeded(
      'chunk by chunk, after %i of 1,000: serves whole chunks only, all that were acknowledged',
    ),
    async (moment) => {
      await using folder = await tempFolder();
      const lines = await writeUntilKilled(
        folder.path,
        moment,
        'each',
        (_, count) => count === moment,
      );
      const { served, listed, raw } = await inspect(folder.path, killCandidate(moment));
      expect(listed).toEqual(served);
      expect(raw).toEqual(served);
      expect(served.length).toBeGreaterThanOrEqual(moment);
      expect(lines.map(Number).filter((v) => !served.includes(v))).toEqual([]);
    },
  );

  it.each([0, 1, 2])(
    seeded('in one batch of 1,000 chunks and the data, time %i: holds all or nothing'),
    async (round) => {
      await using folder = await tempFolder();
      const lines = await writeUntilKilled(folder.path, round, 'batch', (line) => line === 'begin');
      const { served, listed, raw, hasData } = await inspect(folder.path, killCandidate(round));
      expect([0, 1_000]).toContain(served.length);
      expect(listed).toEqual(served);
      expect(raw).toEqual(served);
      expect(hasData).toBe(served.length === 1_000);
      expect(served.length === 1_000 || !lines.includes('end')).toBe(true);
    },
  );
});
