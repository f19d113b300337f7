/**
 * @module
 * The workers of a pool: which run, which could not be started, and when to give up. Knows nothing of
 * jobs beyond the tasks that a worker holds.
 */

import type { FromThread } from './messages.ts';
import type { PoolTally, PoolWarning, SeatsOptions } from './pool-options.ts';
import { type Held, Seat } from './seat.ts';

/** Answers of a worker to tickets. */
export type Answer = Exclude<FromThread, { readonly type: 'ready' | 'not_ready' }>;

/** What the pool hears of its workers. */
export interface SeatsEvents<Task> {
  /** A worker can do tasks. */
  ready(): void;
  /** A worker answered; undefined for what had been taken back or is nobody's any more. */
  answered(held: Held<Task> | undefined, answer: Answer): void;
  /**
   * A worker has ended: nothing of it runs any more.
   *
   * @param unbegun - What it held and had not begun.
   * @param begun - The rest.
   */
  ended(seat: Seat<Task>, unbegun: readonly Held<Task>[], begun: readonly Held<Task>[]): void;
  /** There will be no workers from here on. Those that run have been told to end. */
  exhausted(warning: PoolWarning, cause: unknown): void;
}

/**
 * Workers that may die one after the other without a task done before the pool gives up, and that may fail
 * to start one after the other before their slot is left empty. Where no worker has ever started one
 * failure is enough: then it is the host that has none.
 */
const MAX_FAILURES_IN_A_ROW = 3;

/** So many things a worker may hold when it is given a copy to make: two tasks and another copy. */
const DEEPEST = 4;

/** The workers that run, by slot. */
export class Seats<Task> implements Iterable<Seat<Task>> {
  readonly #options: SeatsOptions<Task>;
  readonly #events: SeatsEvents<Task>;
  readonly #running = new Map<number, Seat<Task>>();
  /** Slots that are left empty. */
  readonly #lost = new Set<number>();
  /** By slot: workers that failed to start since one did. */
  readonly #failedStarts = new Map<number, number>();
  #hasStarted = false;
  #tally: PoolTally = { started: 0, deaths: 0, redone: 0 };
  #deathsInARow = 0;
  #moment = 0;
  #isClosed = false;

  constructor(options: SeatsOptions<Task>, events: SeatsEvents<Task>) {
    this.#options = options;
    this.#events = events;
  }

  /** So far; `redone` is the pool's. */
  get tally(): PoolTally {
    return this.#tally;
  }

  /**
   * Those that run, or have been told to end and have not; first the one that has its task at hand for
   * longest, which may be expected to be free before the others.
   */
  [Symbol.iterator](): Iterator<Seat<Task>> {
    return [...this.#running.values()].sort((one, other) => one.since - other.since).values();
  }

  /** The worker that will be the first to have time for one more thing; undefined when none has room. */
  leastBusy(): Seat<Task> | undefined {
    const withRoom = [...this].filter((seat) => seat.hasRoom(DEEPEST));
    return withRoom.sort((one, other) => one.held.length - other.held.length)[0];
  }

  /** Starts workers as long as fewer than `wanted` of them hold no task. */
  startFor(wanted: number): void {
    let free = [...this].filter((seat) => seat.held.length === 0).length;
    for (let slot = 0; slot < this.#options.threads && free < wanted; slot += 1) {
      while (!this.#isClosed && !this.#running.has(slot) && !this.#lost.has(slot)) {
        free += this.#start(slot) ? 1 : 0;
      }
    }
  }

  /** Ends all workers, in the middle of a task too. */
  close(): void {
    this.#isClosed = true;
    for (const seat of this) {
      seat.retire();
    }
  }

  #start(slot: number): boolean {
    const { startThread, setupOf, isShared } = this.#options;
    let seat: Seat<Task> | undefined;
    const events = {
      message: (message: FromThread) => seat && this.#onMessage(seat, message),
      end: (cause: unknown) => seat && this.#onEnd(seat, cause),
    };
    try {
      if (startThread === undefined) {
        throw new TypeError('this host has no workers');
      }
      const stamp = (): number => ++this.#moment;
      const setup = setupOf(slot);
      seat = new Seat({ slot, start: startThread, events, setup, isShared, stamp });
    } catch (error: unknown) {
      this.#failedToStart(slot, error);
      return false;
    }
    this.#running.set(slot, seat);
    this.#tally = { ...this.#tally, started: this.#tally.started + 1 };
    return true;
  }

  #onMessage(seat: Seat<Task>, message: FromThread): void {
    if (message.type === 'ready') {
      seat.isReady = true;
      this.#hasStarted = true;
      this.#failedStarts.delete(seat.slot);
      this.#events.ready();
    } else if (message.type === 'not_ready') {
      seat.fault = message.cause;
      seat.retire();
    } else {
      if (message.type === 'done') {
        this.#deathsInARow = 0;
      }
      this.#events.answered(seat.answered(message.ticket), message);
    }
  }

  #onEnd(seat: Seat<Task>, cause: unknown): void {
    this.#running.delete(seat.slot);
    const unbegun = seat.recall(() => true);
    const begun = seat.takeAll();
    if (!this.#isClosed && !seat.isReady) {
      this.#failedToStart(seat.slot, seat.fault ?? cause);
    } else if (!this.#isClosed) {
      this.#tally = { ...this.#tally, deaths: this.#tally.deaths + 1 };
      this.#deathsInARow += 1;
      if (this.#deathsInARow >= MAX_FAILURES_IN_A_ROW) {
        this.#giveUp('threads_given_up', cause);
      }
    }
    this.#events.ended(seat, unbegun, begun);
  }

  #failedToStart(slot: number, cause: unknown): void {
    const failures = (this.#failedStarts.get(slot) ?? 0) + 1;
    this.#failedStarts.set(slot, failures);
    if (!this.#hasStarted || failures >= MAX_FAILURES_IN_A_ROW) {
      this.#lost.add(slot);
    }
    if (this.#lost.size === this.#options.threads) {
      this.#giveUp('threads_unavailable', cause);
    }
  }

  #giveUp(warning: PoolWarning, cause: unknown): void {
    if (!this.#isClosed) {
      this.close();
      this.#events.exhausted(warning, cause);
    }
  }
}
