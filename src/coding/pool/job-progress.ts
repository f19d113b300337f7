/**
 * @module
 * How far a job has come: which of its tasks may be given out, which are out. Runs nothing.
 */

import type { JobOf } from '../job-runner.ts';

/** The progress of one job. */
export class JobProgress<Task> {
  readonly job: JobOf<Task>;
  #stage = -1;
  #next = 0;
  #unsettled = 0;
  #isDropped = false;
  #returned: Task[] = [];

  constructor(job: JobOf<Task>) {
    this.job = job;
    this.#enterNextStage();
  }

  /** Whether all tasks are done. */
  get isDone(): boolean {
    return this.#stage >= this.job.stages.length;
  }

  /** Tasks that may be given out at this moment. */
  get readyCount(): number {
    return this.#isDropped ? 0 : this.#returned.length + this.#stageTasks().length - this.#next;
  }

  /** Tasks that were given out and neither settled nor given back. */
  get unsettledCount(): number {
    return this.#unsettled;
  }

  /** Whether a stage follows that waits for one task alone, which is out. */
  get waitsForOne(): boolean {
    return (
      this.#unsettled === 1 &&
      this.readyCount === 0 &&
      !this.#isDropped &&
      this.#stage + 1 < this.job.stages.length
    );
  }

  /** Gives a task out, if one is ready. */
  take(): Task | undefined {
    if (this.readyCount === 0) {
      return undefined;
    }
    const task = this.#returned.pop() ?? this.#stageTasks()[this.#next++];
    this.#unsettled += 1;
    return task;
  }

  /** Takes a task back that nobody has begun. */
  giveBack(task: Task): void {
    this.#unsettled -= 1;
    this.#returned.push(task);
  }

  /**
   * A task that was given out has ended.
   *
   * @returns Whether the stage ended with it, so that the next begins or the job is done.
   */
  settle(): boolean {
    this.#unsettled -= 1;
    const isStageDone = this.#unsettled === 0 && this.readyCount === 0 && !this.#isDropped;
    if (isStageDone) {
      this.#enterNextStage();
    }
    return isStageDone;
  }

  /** Gives no further task out. */
  drop(): void {
    this.#isDropped = true;
    this.#returned = [];
  }

  /** Begins anew: what was done is lost. No task may be out. */
  restart(): void {
    this.#stage = -1;
    this.#returned = [];
    this.#enterNextStage();
  }

  #stageTasks(): readonly Task[] {
    return this.job.stages[this.#stage] ?? [];
  }

  #enterNextStage(): void {
    this.#next = 0;
    do {
      this.#stage += 1;
    } while (!this.isDone && this.#stageTasks().length === 0);
  }
}
