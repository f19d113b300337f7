/**
 * @module
 * Starts a kernel: its memory, the calling thread's context on it, and the threads.
 */

import { createContext, KernelMemory, type SimdEngineId } from '../erasure/kernel/index.ts';
import { type Arena, ArenaQueue } from './arena-queue.ts';
import type { DecodePath } from './erasure-work.ts';
import { type HostCosts, measureHostCosts, TYPICAL_COSTS } from './host-costs.ts';
import { hostClockMs } from './host-globals.ts';
import { inlineRunner } from './job-runner.ts';
import type { DrainTime, KernelHost, WorkWarning } from './kernel-host.ts';
import { endOfTurn } from './pool/end-of-turn.ts';
import { kernelPool } from './pool/kernel-pool.ts';
import type { PoolWarning } from './pool/pool-options.ts';
import { canShareMemory } from './pool/thread.ts';
import { GROUP_BYTES, type JobSettings } from './row-groups.ts';
import { runTask } from './run-task.ts';
import type { CodingRunner, Task } from './tasks.ts';

/** How to start it. */
export type StartOptions = {
  readonly engine: SimdEngineId;
  /** Cap of the memory for jobs and the calling thread's areas, in bytes. */
  readonly arenaBytes: number;
  /** Workers; 0 for none. */
  readonly threads: number;
  readonly groupBytes?: number;
  readonly forcePath?: DecodePath;
  readonly drainTime?: DrainTime;
  readonly costs?: HostCosts;
  /** Told when something slower does the work, once for each reason. */
  readonly warn: (warning: WorkWarning | PoolWarning, cause?: unknown) => void;
};

/** A kernel that runs. */
export type StartedKernel = {
  readonly host: KernelHost;
  /** Bytes of the arena in use by jobs and rows. */
  usedBytes(): number;
  /** The hash kernel, once one was chosen. */
  hashKernel(): string | undefined;
  /** Ends the threads. */
  close(): void;
};

/** Costs are measured for the first job that is thought to take longer than this, in ms. */
const CALIBRATED_JOB_MS = 3;

/** Bytes that the areas of one thread take, and some for what lies between regions. */
const THREAD_BYTES = 6 * 1024 * 1024;

/** At least so many groups fit into the arena, beside what else a job needs. */
const GROUPS_IN_ARENA = 8;

/**
 * Starts a kernel.
 *
 * @throws RangeError when the memory has no room for the calling thread's areas, TypeError or
 *   RangeError of the host when it refuses memory or the module.
 */
export function startKernel(options: StartOptions): StartedKernel {
  const { engine, arenaBytes, threads, warn, forcePath } = options;
  const isShared = threads > 0 && canShareMemory();
  const maxBytes = arenaBytes + threads * THREAD_BYTES;
  const memory = new KernelMemory({ isShared, maxBytes });
  const context = createContext(memory, engine);
  if (context === undefined) {
    throw new RangeError(`arenaBytes: expected room for a thread's areas, got ${arenaBytes}`);
  }
  const runner: CodingRunner =
    threads === 0
      ? inlineRunner<Task>((task) => runTask(context, task))
      : kernelPool({ memory, context, engine, threads, warn });
  const arena = new CappedArena(memory, arenaBytes);
  const costs = new KnownCosts(options.costs, {
    typical: TYPICAL_COSTS[engine],
    measure: () => measureHostCosts(context, () => hostClockMs()),
  });
  const groupBytes = options.groupBytes ?? Math.min(GROUP_BYTES, arenaBytes / GROUPS_IN_ARENA);
  const settings = (costMs: number): JobSettings => ({
    threads: runner.threads,
    costs: costs.forJob(costMs),
    groupBytes,
  });
  const drainTime = options.drainTime ?? (threads === 0 ? 'at_once' : 'end_of_turn');
  const queue = new ArenaQueue(arena);
  return {
    host: {
      context,
      runner,
      queue,
      settings,
      needsRegions: threads > 0 && !isShared,
      drainTime,
      endOfTurn,
      forcePath,
      warn,
    },
    usedBytes: () => arena.usedBytes,
    hashKernel: () => costs.forJob(0).hashKernel,
    close: () => runner.close(),
  };
}

/** The costs to plan by: given, or measured once a job is large enough for the difference to matter. */
class KnownCosts {
  #costs: HostCosts;
  #measure: (() => HostCosts) | undefined;

  constructor(
    given: HostCosts | undefined,
    { typical, measure }: { readonly typical: HostCosts; readonly measure: () => HostCosts },
  ) {
    this.#costs = given ?? typical;
    this.#measure = given === undefined ? measure : undefined;
  }

  forJob(costMs: number): HostCosts {
    const measure = costMs > CALIBRATED_JOB_MS ? this.#measure : undefined;
    if (measure !== undefined) {
      this.#measure = undefined;
      this.#costs = measure();
    }
    return this.#costs;
  }
}

/** The arena without what threads take of the memory for themselves, whenever they start. */
class CappedArena implements Arena {
  readonly #memory: KernelMemory;
  readonly #capBytes: number;
  readonly #taken = new Map<number, number>();
  #usedBytes = 0;

  /** @param capBytes - What is in use already counts. */
  constructor(memory: KernelMemory, capBytes: number) {
    this.#memory = memory;
    this.#capBytes = capBytes - memory.usedBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  take(byteCount: number): number | undefined {
    const isWithin = this.#usedBytes + byteCount <= this.#capBytes;
    const address = isWithin ? this.#memory.take(byteCount) : undefined;
    if (address !== undefined) {
      this.#taken.set(address, byteCount);
      this.#usedBytes += byteCount;
    }
    return address;
  }

  give(address: number): void {
    this.#usedBytes -= this.#taken.get(address) ?? 0;
    this.#taken.delete(address);
    this.#memory.give(address);
  }
}
