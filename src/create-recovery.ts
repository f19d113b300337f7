/**
 * @module
 * Wires the strategies to ports: the library without Node. Whoever passes a store, a node or a pool
 * closes it.
 */

import { asyncScheduler } from 'rxjs';
import { strategyPlanner } from '../strategies/plan.ts';
import type { SizePolicy } from '../strategies/size-policy.ts';
import { CODING_V1, type CodingChoice } from './coding/coding.ts';
import { engine } from './coding/engine.ts';
import type { ErasureWork } from './coding/erasure-work.ts';
import { codingWork } from './coding/kernel-work.ts';
import { RenewedWork } from './coding/renewed-work.ts';
import type { EngineId } from './erasure/kernel/index.ts';
import { ChaCha8 } from './primitives/chacha8.ts';
import { Orchestrator, type Recovery } from './recovery/orchestrator.ts';
import {
  type ChunkSource,
  type ChunkStore,
  type DataSource,
  type Logger,
  type MetricsSink,
  NO_LOGGER,
  NO_METRICS,
  type Runtime,
  type SessionDirectory,
} from './recovery/ports.ts';
import { type RecoverySettings, STANDARD } from './recovery/settings.ts';
import { steadyRuntime } from './recovery/steady-clock.ts';

/** With what the code, the proofs and the hashes are worked out where no `work` is handed in. */
export type WorkOptions = {
  /**
   * Worker threads; 0: all on the calling thread. Default: one less than there are cores, from 1 to 4;
   * with a `runtime` of the caller's 0, whatever is given here, so that its time is all there is.
   */
  readonly workers?: number;
  /**
   * The engine. Default: what the environment variable `AVAILABILITY_ENGINE` names, else the best that the
   * host has. See `engine()`.
   */
  readonly engine?: EngineId;
  /** Most memory that the kernel may take for all that is worked on, in bytes. */
  readonly arenaBytes?: number;
};

/** What recovery needs from outside. */
export type RecoveryPorts = WorkOptions & {
  readonly directory: SessionDirectory;
  readonly chunkSource: ChunkSource;
  readonly dataSource: DataSource;
  /** Our own chunks and data; without one, strategies use the network alone. */
  readonly store?: ChunkStore;
  /** Default: drops everything. */
  readonly metrics?: MetricsSink;
  /** Default: drops everything. */
  readonly logger?: Logger;
  /** Default: the real clock and a fresh random seed. */
  readonly runtime?: Runtime;
  /**
   * Does the heavy part; whoever passes one closes it. Default: made of the `WorkOptions` at the first
   * recovery, and closed by `stop()`.
   */
  readonly work?: ErasureWork;
  /** Default: the coding of live networks. */
  readonly coding?: CodingChoice;
  /** Default: backers first below the size limit, then chunks. */
  readonly sizePolicy?: SizePolicy;
};

/**
 * Makes a recovery. Call `start()` before the first request.
 *
 * @param settings - Changes to the `STANDARD` preset; `UPSTREAM` for the rules of the reference.
 * @throws RangeError for a setting or a work option out of its range, or a name that is no engine's.
 */
export function createRecovery(
  ports: RecoveryPorts,
  settings: Partial<RecoverySettings> = {},
): Recovery {
  const merged = { ...STANDARD, ...settings };
  assertSettings(merged);
  return new Orchestrator({
    directory: ports.directory,
    chunkSource: ports.chunkSource,
    dataSource: ports.dataSource,
    store: ports.store,
    metrics: ports.metrics ?? NO_METRICS,
    logger: ports.logger ?? NO_LOGGER,
    runtime: steadyRuntime(ports.runtime ?? realRuntime()),
    work: ports.work ?? workFor(ports, ports),
    closesWork: ports.work === undefined,
    coding: ports.coding ?? CODING_V1,
    settings: merged,
    planner: strategyPlanner(ports.sizePolicy),
  });
}

/**
 * The real clock, and chance from a seed.
 *
 * @param seed - 32 bytes; default: fresh ones.
 */
export function realRuntime(
  seed: Uint8Array = crypto.getRandomValues(new Uint8Array(32)),
): Runtime {
  return { scheduler: asyncScheduler, random: new ChaCha8(seed) };
}

/**
 * Work by these options, made when it is first used; closing it frees it until it is used again.
 *
 * @throws RangeError for an option out of its range, or a name that is no engine's.
 */
export function workFor(
  { workers, engine: forced, arenaBytes }: WorkOptions,
  { runtime, logger = NO_LOGGER }: Pick<RecoveryPorts, 'runtime' | 'logger'> = {},
): ErasureWork {
  engine(forced);
  const options = {
    ...(workers === undefined ? {} : { workers }),
    // Without workers too: a recovery of 100 KiB among 1,000 validators takes 6.4 ms instead of 9.9.
    ...(runtime === undefined
      ? { drainTime: 'end_of_turn' as const }
      : { workers: 0, drainTime: 'at_once' as const }),
    ...(forced === undefined ? {} : { engine: forced }),
    ...(arenaBytes === undefined ? {} : { arenaBytes }),
    warn: (reason: string, cause?: unknown) => logger.warn('work_degraded', { reason, cause }),
  };
  // For its errors alone: nothing is taken before it is used.
  codingWork(options);
  return new RenewedWork(() => codingWork(options));
}

function assertSettings(settings: RecoverySettings): void {
  const atLeastOne: readonly (readonly [string, number])[] = [
    ['attempts.systematic', settings.attempts.systematic],
    ['attempts.regular', settings.attempts.regular],
    ['parallelAttempts', settings.parallelAttempts],
    ['softTimeoutMs', settings.softTimeoutMs],
    ['storeTimeoutMs', settings.storeTimeoutMs ?? 1],
    ['maxConcurrent', settings.maxConcurrent],
    ['cacheEntries', settings.cacheEntries],
  ];
  for (const [name, value] of atLeastOne) {
    if (!(Number.isSafeInteger(value) && value >= 1)) {
      throw new RangeError(`${name}: expected an integer of at least 1, got ${value}`);
    }
  }
  const atLeastZero: readonly (readonly [string, number])[] = [
    ['sizeLimitBytes', settings.sizeLimitBytes],
    ['maxWaiting', settings.maxWaiting],
    ['totalBackerTimeMs', settings.totalBackerTimeMs ?? 0],
  ];
  for (const [name, value] of atLeastZero) {
    if (!(Number.isSafeInteger(value) && value >= 0)) {
      throw new RangeError(`${name}: expected an integer of at least 0, got ${value}`);
    }
  }
}
