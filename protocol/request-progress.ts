/**
 * @module
 * How far one outbound request has come, so that whatever ends it can say where it was. Also the one
 * place that makes a `RequestError`.
 */

import type { SchedulerLike } from 'rxjs';
import { RequestError, type RequestErrorCode } from '../src/recovery/ports.ts';

/**
 * Where a request stands.
 *
 * - `negotiate`: waiting for its turn or a free stream, or for the peer to accept the protocol.
 * - `dial`: looking the peer up, or connecting to it.
 * - `first_byte`: the request is sent, nothing has come.
 * - `body`: part of the answer is here.
 */
export type RequestStage = 'negotiate' | 'dial' | 'first_byte' | 'body';

/** One outbound request: its stage, its bytes, its age. */
export class RequestProgress {
  /** Where the request stands. */
  stage: RequestStage = 'negotiate';
  /** Bytes of the answer's frame received so far. */
  bytes = 0;
  /** The protocol that is being asked; empty before the first stream. */
  protocol = '';
  readonly #scheduler: SchedulerLike;
  readonly #startedAtMs: number;

  /** Starts the clock. */
  constructor(scheduler: SchedulerLike) {
    this.#scheduler = scheduler;
    this.#startedAtMs = scheduler.now();
  }

  /** Milliseconds since the request was made; never negative, though the clock may be set back. */
  elapsedMs(): number {
    return Math.max(0, this.#scheduler.now() - this.#startedAtMs);
  }

  /** Notes that the answer has come so far. */
  received(bytes: number): void {
    this.bytes = bytes;
    if (bytes > 0) {
      this.stage = 'body';
    }
  }

  /** An error that carries all of this. */
  error(code: RequestErrorCode, cause?: unknown, announcedBytes?: number): RequestError {
    const details = {
      stage: this.stage,
      elapsedMs: this.elapsedMs(),
      bytes: this.bytes,
      protocol: this.protocol,
      ...(announcedBytes === undefined ? {} : { announcedBytes }),
    };
    return new RequestError(code, `request failed while in ${this.stage}: ${code}`, details, cause);
  }

  /**
   * The error of our own deadline. Without a connection it is `dial_failed`: the peer was never
   * reached (network spec §4).
   */
  deadlineError(): RequestError {
    return this.error(this.stage === 'dial' ? 'dial_failed' : 'timeout');
  }
}
