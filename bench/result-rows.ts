/**
 * @module
 * What the stored results of each bench hold. Times are in ms, sizes in bytes, unless a name says otherwise.
 */

import type { JobName } from './support/side.ts';

/** `jobs`: one job on one engine. */
export type JobRow = {
  readonly job: JobName;
  readonly payloadBytes: number;
  readonly validators: number;
  /** Engine and number of threads. */
  readonly engine: string;
  readonly minimumMs: number;
  readonly medianMs: number;
};

/** `cold-start`: medians over fresh processes. */
export type ColdStartRow = {
  readonly payloadBytes: number;
  readonly validators: number;
  readonly processes: number;
  /** Importing the library, from sources. */
  readonly importMs: number;
  /** From there to the data of the first recovery. */
  readonly firstMs: number;
  /** The slowest process's first recovery. */
  readonly slowestMs: number;
  /** A later recovery of the same process. */
  readonly laterMs: number;
};

/** `memory`: resident memory above what it was before the first recovery. */
export type MemoryRow = {
  readonly payloadBytes: number;
  readonly validators: number;
  readonly threads: number;
  readonly recoveries: number;
  readonly atOnce: number;
  readonly peakMiB: number;
  /** After the first tenth of the recoveries, and after all of them. */
  readonly restingAfterTenthMiB: number;
  readonly restingMiB: number;
  readonly isPeakExact: boolean;
};

/** `event-loop`: how late turns of the calling thread begin while recoveries run one after the other. */
export type EventLoopRow = {
  readonly payloadBytes: number;
  readonly validators: number;
  readonly workers: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly worstMs: number;
  readonly recoveryMs: number;
};

/** `loopback`: recoveries over sockets by one strategy, CPU time of both processes, per recovery. */
export type LoopbackRow = {
  readonly strategy: string;
  readonly payloadBytes: number;
  readonly validators: number;
  readonly threads: number;
  readonly recoveries: number;
  readonly minimumMs: number;
  readonly medianMs: number;
  readonly clientCpuSeconds: number;
  readonly serversCpuSeconds: number;
};
