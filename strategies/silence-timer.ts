/**
 * @module
 * The soft timeout: it measures silence, not the age of an attempt (recovery spec §4.6). One timer,
 * however many answers come; putting it off costs nothing.
 */

import { type SchedulerLike, Subscription } from 'rxjs';

/** Calls back when nothing was heard for a while. */
export class SilenceTimer {
  private readonly scheduler: SchedulerLike;
  private readonly timeoutMs: number;
  private readonly onSilence: () => void;
  private heardAtMs = 0;
  private timer = Subscription.EMPTY;

  /** Does not run before {@link hear}. */
  constructor(scheduler: SchedulerLike, timeoutMs: number, onSilence: () => void) {
    this.scheduler = scheduler;
    this.timeoutMs = timeoutMs;
    this.onSilence = onSilence;
  }

  /** Something was sent or came: the silence begins anew. */
  hear(): void {
    this.heardAtMs = this.scheduler.now();
    if (this.timer.closed) {
      this.arm(this.timeoutMs);
    }
  }

  /** Nobody listens any more. */
  stop(): void {
    this.timer.unsubscribe();
  }

  private arm(delayMs: number): void {
    this.timer = this.scheduler.schedule(() => this.fire(), delayMs);
  }

  private fire(): void {
    // The action that runs counts as open until it returns; `hear` has to see that it is spent.
    this.timer.unsubscribe();
    const remainingMs = this.heardAtMs + this.timeoutMs - this.scheduler.now();
    if (remainingMs > 0) {
      this.arm(remainingMs);
    } else {
      this.onSilence();
    }
  }
}
