/**
 * @module
 * The pool: gives the tasks of many jobs to a few workers, fairly, and neither waits nor works on the
 * calling thread while there are workers. Knows nothing of hosts (`thread.ts`) or kernels
 * (`thread-main.ts`).
 *
 * With shared memory a worker holds one task at hand and one behind it, so that it goes on while the
 * calling thread is busy; the one behind is taken back when a job comes that should not wait for it.
 * Without, a worker has a memory of its own with the same addresses: a job stays with one worker, which
 * is sent the bytes of `inputs` with the first task and sends those of `outputs` back after the last.
 * Jobs never overlap in the calling thread's arena, so several may lie in a worker's memory at once.
 */

import { Observable } from 'rxjs';
import {
  type JobOf,
  type JobRunner,
  type ResultCopy,
  type RunOptions,
  runHere,
  runnerClosed,
} from '../job-runner.ts';
import { endOfTurn } from './end-of-turn.ts';
import { keepsPlace, recallAny, recallFor } from './fairness.ts';
import { type Given, InlineLane } from './inline-lane.ts';
import { type Copied, copyIn, copyOut, type Load } from './messages.ts';
import {
  type PoolTally,
  type PoolWarning,
  SMALL_JOB_MS,
  type ThreadPoolOptions,
} from './pool-options.ts';
import { PoolRun } from './pool-run.ts';
import type { Held, Seat } from './seat.ts';
import { type Answer, Seats } from './seats.ts';
import { TurnOrder } from './turn-order.ts';

/** A {@link JobRunner} on workers. They start when the first large job comes. */
export class ThreadPool<Task> implements JobRunner<Task> {
  readonly #options: ThreadPoolOptions<Task>;
  readonly #seats: Seats<Task>;
  readonly #lane: InlineLane<Task>;
  readonly #order = new TurnOrder<PoolRun<Task>>();
  readonly #runs = new Set<PoolRun<Task>>();
  readonly #warned = new Set<PoolWarning>();
  #redoneCount = 0;
  #isInline: boolean;
  #isClosed = false;

  /** @throws RangeError when `threads` is no integer from 0 to 64. */
  constructor(options: ThreadPoolOptions<Task>) {
    const { threads } = options;
    if (!Number.isInteger(threads) || threads < 0 || threads > 64) {
      throw new RangeError(`threads: expected an integer from 0 to 64, got ${threads}`);
    }
    this.#options = options;
    this.#isInline = threads === 0 || options.startThread === undefined;
    this.#seats = new Seats(options, {
      ready: () => this.#pump(),
      answered: (held, answer) => this.#answered(held, answer),
      ended: (seat, unbegun, begun) => this.#ended(seat, unbegun, begun),
      exhausted: (warning, cause) => {
        this.#isInline = true;
        this.#warn(warning, cause);
      },
    });
    this.#lane = new InlineLane({
      endOfTurn: options.endOfTurn ?? endOfTurn,
      runTask: options.runTask,
      hasNext: () => this.#order.all().some((run) => this.#isForLane(run)),
      next: () => this.#giveOut((run) => this.#isForLane(run)),
      settled: (run) => this.#settle(run),
      failed: (run, error) => this.#fail(run, error),
    });
    if (threads > 0 && options.startThread === undefined) {
      this.#warn('threads_unavailable', undefined);
    } else if (threads > 0 && !options.isShared) {
      this.#warn('no_shared_memory', undefined);
    }
  }

  /** See {@link JobRunner.threads}. */
  get threads(): number {
    return this.#isInline ? 0 : this.#options.threads;
  }

  /** What became of the workers so far. */
  get tally(): PoolTally {
    return { ...this.#seats.tally, redone: this.#redoneCount };
  }

  /** See {@link JobRunner.run}. */
  run(job: JobOf<Task>, options: RunOptions = {}): Observable<ResultCopy> {
    return new Observable((subscriber) => {
      if (this.#isClosed) {
        subscriber.error(runnerClosed());
        return options.onIdle;
      }
      const run = new PoolRun(job, subscriber, options.onIdle);
      if (run.progress.isDone || !this.#isForThreads(job)) {
        runHere(job, this.#options.runTask, subscriber);
        return options.onIdle;
      }
      this.#runs.add(run);
      this.#order.add(run);
      this.#giveBack(recallFor(run, [...this.#seats]));
      this.#pump();
      return () => this.#leave(run);
    });
  }

  /** See {@link JobRunner.close}. Workers end in the middle of a task; `onIdle` comes when they have. */
  close(): void {
    if (!this.#isClosed) {
      this.#isClosed = true;
      for (const run of [...this.#runs]) {
        run.fail(runnerClosed());
      }
      this.#seats.close();
    }
  }

  #isForThreads(job: JobOf<Task>): boolean {
    const { isShared, smallJobMs = SMALL_JOB_MS } = this.#options;
    const canMove = isShared || (job.inputs !== undefined && job.outputs !== undefined);
    return !this.#isInline && job.cost >= smallJobMs && canMove;
  }

  #isForLane(run: PoolRun<Task>): boolean {
    return this.#isInline || run.home.type === 'calling_thread';
  }

  #isForSeat(run: PoolRun<Task>, slot: number): boolean {
    return run.home.type === 'anywhere' || (run.home.type === 'worker' && run.home.slot === slot);
  }

  /** Gives work to whoever can take it. */
  #pump(): void {
    if (this.#isClosed) {
      return;
    }
    if (!this.#isInline) {
      this.#seats.startFor(
        this.#order
          .all()
          .filter((run) => run.home.type === 'anywhere')
          .reduce((sum, run) => sum + run.progress.readyCount, 0),
      );
    }
    if (!this.#isInline) {
      this.#assignAll();
    }
    for (const seat of this.#seats) {
      seat.hold(this.#runs.size > 0);
    }
    this.#lane.wake();
  }

  /** Idle workers first; then, where a task can be taken back, one behind the task at hand. */
  #assignAll(): void {
    for (const seat of this.#seats) {
      if (seat.hasRoom(1) && !this.#assignNext(seat)) {
        this.#giveBack(recallAny(this.#seats));
        this.#assignNext(seat);
      }
    }
    if (this.#options.isShared) {
      for (const seat of this.#seats) {
        if (seat.hasRoom(2) && !keepsPlace(seat)) {
          this.#assignNext(seat);
        }
      }
    }
  }

  #giveOut(accepts: (run: PoolRun<Task>) => boolean): Given<Task> | undefined {
    const run = this.#order.next(accepts);
    const task = run?.progress.take();
    if (run === undefined || task === undefined) {
      return undefined;
    }
    if (run.progress.readyCount > 0) {
      this.#order.addServed(run);
    }
    return { run, task };
  }

  /** @returns Whether there was a task for the worker. */
  #assignNext(seat: Seat<Task>): boolean {
    const given = this.#giveOut((run) => this.#isForSeat(run, seat.slot));
    if (given === undefined) {
      return false;
    }
    try {
      seat.assign(given.run, given.task, this.#loadFor(given.run, seat));
    } catch (error: unknown) {
      this.#warn('task_failed', error);
      this.#rescue(given.run, given.task);
    }
    return true;
  }

  /** Makes a worker with its own memory the home of a job; what it must be sent for that. */
  #loadFor(run: PoolRun<Task>, seat: Seat<Task>): Load | undefined {
    if (this.#options.isShared || run.home.type !== 'anywhere') {
      return undefined;
    }
    run.home = { type: 'worker', slot: seat.slot };
    const arena = this.#options.arenaBytes();
    return { memoryBytes: arena.length, regions: copyOut(arena, run.progress.job.inputs ?? []) };
  }

  #giveBack(recalled: readonly Held<Task>[]): void {
    for (const { run, task } of recalled) {
      if (task !== undefined) {
        run.progress.giveBack(task);
        if (run.progress.readyCount > 0) {
          this.#order.addBack(run);
        }
      }
    }
  }

  #answered(held: Held<Task> | undefined, answer: Answer): void {
    if (held !== undefined && answer.type === 'done') {
      this.#settle(held.run);
    } else if (held !== undefined && answer.type === 'failed') {
      this.#warn('task_failed', answer.cause);
      this.#rescue(held.run, held.task);
    } else if (held !== undefined && answer.type === 'fetched') {
      this.#takeResult(held.run, answer.regions);
    }
    this.#pump();
  }

  #ended(seat: Seat<Task>, unbegun: readonly Held<Task>[], begun: readonly Held<Task>[]): void {
    this.#giveBack(unbegun);
    for (const { run, task } of begun) {
      this.#rescue(run, task);
    }
    for (const run of this.#runs) {
      if (run.home.type === 'worker' && run.home.slot === seat.slot) {
        this.#beginHere(run);
      }
    }
    for (const { run } of [...unbegun, ...begun]) {
      run.tellIfIdle();
    }
    this.#pump();
  }

  /** A worker did not do a task: the calling thread does it, or all of a job that only the worker had. */
  #rescue(run: PoolRun<Task>, task: Task | undefined): void {
    if (this.#options.isShared && !run.isDropped) {
      if (task === undefined) {
        // All is done but the copy, which whoever reads the result can make.
        run.complete();
      } else {
        this.#redoneCount += 1;
        this.#lane.redo({ run, task });
      }
      return;
    }
    if (task !== undefined) {
      run.progress.giveBack(task);
    }
    if (run.isDropped) {
      run.tellIfIdle();
    } else {
      this.#beginHere(run);
    }
  }

  #beginHere(run: PoolRun<Task>): void {
    this.#redoneCount += 1;
    run.home = { type: 'calling_thread' };
    run.progress.restart();
    this.#order.addBack(run);
  }

  #settle(run: PoolRun<Task>): void {
    run.isPassedOver = false;
    const isStageDone = run.progress.settle();
    if (run.isDropped) {
      run.tellIfIdle();
    } else if (isStageDone && !run.progress.isDone) {
      this.#order.addFirst(run);
      this.#giveBack(recallFor(run, [...this.#seats]));
    } else if (isStageDone) {
      this.#finish(run);
    }
    this.#pump();
  }

  /** All tasks are done: the job is complete once its results are here, or its result is copied. */
  #finish(run: PoolRun<Task>): void {
    const { home } = run;
    const { result, outputs = [] } = run.progress.job;
    const copier = this.#options.isShared ? this.#seats.leastBusy() : undefined;
    try {
      if (home.type === 'worker') {
        [...this.#seats].find(({ slot }) => slot === home.slot)?.fetch(run, outputs);
      } else if (result === undefined || copier === undefined) {
        run.complete();
      } else {
        copier.fetch(run, [result]);
      }
    } catch (error: unknown) {
      this.#warn('task_failed', error);
      this.#rescue(run, undefined);
    }
  }

  #takeResult(run: PoolRun<Task>, regions: readonly Copied[]): void {
    if (!run.isDropped && this.#options.isShared) {
      run.complete(regions[0]?.bytes);
    } else if (!run.isDropped) {
      copyIn(this.#options.arenaBytes(), regions);
      run.complete();
    }
  }

  /** A task threw on the calling thread: nothing is left to try. */
  #fail(run: PoolRun<Task>, error: unknown): void {
    run.progress.settle();
    run.fail(error);
    run.tellIfIdle();
  }

  /** The stream of a job has ended or was left. */
  #leave(run: PoolRun<Task>): void {
    this.#runs.delete(run);
    this.#order.remove(run);
    for (const seat of this.#seats) {
      for (const { task } of seat.recall((held) => held.run === run)) {
        if (task !== undefined) {
          run.progress.giveBack(task);
        }
      }
    }
    for (const task of this.#lane.forget(run)) {
      run.progress.giveBack(task);
    }
    run.drop();
    this.#pump();
  }

  #warn(warning: PoolWarning, cause: unknown): void {
    if (!this.#warned.has(warning)) {
      this.#warned.add(warning);
      this.#options.warn(warning, cause);
    }
  }
}
