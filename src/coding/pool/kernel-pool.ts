/**
 * @module
 * The pool for the tasks of coding: which memory and which areas of it each worker gets.
 */

import {
  type ContextAreas,
  type KernelContext,
  type KernelMemory,
  kernelModule,
  type SimdEngineId,
  takeAreas,
  type WasmMemory,
  type WasmModule,
} from '../../erasure/kernel/index.ts';
import { runTask } from '../run-task.ts';
import type { Task } from '../tasks.ts';
import type { PoolWarning } from './pool-options.ts';
import { defaultThreadCount, threadStarter } from './thread.ts';
import { ThreadPool } from './thread-pool.ts';

/** What a worker is sent first. */
export type ThreadSetup = {
  readonly engine: SimdEngineId;
  readonly module: WasmModule;
  /** In the shared memory, or at the same addresses of the worker's own. */
  readonly areas: ContextAreas;
  /** Shared; absent: the worker makes one of its own. */
  readonly memory?: WasmMemory;
  /** Cap of a memory of its own. */
  readonly maxBytes: number;
};

/** Options of the pool for coding. */
export type KernelPoolOptions = {
  /** The arena; where it is not shared workers have memories of their own. */
  readonly memory: KernelMemory;
  /** Of the calling thread, on that memory. */
  readonly context: KernelContext;
  readonly engine: SimdEngineId;
  /** Most workers at a time, 0 to 64; {@link defaultThreadCount} when absent. */
  readonly threads?: number;
  /** See `ThreadPoolOptions`. */
  readonly smallJobMs?: number;
  /** Told when something slower does the work, once for each reason. */
  readonly warn: (warning: PoolWarning, cause: unknown) => void;
};

/**
 * A pool on a memory. Each worker that is started takes areas of about 5 MiB from the memory, which stay
 * taken as long as the pool.
 *
 * @throws RangeError for a number of threads that is out of range.
 */
export function kernelPool(options: KernelPoolOptions): ThreadPool<Task> {
  const { memory, context, engine, threads = defaultThreadCount(), smallJobMs, warn } = options;
  const areasBySlot = new Map<number, ContextAreas>();
  const setupOf = (slot: number): ThreadSetup => {
    const areas = areasBySlot.get(slot) ?? takeAreas(memory);
    if (areas === undefined) {
      throw new RangeError(`memory: no room for the areas of another thread`);
    }
    areasBySlot.set(slot, areas);
    const { isShared, maxBytes } = memory;
    const shared = isShared ? { memory: memory.memory } : {};
    return { engine, module: kernelModule({ engine, isShared }), areas, maxBytes, ...shared };
  };
  return new ThreadPool<Task>({
    threads,
    runTask: (task) => runTask(context, task),
    startThread: threadStarter(),
    setupOf,
    isShared: memory.isShared,
    arenaBytes: () => memory.bytes(),
    ...(smallJobMs === undefined ? {} : { smallJobMs }),
    warn,
  });
}
