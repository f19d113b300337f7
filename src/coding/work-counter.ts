/**
 * @module
 * Counts what the work of one recovery has cost.
 */

import { type DecodePath, NO_WORK, type WorkTally } from './erasure-work.ts';

/** What to add to a tally; `path` replaces the one before. */
export type Costs = {
  readonly load?: number;
  readonly result?: number;
  readonly hashedChunks?: number;
  readonly reusedHashes?: number;
  readonly path?: DecodePath;
};

/** A tally that grows. */
export class WorkCounter {
  #tally: WorkTally = NO_WORK;

  /** A snapshot. */
  get tally(): WorkTally {
    return this.#tally;
  }

  /** Adds costs. */
  add({ load = 0, result = 0, hashedChunks = 0, reusedHashes = 0, path }: Costs): void {
    const { copiedBytes, ...before } = this.#tally;
    this.#tally = {
      ...before,
      copiedBytes: { load: copiedBytes.load + load, result: copiedBytes.result + result },
      hashedChunks: before.hashedChunks + hashedChunks,
      reusedHashes: before.reusedHashes + reusedHashes,
      ...(path === undefined ? {} : { path }),
    };
  }
}
