/**
 * @module
 * A pool over workers that are steered by hand, and a log of what it does.
 */

import type { Subscription } from 'rxjs';
import type { JobOf, Region } from '../../../src/coding/job-runner.ts';
import type { PoolWarning, ThreadPoolOptions } from '../../../src/coding/pool/pool-options.ts';
import { ThreadPool } from '../../../src/coding/pool/thread-pool.ts';
import { FakeThreads, FakeTurns } from './fake-thread.ts';

/** A task is its name; what is done is written down. */
export type NamedTask = string;

/** What happened to one job. */
export type Watched = {
  readonly log: unknown[];
  readonly subscription: Subscription;
};

/** The pool with everything that surrounds it. */
export class FakePool {
  readonly threads: FakeThreads<NamedTask> = new FakeThreads<NamedTask>();
  readonly turns: FakeTurns = new FakeTurns();
  readonly warnings: PoolWarning[] = [];
  readonly causes: unknown[] = [];
  /** Tasks done on the calling thread, in order. */
  readonly here: NamedTask[] = [];
  /** Tasks done by workers, in order. */
  readonly there: NamedTask[] = [];
  readonly arena: Uint8Array = new Uint8Array(4096);
  readonly pool: ThreadPool<NamedTask>;
  /** What the calling thread does beside writing tasks down. */
  runHere: (task: NamedTask) => void = () => undefined;

  constructor(options: Partial<ThreadPoolOptions<NamedTask>> = {}) {
    this.threads.runTask = (task) => void this.there.push(task);
    this.pool = new ThreadPool<NamedTask>({
      threads: 2,
      startThread: this.threads.start,
      setupOf: (slot) => ({ slot }),
      isShared: true,
      runTask: (task) => {
        this.here.push(task);
        this.runHere(task);
      },
      arenaBytes: () => this.arena,
      warn: (warning, cause) => {
        this.warnings.push(warning);
        this.causes.push(cause);
      },
      endOfTurn: this.turns.endOfTurn,
      ...options,
    });
  }

  /** Subscribes to a job and logs its end and its `onIdle`. */
  run(job: JobOf<NamedTask>): Watched {
    const log: unknown[] = [];
    const subscription = this.pool.run(job, { onIdle: () => log.push('idle') }).subscribe({
      next: () => log.push('value'),
      error: (error: unknown) => log.push(['error', error]),
      complete: () => log.push('complete'),
    });
    return { log, subscription };
  }

  /** Lets everybody work until nothing is left to do. @returns Tasks in the order they were begun. */
  drain(): readonly NamedTask[] {
    const begun: NamedTask[] = [];
    for (let isBusy = true; isBusy; ) {
      isBusy = this.turns.end() > 0;
      for (const thread of this.threads.alive) {
        const task = thread.step();
        if (task !== undefined) {
          begun.push(task);
          isBusy = true;
        }
      }
    }
    return begun;
  }
}

/** A large job of stages of tasks `name0`, `name1`, … numbered through. */
export function jobOf(name: string, ...counts: readonly number[]): JobOf<NamedTask> {
  let next = 0;
  const stages = counts.map((count) => Array.from({ length: count }, () => `${name}${next++}`));
  return { stages, cost: 100 };
}

/** The same with regions, for workers with memories of their own. */
export function movableJob(
  name: string,
  regions: { readonly inputs: readonly Region[]; readonly outputs: readonly Region[] },
  ...counts: readonly number[]
): JobOf<NamedTask> {
  return { ...jobOf(name, ...counts), ...regions };
}
