/**
 * @module
 * Tasks on 32-bit words that real workers do: quick or slow, stuck at a gate, or fatal to the worker. What
 * is fatal or stuck on a worker is plain work on the calling thread.
 */

import { isMainThread } from 'node:worker_threads';
import type { JobOf } from '../../../src/coding/job-runner.ts';

/** Writes one word. */
export type NumberTask = {
  /** Index of the word that is written. */
  readonly to: number;
  /** Words that are read and summed: from, and up to before. */
  readonly sumOf?: { readonly from: number; readonly before: number };
  readonly seed: number;
  /** Rounds of mixing; 1,000,000 take about a ms. */
  readonly rounds: number;
  /**
   * Index of two words: a worker sets the second, and waits until the first is set.
   */
  readonly gate?: number;
  /** What a worker does in the middle; `crash` is an error outside of any task, right after it. */
  readonly fault?: 'throw' | 'exit' | 'crash';
};

/** Does a task. */
export function doNumberTask(words: Int32Array, task: NumberTask): void {
  if (!isMainThread && task.gate !== undefined) {
    Atomics.store(words, task.gate + 1, 1);
    Atomics.notify(words, task.gate + 1);
    Atomics.wait(words as Int32Array<SharedArrayBuffer>, task.gate, 0);
  }
  // Garbage first, as a worker leaves it that ends in the middle.
  words[task.to] = -1;
  if (!isMainThread && task.fault !== undefined) {
    fail(task.fault);
  }
  let sum = task.seed;
  for (let i = task.sumOf?.from ?? 0; i < (task.sumOf?.before ?? 0); i += 1) {
    sum += words[i]!;
  }
  words[task.to] = mixed(sum, task.rounds);
}

function fail(fault: 'throw' | 'exit' | 'crash'): void {
  if (fault === 'exit') {
    process.exit(3);
  }
  if (fault === 'crash') {
    queueMicrotask(() => {
      throw new Error('crashed');
    });
    // The task is done and the answer on its way before the crash.
    return;
  }
  throw new RangeError('a fault of the task');
}

function mixed(seed: number, rounds: number): number {
  let word = seed | 0;
  for (let i = 0; i < rounds; i += 1) {
    word = (Math.imul(word ^ i, 0x9e37_79b1) + 0x7f4a_7c15) | 0;
  }
  return word;
}

/** A job of tasks in words `base` and on, and at last their sum in the word behind them. */
export function sumJob(
  base: number,
  count: number,
  rest: Partial<NumberTask> = {},
): JobOf<NumberTask> {
  const region = { address: base * 4, bytes: (count + 1) * 4 };
  return {
    stages: [
      Array.from({ length: count }, (_, i) => ({
        to: base + i,
        seed: base + i,
        rounds: 1_000,
        ...(i === count >> 1 ? rest : {}),
      })),
      [{ to: base + count, sumOf: { from: base, before: base + count }, seed: 0, rounds: 1 }],
    ],
    cost: 10,
    inputs: [region],
    outputs: [region],
  };
}

/** What a job must leave in its words. */
export function expectedOf(job: JobOf<NumberTask>, words: Int32Array): readonly number[] {
  const own = new Int32Array(words.length);
  for (const task of job.stages.flat()) {
    doNumberTask(own, { to: task.to, seed: task.seed, rounds: task.rounds, ...sumPart(task) });
  }
  return writtenBy(job, own);
}

function sumPart({ sumOf }: NumberTask): Partial<NumberTask> {
  return sumOf === undefined ? {} : { sumOf };
}

/** What a job left in its words. */
export function writtenBy(job: JobOf<NumberTask>, words: Int32Array): readonly number[] {
  return job.stages.flat().map(({ to }) => words[to]!);
}
