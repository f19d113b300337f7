/**
 * @module
 * One subscription to a job in the pool: its progress, where its memory is, and whom to tell.
 */

import type { Subscriber } from 'rxjs';
import type { JobOf, ResultCopy } from '../job-runner.ts';
import { JobProgress } from './job-progress.ts';

/**
 * Where the tasks of a job are done: anywhere; by one worker that holds a copy of its memory, named by
 * its slot; or, after such a worker failed, on the calling thread.
 */
export type Home =
  | { readonly type: 'anywhere' }
  | { readonly type: 'worker'; readonly slot: number }
  | { readonly type: 'calling_thread' };

/** A job that was subscribed to. */
export class PoolRun<Task> {
  readonly progress: JobProgress<Task>;
  readonly #subscriber: Subscriber<ResultCopy>;
  #onIdle: (() => void) | undefined;
  #isDropped = false;
  #isEnding = false;
  home: Home = { type: 'anywhere' };
  /** Whether tasks of it were taken back for another job and none has ended since. */
  isPassedOver = false;

  constructor(
    job: JobOf<Task>,
    subscriber: Subscriber<ResultCopy>,
    onIdle: (() => void) | undefined,
  ) {
    this.progress = new JobProgress(job);
    this.#subscriber = subscriber;
    this.#onIdle = onIdle;
  }

  /** Whether nobody waits for it: it was left, failed or is complete. */
  get isDropped(): boolean {
    return this.#isDropped;
  }

  /** Nobody waits for it any more; no further task is given out. Idempotent. */
  drop(): void {
    this.#isDropped = true;
    this.progress.drop();
    this.tellIfIdle();
  }

  /** Tells the owner of the memory, once, when the job was dropped and none of its tasks is out. */
  tellIfIdle(): void {
    const onIdle = this.#onIdle;
    const isIdle = this.#isDropped && this.progress.unsettledCount === 0;
    if (isIdle && !this.#isEnding && onIdle !== undefined) {
      this.#onIdle = undefined;
      onIdle();
    }
  }

  /** All its tasks are done. The teardown drops it. */
  complete(copy?: ResultCopy): void {
    this.#end(() => {
      if (copy !== undefined) {
        this.#subscriber.next(copy);
      }
      this.#subscriber.complete();
    });
  }

  /** It cannot go on. The teardown drops it. */
  fail(error: unknown): void {
    this.#end(() => this.#subscriber.error(error));
  }

  /**
   * The teardown runs before operators such as `concat` go on, which may read the result only then; so
   * the memory is not given back before everything that follows at once has happened.
   */
  #end(tell: () => void): void {
    this.#isEnding = true;
    tell();
    this.#isEnding = false;
    this.tellIfIdle();
  }
}
