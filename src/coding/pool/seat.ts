/**
 * @module
 * One worker of the pool with the tasks that it holds: at most one at hand and one behind it.
 */

import type { Region } from '../job-runner.ts';
import { Claims, type Load, MAX_UNANSWERED } from './messages.ts';
import type { PoolRun } from './pool-run.ts';
import type { StartThread, ThreadEvents, ThreadPort } from './thread-port.ts';

/** What a worker has been sent and has not answered. Without `task` it is the fetch of the results. */
export type Held<Task> = {
  readonly ticket: number;
  readonly run: PoolRun<Task>;
  readonly task?: Task;
  /** Whether nothing else of its job was out when it was sent. */
  readonly isOnly: boolean;
};

/** Tickets stay below, so that they fit the words of {@link Claims}. */
const MAX_TICKET = 0x3fff_ffff;

/** Options of a seat. */
export type SeatOptions<Task> = {
  readonly slot: number;
  readonly start: StartThread<Task>;
  readonly events: ThreadEvents;
  /** For the thread's own code. */
  readonly setup: unknown;
  readonly isShared: boolean;
  /** Numbers moments, upward. */
  readonly stamp: () => number;
};

/** A worker that was started. */
export class Seat<Task> {
  readonly slot: number;
  readonly #port: ThreadPort<Task>;
  readonly #claims: Claims | undefined;
  readonly #stamp: () => number;
  #held: Held<Task>[] = [];
  #ticket = 0;
  #unanswered = 0;
  /** Whether it said that it can do tasks. */
  isReady = false;
  /** Whether it was told to end. */
  isRetired = false;
  /** Why it cannot do tasks, in its own words. */
  fault: string | undefined;
  /** Since when it has the task at hand, about. */
  since = 0;

  /** @throws What the host throws when it refuses to start a worker or to send it the setup. */
  constructor({ slot, start, events, setup, isShared, stamp }: SeatOptions<Task>) {
    this.slot = slot;
    this.#stamp = stamp;
    this.#claims = isShared ? new Claims() : undefined;
    this.#port = start(events);
    try {
      const claims = this.#claims === undefined ? {} : { claims: this.#claims.words };
      this.#port.post({ type: 'setup', setup, ...claims });
    } catch (error: unknown) {
      this.#port.terminate();
      throw error;
    }
  }

  /** What the worker holds, the task at hand first. */
  get held(): readonly Held<Task>[] {
    return this.#held;
  }

  /** Whether it takes a task at this moment, `depth` tasks being the most that it may hold. */
  hasRoom(depth: number): boolean {
    return (
      this.isReady &&
      !this.isRetired &&
      this.#held.length < depth &&
      this.#unanswered < MAX_UNANSWERED
    );
  }

  /**
   * Sends a task.
   *
   * @param load - What the worker's memory must hold before; its buffers go over.
   * @throws When it cannot be cloned; then the worker does not hold it.
   */
  assign(run: PoolRun<Task>, task: Task, load?: Load): void {
    const ticket = this.#newTicket();
    this.#claims?.offer(ticket);
    if (load === undefined) {
      this.#port.post({ type: 'task', ticket, task });
    } else {
      const buffers = load.regions.map(({ bytes }) => bytes.buffer);
      this.#port.post({ type: 'task', ticket, task, load }, buffers);
    }
    this.#hold({ ticket, run, task, isOnly: run.progress.unsettledCount === 1 });
  }

  /** Asks for the outputs of a job. */
  fetch(run: PoolRun<Task>, regions: readonly Region[]): void {
    const ticket = this.#newTicket();
    this.#port.post({ type: 'fetch', ticket, regions });
    this.#hold({ ticket, run, isOnly: true });
  }

  /** The worker has answered: what it no longer holds. Undefined for what had been taken back. */
  answered(ticket: number): Held<Task> | undefined {
    this.#unanswered -= 1;
    this.since = this.#stamp();
    return this.#release(ticket);
  }

  /**
   * Takes back what the worker has not begun, as far as `wants` says so. Needs shared memory.
   *
   * @param wants - `place` 0 is the task at hand.
   */
  recall(wants: (held: Held<Task>, place: number) => boolean): readonly Held<Task>[] {
    const isRecalled = (held: Held<Task>, place: number): boolean =>
      wants(held, place) && held.task !== undefined && this.#claims?.claim(held.ticket) === true;
    return this.#held.filter(isRecalled).map((held) => {
      this.#release(held.ticket);
      return held;
    });
  }

  /** Takes everything from a worker that has ended. */
  takeAll(): readonly Held<Task>[] {
    const all = this.#held;
    this.#held = [];
    return all;
  }

  /** See {@link ThreadPort.hold}. */
  hold(isHeld: boolean): void {
    this.#port.hold(isHeld);
  }

  /** Ends the worker; what it holds stays with it until it has ended. */
  retire(): void {
    this.isRetired = true;
    this.#port.terminate();
  }

  #newTicket(): number {
    this.#ticket = (this.#ticket % MAX_TICKET) + 1;
    return this.#ticket;
  }

  #hold(held: Held<Task>): void {
    if (this.#held.length === 0) {
      this.since = this.#stamp();
    }
    this.#held.push(held);
    this.#unanswered += 1;
  }

  #release(ticket: number): Held<Task> | undefined {
    const found = this.#held.find((held) => held.ticket === ticket);
    this.#held = this.#held.filter((held) => held !== found);
    return found;
  }
}
