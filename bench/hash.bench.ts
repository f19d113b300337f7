/**
 * @module
 * BLAKE2b-256 of all chunks of a payload: by each kernel on each build, in the memory of the kernel, and one at a
 * time by the library that does single hashes. Timed: reading rows, writing digests. Not timed: copying chunks
 * into the memory.
 */

import { afterAll, expect, test } from 'vitest';
import {
  chooseEngine,
  HASH_KERNELS,
  hashRows,
  type SimdEngineId,
} from '../src/erasure/kernel/index.ts';
import { blake2b256, hashReady } from '../src/primitives/hash.ts';
import type { HashRow } from './result-rows.ts';
import { type Fixture, fixture } from './support/fixture.ts';
import { kernelRows } from './support/kernel-rows.ts';
import { rounded, storeRows } from './support/results.ts';
import { alternate, type Job, median, minimum, warmUp } from './support/rounds.ts';
import { LARGEST, PATIENCE_MS, roundsOr, SIZES } from './support/settings.ts';
import { sizeText } from './support/sizes.ts';
import { plainTable, short } from './support/table.ts';

const ENGINES: readonly SimdEngineId[] = ['simd_relaxed', 'simd'];

/** All chunks in a kernel's memory, and a job for each kernel. Empty where the host lacks the engine. */
function kernelJobs(engine: SimdEngineId, { chunkBytes }: Fixture): Record<string, Job> {
  if (chooseEngine(engine).id !== engine) {
    return {};
  }
  const { context, job, digests } = kernelRows(engine, chunkBytes);
  const wanted = chunkBytes.map((chunk) => blake2b256(chunk));
  const jobs = HASH_KERNELS.map((kernel): readonly [string, Job] => {
    const run = (): void => hashRows(context, { ...job, kernel });
    run();
    expect(digests()).toEqual(wanted);
    return [`${engine} ${kernel}`, run];
  });
  return Object.fromEntries(jobs);
}

const stored: HashRow[] = [];

for (const payloadBytes of new Set([Math.max(...SIZES), Math.min(...SIZES)])) {
  const { validators } = LARGEST;
  test(`hash n=${validators} size=${sizeText(payloadBytes)}`, {
    timeout: PATIENCE_MS,
  }, async () => {
    await hashReady();
    const made = fixture(payloadBytes, validators);
    const jobs: Record<string, Job> = {
      single: () => made.chunkBytes.map((chunk) => blake2b256(chunk)),
    };
    for (const engine of ENGINES) {
      Object.assign(jobs, kernelJobs(engine, made));
    }
    await warmUp(...Object.values(jobs));
    const times = await alternate(jobs, roundsOr(15));
    const bytes = made.chunkBytes.reduce((sum, chunk) => sum + chunk.length, 0);
    for (const [kernel, all] of Object.entries(times)) {
      stored.push({
        payloadBytes,
        validators,
        kernel,
        minimumMs: rounded(minimum(all)),
        medianMs: rounded(median(all)),
        gigabytesPerSecond: rounded(bytes / minimum(all) / 1e6),
      });
    }
  });
}

afterAll(() => {
  const table = plainTable([
    ['all chunks', 'min ms', 'median ms', 'GB/s'],
    ...stored.map((row) => [
      `hash/${row.kernel} n=${row.validators} size=${sizeText(row.payloadBytes)}`,
      short(row.minimumMs),
      short(row.medianMs),
      short(row.gigabytesPerSecond),
    ]),
  ]);
  process.stdout.write(`\n${table}\n`);
  storeRows('hash', stored);
});
