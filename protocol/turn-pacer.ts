/**
 * @module
 * Starts at most a few requests per event-loop turn. Fifty requests started at once delay everything
 * else in the process by 35-40 ms, four per turn by 14-22 ms at the same throughput (network spec §6).
 */

import { Observable, type SchedulerLike, type Subscription } from 'rxjs';

/** Hands out places in event-loop turns, in order of arrival. */
export class TurnPacer {
  readonly #perTurn: number;
  readonly #scheduler: SchedulerLike;
  readonly #queue = new Set<() => void>();
  #startedThisTurn = 0;
  #nextTurn: Subscription | undefined;

  /** @param perTurn - Starts per turn. */
  constructor(perTurn: number, scheduler: SchedulerLike) {
    this.#perTurn = perTurn;
    this.#scheduler = scheduler;
  }

  /** Emits once when it is the subscriber's turn, at once if this turn has room, and completes. */
  turn(): Observable<void> {
    return new Observable<void>((subscriber) => {
      const start = (): void => {
        subscriber.next();
        subscriber.complete();
      };
      this.#scheduleNextTurn();
      if (this.#startedThisTurn < this.#perTurn) {
        this.#startedThisTurn += 1;
        start();
        return undefined;
      }
      this.#queue.add(start);
      return () => this.#queue.delete(start);
    });
  }

  #scheduleNextTurn(): void {
    this.#nextTurn ??= this.#scheduler.schedule(() => {
      this.#nextTurn = undefined;
      this.#startedThisTurn = 0;
      if (this.#queue.size > 0) {
        this.#scheduleNextTurn();
      }
      for (const start of [...this.#queue].slice(0, this.#perTurn)) {
        this.#queue.delete(start);
        this.#startedThisTurn += 1;
        start();
      }
    }, 0);
  }
}
