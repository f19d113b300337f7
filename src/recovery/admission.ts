/**
 * @module
 * How many recoveries run at once, and who is next. Knows nothing of what a recovery does.
 */

import { Observable, type Subscriber } from 'rxjs';
import { localFault } from './errors.ts';

/** The place of a recovery in the queue. */
export type Ticket = {
  /** Moment at which its most hurried caller gives up; `Infinity` when none does. May change. */
  deadlineMs: number;
};

/** The ticket of a recovery that several callers wait for; who has left hurries it no more. */
export class SharedTicket implements Ticket {
  /** See {@link Ticket}. */
  deadlineMs: number = Number.POSITIVE_INFINITY;
  private readonly deadlines: number[] = [];

  /** A caller waits until then. */
  add(deadlineMs: number): void {
    this.deadlines.push(deadlineMs);
    this.deadlineMs = Math.min(this.deadlineMs, deadlineMs);
  }

  /** That caller is gone. */
  remove(deadlineMs: number): void {
    const index = this.deadlines.indexOf(deadlineMs);
    if (index < 0) {
      return;
    }
    this.deadlines.splice(index, 1);
    if (deadlineMs === this.deadlineMs) {
      this.deadlineMs = earliestOf(this.deadlines);
    }
  }
}

/** A fold, since there may be more of them than a call takes arguments. */
function earliestOf(deadlines: readonly number[]): number {
  return deadlines.reduce((least, one) => Math.min(least, one), Number.POSITIVE_INFINITY);
}

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
    const earliest = earliestOf(this.waiting.map(({ ticket }) => ticket.deadlineMs));
    const index = this.waiting.findIndex(({ ticket }) => ticket.deadlineMs === earliest);
    return index < 0 ? undefined : this.waiting.splice(index, 1)[0];
  }
}
