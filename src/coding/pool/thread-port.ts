/**
 * @module
 * A worker as the pool sees it, whatever the host: what `thread.ts` starts and tests imitate.
 */

import type { FromThread, ToThread } from './messages.ts';

/** The calling thread's side of a running worker. */
export interface ThreadPort<Task> {
  /**
   * Sends a message.
   *
   * @param transfer - Buffers in it that go over instead of being copied.
   * @throws When the message cannot be cloned. A worker that has ended is no reason to throw.
   */
  post(message: ToThread<Task>, transfer?: readonly ArrayBuffer[]): void;
  /** Whether the worker keeps the process alive. It does so from its start on. */
  hold(isHeld: boolean): void;
  /** Ends the worker, in the middle of a task too. Idempotent. */
  terminate(): void;
}

/** What a worker makes known. */
export interface ThreadEvents {
  /** It sent a message. Never called before the start returned, nor after the end. */
  message(message: FromThread): void;
  /**
   * It has ended: no code of it runs any more. Called once, never before the start returned.
   *
   * @param cause - Why, if it is known: an error, or words.
   */
  end(cause: unknown): void;
}

/**
 * Starts a worker.
 *
 * @throws When the host refuses at once.
 */
export type StartThread<Task> = (events: ThreadEvents) => ThreadPort<Task>;
