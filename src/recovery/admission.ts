/**
 * @module
 * How many recoveries run at once, and who is next. Knows nothing of what a recovery does.
 */

import { Observable, type Subscriber } from 'rxjs';
import { localFault } from './errors.ts';

/** The place of a recovery in the queue. */
export type Ticket = {
  /** Moment at which its most hurried caller gives up; `Infinity` when none does. May become earlier. */
  deadlineMs: number;
};

type Waiting = { readonly ticket: Ticket; readonly subscriber: Subscriber<Ticket> };

/** Lets a bounded number in; the others wait by deadline, equal ones in order of arrival. */
export class Admission {
  private readonly maxConcurrent: number;
  private readonly maxWaiting: number;
  private readonly waiting: Waiting[] = [];
  private running = 0;
  private isAdmitting = false;

  /** @param maxWaiting - Above it a newcomer is refused. */
  constructor(maxConcurrent: number, maxWaiting: number) {
    this.maxConcurrent = maxConcurrent;
    this.maxWaiting = maxWaiting;
  }

  /**
   * Emits once when it is this ticket's turn and never completes: the slot, or the place in the queue,
   * is held until the subscription ends. Errors with `local_fault`, reason `overloaded`.
   */
  enter(ticket: Ticket): Observable<Ticket> {
    return new Observable((subscriber) => {
      if (this.running >= this.maxConcurrent && this.waiting.length >= this.maxWaiting) {
        subscriber.error(localFault('overloaded'));
        return;
      }
      const place = { ticket, subscriber };
      this.waiting.push(place);
      subscriber.add(() => this.leave(place));
      this.admit();
    });
  }

  private leave(place: Waiting): void {
    const index = this.waiting.indexOf(place);
    if (index >= 0) {
      this.waiting.splice(index, 1);
      return;
    }
    this.running -= 1;
    this.admit();
  }

  /** A loop, not a recursion: who is let in may be done before it returns, and lets the next one in. */
  private admit(): void {
    if (this.isAdmitting) {
      return;
    }
    this.isAdmitting = true;
    while (this.running < this.maxConcurrent) {
      const next = this.takeMostHurried();
      if (next === undefined) {
        break;
      }
      this.running += 1;
      next.subscriber.next(next.ticket);
    }
    this.isAdmitting = false;
  }

  private takeMostHurried(): Waiting | undefined {
    const earliest = this.waiting.reduce(
      (least, { ticket }) => Math.min(least, ticket.deadlineMs),
      Number.POSITIVE_INFINITY,
    );
    const index = this.waiting.findIndex(({ ticket }) => ticket.deadlineMs === earliest);
    return index < 0 ? undefined : this.waiting.splice(index, 1)[0];
  }
}
