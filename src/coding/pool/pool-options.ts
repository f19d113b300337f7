/**
 * @module
 * What a pool is made of and what it says about itself.
 */

import type { EndOfTurn } from './end-of-turn.ts';
import type { StartThread } from './thread-port.ts';

/**
 * Why the pool does less than it was made for; each is told at most once, and no result depends on it.
 *
 * - `no_shared_memory`: workers have memories of their own, and bytes are sent to and fro.
 * - `threads_unavailable`: no worker can be started; jobs run on the calling thread.
 * - `threads_given_up`: workers end again and again; jobs run on the calling thread.
 * - `task_failed`: a worker could not do a task, which is then done on the calling thread.
 */
export type PoolWarning =
  | 'no_shared_memory'
  | 'threads_unavailable'
  | 'threads_given_up'
  | 'task_failed';

/** What became of the workers so far. */
export type PoolTally = {
  /** Workers started. */
  readonly started: number;
  /** Workers that ended though nobody told them to. */
  readonly deaths: number;
  /** Tasks that were given to a worker and then to the calling thread. */
  readonly redone: number;
};

/** What is needed to start workers. */
export type SeatsOptions<Task> = {
  /** Most workers at a time. */
  readonly threads: number;
  /** How to start one; undefined where the host has none. */
  readonly startThread: StartThread<Task> | undefined;
  /**
   * What worker `slot` is sent first, to be cloned. Memory for the worker alone belongs to the slot: a
   * worker that replaces another gets it again. Throws when there is none left.
   */
  readonly setupOf: (slot: number) => unknown;
  /** Whether the workers share the memory of the calling thread. */
  readonly isShared: boolean;
};

/** Options of a pool. With no threads all jobs run on the calling thread. */
export type ThreadPoolOptions<Task> = SeatsOptions<Task> & {
  /** Does a task on the calling thread. */
  readonly runTask: (task: Task) => void;
  /** All bytes of the calling thread's arena, at this moment; for workers with their own memory. */
  readonly arenaBytes: () => Uint8Array;
  /** Jobs of a lower `cost`, in ms, run on the calling thread; {@link SMALL_JOB_MS} when absent. */
  readonly smallJobMs?: number;
  /** Told when something slower does the work, once for each reason. */
  readonly warn: (warning: PoolWarning, cause: unknown) => void;
  readonly endOfTurn?: EndOfTurn;
};

/**
 * Jobs shorter than this many ms stay on the calling thread. Measured: handing a task over and back takes
 * 22-30 µs on an idle machine, and two workers bring nothing to a job of 0.3 ms.
 */
export const SMALL_JOB_MS = 1;
