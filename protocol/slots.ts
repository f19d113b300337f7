/**
 * @module
 * Counts how many of something run at a time per key, and queues the rest in order of arrival. Used
 * for our streams to a peer and for the answers a peer is being served.
 */

import { errorOf } from './abort-reason.ts';

/** How many may run and how many may wait, per key. */
export type SlotLimits = { readonly running: number; readonly waiting: number };

/** Gives the slot back; further calls do nothing. */
export type Release = () => void;

type Waiter = () => void;

/** A counting semaphore per key. Keys without users hold no memory. */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, Set<Waiter>>();

  /** @param limits - `waiting` may be `Infinity` where something else bounds the wait. */
  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Slots taken, over all keys. */
  get runningCount(): number {
    let sum = 0;
    for (const count of this.#running.values()) {
      sum += count;
    }
    return sum;
  }

  /**
   * Takes a slot of the key, at once or when one is given back.
   *
   * @returns `undefined` at once when the queue is full, else a promise of the release. An abort
   * while waiting rejects with the signal's reason and leaves the queue.
   */
  take(key: string, signal: AbortSignal): Release | Promise<Release> | undefined {
    const running = this.#running.get(key) ?? 0;
    if (running < this.#limits.running) {
      this.#running.set(key, running + 1);
      return this.#releaseOf(key);
    }
    const queue = this.#waiting.get(key) ?? new Set<Waiter>();
    if (queue.size >= this.#limits.waiting) {
      return undefined;
    }
    this.#waiting.set(key, queue);
    return new Promise<Release>((resolve, reject) => {
      const leave = (): void => {
        queue.delete(waiter);
        if (queue.size === 0 && this.#waiting.get(key) === queue) {
          this.#waiting.delete(key);
        }
        signal.removeEventListener('abort', onAbort);
      };
      // The slot passes from hand to hand: the count stays.
      const waiter = (): void => {
        leave();
        resolve(this.#releaseOf(key));
      };
      const onAbort = (): void => {
        leave();
        reject(errorOf(signal.reason));
      };
      if (signal.aborted) {
        onAbort();
        return;
      }
      queue.add(waiter);
      signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  #releaseOf(key: string): Release {
    let isHeld = true;
    return () => {
      if (!isHeld) {
        return;
      }
      isHeld = false;
      const next = this.#waiting.get(key)?.values().next().value;
      if (next !== undefined) {
        next();
        return;
      }
      const running = (this.#running.get(key) ?? 1) - 1;
      if (running === 0) {
        this.#running.delete(key);
      } else {
        this.#running.set(key, running);
      }
    };
  }
}
