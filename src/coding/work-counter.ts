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
  #load: number = NO_WORK.copiedBytes.load;
  #result: number = NO_WORK.copiedBytes.result;
  #hashedChunks: number = NO_WORK.hashedChunks;
  #reusedHashes: number = NO_WORK.reusedHashes;
  #path: DecodePath | undefined;

  /** A snapshot. */
  get tally(): WorkTally {
    return {
      copiedBytes: { load: this.#load, result: this.#result },
      hashedChunks: this.#hashedChunks,
      reusedHashes: this.#reusedHashes,
      ...(this.#path === undefined ? {} : { path: this.#path }),
    };
  }

  /** Adds costs. */
  add({ load = 0, result = 0, hashedChunks = 0, reusedHashes = 0, path }: Costs): void {
    this.#load += load;
    this.#result += result;
    this.#hashedChunks += hashedChunks;
    this.#reusedHashes += reusedHashes;
    this.#path = path ?? this.#path;
  }
}
