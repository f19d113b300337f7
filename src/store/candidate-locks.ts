/**
 * @module
 * One writer per candidate at a time: what reads metadata, changes it and writes it back must not
 * interleave. Reads do not come here.
 */

import type { CandidateHash } from '../primitives/ids.ts';

/** Runs tasks of one candidate one after the other, those of different candidates side by side. */
export class CandidateLocks {
  readonly #tails = new Map<CandidateHash, Promise<unknown>>();

  /** Runs a task once those queued before it have settled, whatever became of them. */
  async run<T>(hash: CandidateHash, task: () => Promise<T>): Promise<T> {
    const earlier = this.#tails.get(hash) ?? Promise.resolve();
    const own = earlier.then(task, task);
    this.#tails.set(hash, own);
    try {
      return await own;
    } finally {
      if (this.#tails.get(hash) === own) {
        this.#tails.delete(hash);
      }
    }
  }
}
