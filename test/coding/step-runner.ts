/**
 * @module
 * A runner whose tasks are done one by one when a test says so, as a pool does them between the turns of
 * the calling thread; and a kernel that runs on it.
 */

import { Observable, type Subscriber } from 'rxjs';
import { runTask } from '../../src/coding/run-task.ts';
import {
  type StartedKernel,
  type StartOptions,
  startKernel,
} from '../../src/coding/start-kernel.ts';
import type { CodingRunner, Job, Task } from '../../src/coding/tasks.ts';
import type { KernelContext } from '../../src/erasure/kernel/index.ts';

/** A job on its way. */
type Run = { readonly tasks: Task[]; readonly subscriber: Subscriber<never>; end(): void };

/** A runner in steps. */
export type StepRunner = CodingRunner & {
  /** Tasks that may still be done. */
  readonly left: number;
  /**
   * Does the next task.
   *
   * @param during - Called while the task is at work: what is given up then stays in use until it ends.
   * @returns Whether there was one.
   */
  step(during?: () => void): boolean;
};

/** A runner whose tasks `doTask` does. */
export function stepRunner(doTask: (task: Task) => void): StepRunner {
  const runs: Run[] = [];
  let busy: Run | undefined;
  const drop = (run: Run): void => {
    if (runs.includes(run)) {
      runs.splice(runs.indexOf(run), 1);
    }
  };
  return {
    threads: 2,
    get left() {
      return runs.reduce((sum, { tasks }) => sum + tasks.length, 0);
    },
    run: (job: Job, { onIdle } = {}) =>
      new Observable<never>((subscriber) => {
        let isIdle = false;
        const run: Run = {
          tasks: job.stages.flat(),
          subscriber,
          end: () => {
            if (!isIdle && busy !== run) {
              isIdle = true;
              onIdle?.();
            }
          },
        };
        runs.push(run);
        return () => {
          drop(run);
          run.end();
        };
      }),
    step: (during) => {
      const [run] = runs;
      if (run === undefined) {
        return false;
      }
      busy = run;
      const task = run.tasks.shift();
      during?.();
      try {
        if (task !== undefined) {
          doTask(task);
        }
      } catch (error: unknown) {
        busy = undefined;
        run.subscriber.error(error);
        return true;
      }
      busy = undefined;
      if (run.subscriber.closed) {
        run.end();
      } else if (run.tasks.length === 0) {
        drop(run);
        run.subscriber.complete();
      }
      return true;
    },
    close: () => undefined,
  };
}

/**
 * A kernel whose tasks are done in steps; its jobs are cut as for two threads.
 *
 * @param spoil - Called after each task, in the place of a broken engine.
 */
export function stepKernel(
  options: Partial<StartOptions> = {},
  spoil: (context: KernelContext, task: Task) => void = () => undefined,
): StartedKernel & { readonly runner: StepRunner } {
  const kernel = startKernel({
    engine: 'simd',
    arenaBytes: 64 * 1024 * 1024,
    threads: 0,
    warn: () => undefined,
    drainTime: 'at_once',
    groupBytes: 1,
    ...options,
  });
  const runner = stepRunner((task) => {
    runTask(kernel.host.context, task);
    spoil(kernel.host.context, task);
  });
  const { settings } = kernel.host;
  const host = {
    ...kernel.host,
    runner,
    settings: (costMs: number) => ({ ...settings(costMs), threads: 2 }),
  };
  return { ...kernel, host, runner };
}
