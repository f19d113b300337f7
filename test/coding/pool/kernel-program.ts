/**
 * @module
 * A program that encodes and hashes a payload on a pool of kernels and never closes it, run from the
 * sources and from a build: it must end by itself. Prints digests as JSON. Argument: `shared` or `own`.
 */

import { lastValueFrom } from 'rxjs';
import type { JobOf } from '../../../src/coding/job-runner.ts';
import { kernelPool } from '../../../src/coding/pool/kernel-pool.ts';
import { runTask } from '../../../src/coding/run-task.ts';
import type { Task } from '../../../src/coding/tasks.ts';
import {
  createContext,
  detectEngine,
  KernelMemory,
  payloadBytesInArena,
  rowStride,
} from '../../../src/erasure/kernel/index.ts';
import { systematicThreshold } from '../../../src/primitives/thresholds.ts';

const VALIDATORS = 100;
const COLUMNS = 1_600;
const MIB = 1024 * 1024;

const engine = detectEngine();
const isShared = process.argv[2] !== 'own';
if (engine === 'scalar') {
  throw new TypeError('this program needs SIMD');
}
const memory = new KernelMemory({ isShared, maxBytes: 200 * MIB });
const context = createContext(memory, engine);
if (context === undefined) {
  throw new RangeError('no room for the context');
}
const warnings: unknown[] = [];
const pool = kernelPool({
  memory,
  context,
  engine,
  threads: 2,
  smallJobMs: 0,
  warn: (warning, cause) => warnings.push([warning, String(cause)]),
});

/** Takes memory for a payload and its chunks, and makes the job of it. */
function encodeJob(seed: number): { readonly job: JobOf<Task>; readonly digests: number } {
  const k = systematicThreshold(VALIDATORS);
  const payloadBytes = payloadBytesInArena(k, COLUMNS);
  const stride = rowStride(2 * COLUMNS);
  const payload = taken(payloadBytes);
  const start = taken(VALIDATORS * stride);
  const digests = taken(VALIDATORS * 32);
  const bytes = memory.bytes().subarray(payload, payload + payloadBytes);
  bytes.fill(0);
  for (let i = 0; i < 2 * k * COLUMNS; i += 1) {
    bytes[i] = Math.imul(i + seed, 0x9e37_79b1) >>> 24;
  }
  const columns: Task[] = [];
  for (let from = 0; from < COLUMNS; from += 256) {
    columns.push({
      type: 'encode',
      job: {
        validatorCount: VALIDATORS,
        payload,
        chunks: { start, stride, firstColumn: 0 },
        columns: { from, to: Math.min(COLUMNS, from + 256) },
      },
    });
  }
  const hashes: Task[] = [];
  for (let from = 0; from < VALIDATORS; from += 10) {
    const of = (first: number, step: number): Uint32Array =>
      Uint32Array.from({ length: 10 }, (_, i) => first + (from + i) * step);
    hashes.push({
      type: 'hash_rows',
      job: { rows: of(start, stride), bytes: 2 * COLUMNS, digests: of(digests, 32) },
    });
  }
  const job = {
    stages: [columns, hashes],
    cost: 10,
    inputs: [{ address: payload, bytes: payloadBytes }],
    outputs: [{ address: digests, bytes: VALIDATORS * 32 }],
  };
  return { job, digests };
}

function taken(bytes: number): number {
  const address = memory.take(bytes);
  if (address === undefined) {
    throw new RangeError('no room');
  }
  memory.bytes().fill(0xa5, address, address + bytes);
  return address;
}

function digestsAt(address: number): string {
  const bytes = memory.bytes().slice(address, address + VALIDATORS * 32);
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function onPool(seed: number): Promise<string> {
  const { job, digests } = encodeJob(seed);
  await lastValueFrom(pool.run(job), { defaultValue: undefined });
  return digestsAt(digests);
}

function onThisThread(seed: number): string {
  const { job, digests } = encodeJob(seed);
  for (const task of job.stages.flat()) {
    if (context !== undefined) {
      runTask(context, task);
    }
  }
  return digestsAt(digests);
}

const there = [await onPool(1), await onPool(2)];
// Memory grows under running workers.
taken(64 * MIB);
there.push(...(await Promise.all([onPool(3), onPool(4), onPool(5)])));
const here = [1, 2, 3, 4, 5].map(onThisThread);
console.log(
  JSON.stringify({
    isSame: there.every((digests, i) => digests === here[i]),
    distinct: new Set(there).size,
    isOfZeros: /^0+$/.test(there.join('')),
    warnings,
    tally: pool.tally,
  }),
);
