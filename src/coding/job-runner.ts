/**
 * @module
 * Who runs jobs, as a port, and the runner that does everything on the calling thread. Knows of a task
 * only that it is data that a function can do.
 */

import { Observable, type Subscriber } from 'rxjs';
import { AvailabilityError } from '../primitives/errors.ts';

/** Bytes of the arena. */
export type Region = { readonly address: number; readonly bytes: number };

/**
 * Tasks in stages, one stage after the other; the tasks of a stage in any order and at the same time.
 * Tasks are plain data, and doing one again, also after it was broken off, gives the same bytes.
 */
export type JobOf<Task> = {
  readonly stages: readonly (readonly Task[])[];
  /** Estimate of the time on one thread, in ms. */
  readonly cost: number;
  /**
   * All bytes that the tasks read and did not write. Looked at only where threads have memories of
   * their own; there a job without `inputs` and `outputs` runs on the calling thread.
   */
  readonly inputs?: readonly Region[];
  /** All bytes that the caller reads afterwards; as {@link JobOf.inputs}. */
  readonly outputs?: readonly Region[];
  /**
   * Bytes that the caller wants in memory of their own. A thread that shares the arena may copy them,
   * which spares the calling thread 5 ms for 10 MiB, most of it for fresh pages.
   */
  readonly result?: Region;
};

/** A copy of {@link JobOf.result}, in memory that nobody else has. */
export type ResultCopy = Uint8Array<ArrayBuffer>;

/** What a caller may add to a job. */
export type RunOptions = {
  /**
   * Called once per subscription, when no thread touches the memory of the job any more, so that it may
   * be given back: after the end of the stream was told, or, when tasks of a job that was dropped or
   * failed are still being done, when the last of them has ended.
   *
   * The result is to be read while the completion is being told, as `defaultIfEmpty` and `map` do. What
   * `concat` and `endWith` append comes only when a stream that ended at once has been torn down, which
   * is after this call.
   */
  readonly onIdle?: () => void;
};

/**
 * - `runner_closed`: the runner was closed before the job ended.
 */
export type RunnerErrorCode = 'runner_closed';

/** A job could not be run. Says nothing about the data. */
export class RunnerError extends AvailabilityError<RunnerErrorCode> {
  override readonly name = 'RunnerError';
}

/**
 * Runs jobs.
 *
 * **Guarantees.** Cold: nothing happens before the subscription. The stream completes when all tasks are
 * done, after one value where a thread copied the job's `result` and else without, or errors with a
 * {@link RunnerError} or what a task threw on the calling thread: a local fault either way. After
 * unsubscribing no task of the job begins, but for one that was already sent to a thread with memory of its own.
 */
export interface JobRunner<Task> {
  /** Threads beside the calling one that do the work; 0 where it does everything itself. */
  readonly threads: number;
  /** Runs a job once per subscription. */
  run(job: JobOf<Task>, options?: RunOptions): Observable<ResultCopy>;
  /** Ends all threads; jobs that have not ended get `runner_closed`, as do those that come later. */
  close(): void;
}

/** The error of a runner that was closed. */
export function runnerClosed(): RunnerError {
  return new RunnerError('runner_closed', 'the runner of coding jobs was closed');
}

/** Runs every job on the calling thread, synchronously while it is being subscribed to. */
export function inlineRunner<Task>(runTask: (task: Task) => void): JobRunner<Task> {
  let isClosed = false;
  return {
    threads: 0,
    run: (job, options = {}) =>
      new Observable((subscriber) => {
        if (isClosed) {
          subscriber.error(runnerClosed());
        } else {
          runHere(job, runTask, subscriber);
        }
        return options.onIdle;
      }),
    close: () => {
      isClosed = true;
    },
  };
}

/** Does all tasks of a job on this thread, or those until the subscriber leaves. */
export function runHere<Task>(
  job: JobOf<Task>,
  runTask: (task: Task) => void,
  subscriber: Subscriber<never>,
): void {
  try {
    for (const task of job.stages.flat()) {
      if (subscriber.closed) {
        return;
      }
      runTask(task);
    }
  } catch (error: unknown) {
    subscriber.error(error);
    return;
  }
  subscriber.complete();
}
