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

/** `hash`: BLAKE2b-256 of all chunks of a payload. */
export type HashRow = {
  readonly payloadBytes: number;
  readonly validators: number;
  /** Engine and kernel, or the library that does single hashes. */
  readonly kernel: string;
  readonly minimumMs: number;
  readonly medianMs: number;
  /** Bytes hashed in a nanosecond, by the minimum. */
  readonly gigabytesPerSecond: number;
};

/** `planner`: one way to decode, by how many of the first k chunks are missing. */
export type PlannerRow = {
  readonly payloadBytes: number;
  readonly validators: number;
  /** Missing systematic chunks, the first ones; absent where k random chunks were received. */
  readonly missing?: number;
  /** Whether the root of the codeword was made too. */
  readonly isChecked: boolean;
  /** The path, or `planner` for the one that it chose. */
  readonly path: string;
  /** The path that was taken. */
  readonly taken: string;
  readonly minimumMs: number;
};

/** `growth`: exponent of the time of a job, fitted to minima. */
export type GrowthRow = {
  readonly job: JobName;
  /** `bytes`: in the payload, at one n. `n log n`: in that product, at one payload. */
  readonly in: 'bytes' | 'n log n';
  readonly from: number;
  readonly to: number;
  /** Of 1 when the time grows in proportion. */
  readonly exponent: number;
  readonly points: readonly { readonly at: number; readonly minimumMs: number }[];
};

/** `arrival`: what is left to do when the last chunk arrives, beside the whole recovery. */
export type ArrivalRow = {
  readonly payloadBytes: number;
  readonly validators: number;
  readonly threads: number;
  /** From the last chunk to checked data. */
  readonly lastChunkMs: number;
  /** From all chunks at once to checked data. */
  readonly wholeMs: number;
};
