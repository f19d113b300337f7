/**
 * @module
 * BLAKE2b-256 of all chunks of a payload: by each kernel on each build, in the memory of the kernel, and one at a
 * time by the library that does single hashes. Timed: reading rows, writing digests. Not timed: copying chunks
 * into the memory.
 */

import { afterAll, expect, test } from 'vitest';
import {
  chooseEngine,
  createContext,
  HASH_KERNELS,
  hashRows,
  KernelMemory,
  rowStride,
  type SimdEngineId,
} from '../src/erasure/kernel/index.ts';
import { blake2b256, hashReady } from '../src/primitives/hash.ts';
import type { HashRow } from './result-rows.ts';
import { type Fixture, fixture } from './support/fixture.ts';
import { rounded, storeRows } from './support/results.ts';
import { alternate, type Job, median, minimum } from './support/rounds.ts';
import { LARGEST, PATIENCE_MS, roundsOr, SIZES } from './support/settings.ts';
import { sizeText } from './support/sizes.ts';
import { plainTable, short } from './support/table.ts';

const ENGINES: readonly SimdEngineId[] = ['simd_relaxed', 'simd'];
const DIGEST_BYTES = 32;

/** All chunks in a kernel's memory, and a job for each kernel. Empty where the host lacks the engine. */
function kernelJobs(engine: SimdEngineId, { chunkBytes }: Fixture): Record<string, Job> {
  if (chooseEngine(engine).id !== engine) {
    return {};
  }
  const bytes = chunkBytes[0]?.length ?? 0;
  const stride = rowStride(bytes);
  const memory = new KernelMemory({ isShared: false, maxBytes: 2 ** 29 });
  const context = createContext(memory, engine);
  const start = memory.take(chunkBytes.length * stride);
  const out = memory.take(chunkBytes.length * DIGEST_BYTES);
  if (context === undefined || start === undefined || out === undefined) {
    throw new Error('no memory for all chunks');
  }
  chunkBytes.forEach((chunk, i) => {
    context.bytes().set(chunk, start + i * stride);
  });
  const rows = Uint32Array.from(chunkBytes, (_, i) => start + i * stride);
  const digests = Uint32Array.from(chunkBytes, (_, i) => out + i * DIGEST_BYTES);
  const jobs = HASH_KERNELS.map((kernel): readonly [string, Job] => {
    const run = (): void => hashRows(context, { rows, bytes, digests, kernel });
    run();
    const last = out + (chunkBytes.length - 1) * DIGEST_BYTES;
    const digest = context.bytes().slice(last, last + DIGEST_BYTES);
    expect(digest).toEqual(blake2b256(chunkBytes.at(-1) ?? new Uint8Array()));
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
