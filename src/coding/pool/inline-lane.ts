/**
 * @module
 * The calling thread as the pool's last resort: does what workers could not, one task per turn of the
 * event loop, so that everything else gets its turn between two of them.
 */

import type { EndOfTurn } from './end-of-turn.ts';
import type { PoolRun } from './pool-run.ts';

/** A task that was given out, and its job. */
export type Given<Task> = { readonly run: PoolRun<Task>; readonly task: Task };

/** What the lane needs from the pool. */
export type LaneOptions<Task> = {
  readonly endOfTurn: EndOfTurn;
  /** Does a task from begin to end. */
  readonly runTask: (task: Task) => void;
  /** Whether the pool has a task that only this thread can do. */
  readonly hasNext: () => boolean;
  /** Gives such a task out. */
  readonly next: () => Given<Task> | undefined;
  /** A task was done, or left out because nobody waits for its job. */
  readonly settled: (run: PoolRun<Task>) => void;
  /** A task threw. */
  readonly failed: (run: PoolRun<Task>, error: unknown) => void;
};

/** Tasks for the calling thread. */
export class InlineLane<Task> {
  readonly #options: LaneOptions<Task>;
  #redo: Given<Task>[] = [];
  #cancel: (() => void) | undefined;

  constructor(options: LaneOptions<Task>) {
    this.#options = options;
  }

  /** Does a task again that was given to a worker. */
  redo(given: Given<Task>): void {
    this.#redo.push(given);
    this.wake();
  }

  /** Begins at the end of the turn, if there is something to do. */
  wake(): void {
    if (this.#cancel === undefined && (this.#redo.length > 0 || this.#options.hasNext())) {
      this.#cancel = this.#options.endOfTurn(() => {
        this.#cancel = undefined;
        this.#step();
      });
    }
  }

  /** Gives back all tasks of a job. */
  forget(run: PoolRun<Task>): readonly Task[] {
    const forgotten = this.#redo.filter((given) => given.run === run);
    this.#redo = this.#redo.filter((given) => given.run !== run);
    return forgotten.map(({ task }) => task);
  }

  #step(): void {
    const given = this.#redo.shift() ?? this.#options.next();
    if (given === undefined) {
      return;
    }
    try {
      this.#options.runTask(given.task);
    } catch (error: unknown) {
      this.#options.failed(given.run, error);
      return;
    }
    this.#options.settled(given.run);
  }
}
