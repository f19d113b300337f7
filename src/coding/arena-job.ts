/**
 * @module
 * One job from its memory to its result: waits for room, runs the tasks, reads what they left, and gives
 * the memory back when no thread touches it any more.
 */

import { concatMap, defaultIfEmpty, defer, map, type Observable } from 'rxjs';
import type { ArenaQueue, LeaseRequest } from './arena-queue.ts';
import type { ResultCopy } from './job-runner.ts';
import type { CodingRunner, Job } from './tasks.ts';

/** A job that is ready to run. */
export type ReadyJob<T> = {
  readonly job: Job;
  /**
   * Reads the result from the arena, after the last task, in the same turn.
   *
   * @param copy - Of `job.result`, where a thread made one.
   */
  readonly finish: (copy?: ResultCopy) => T;
  /** Called once when no thread touches the memory of the job any more, however it ended. */
  readonly onIdle?: () => void;
};

/** Where jobs get memory and threads. */
export type JobPlace = { readonly queue: ArenaQueue; readonly runner: CodingRunner };

/**
 * Runs a job on memory of its own. Cold; emits what `finish` returns.
 *
 * Unsubscribing leaves the queue, or lets no further task begin; the memory is given back when the tasks
 * that were running have ended.
 *
 * @param begin - Fills the memory and makes the job, in the turn in which the memory is there.
 */
export function runOnLease<T>(
  { queue, runner }: JobPlace,
  request: LeaseRequest,
  begin: (address: number) => ReadyJob<T>,
): Observable<T> {
  return queue.lease(request).pipe(
    concatMap((lease) =>
      defer(() => {
        try {
          return runReady(runner, begin(lease.address), () => lease.release());
        } catch (error: unknown) {
          lease.release();
          throw error;
        }
      }),
    ),
  );
}

/** Runs a job on memory that is held already. */
export function runReady<T>(
  runner: CodingRunner,
  { job, finish, onIdle }: ReadyJob<T>,
  release: () => void = () => undefined,
): Observable<T> {
  const end = (): void => {
    release();
    onIdle?.();
  };
  // Not `concat`: of a runner that does everything at once it would read the result after the memory was
  // given back.
  return runner.run(job, { onIdle: end }).pipe(
    defaultIfEmpty(undefined),
    map((copy) => finish(copy)),
  );
}
