/**
 * @module
 * Live progress of one recovery on stderr: a line that is redrawn on a terminal, a line per step
 * elsewhere.
 */

import type { RecoveryEvent } from '../recovery/events.ts';
import { type CliIo, printNote } from './io.ts';
import { readableBytes } from './readable.ts';

/** Least time between two drawings, in milliseconds; more often is not seen. */
const REDRAW_MS = 50;

/** Shows what a recovery does, from its events. */
export class Progress {
  readonly #io: CliIo;
  readonly #label: string;
  #step = 'starting';
  #asked = 0;
  #done = 0;
  #held = 0;
  #bytes = 0;
  #drawnAtMs = Number.NEGATIVE_INFINITY;

  /** @param label - Stands before every line. */
  constructor(io: CliIo, label: string) {
    this.#io = io;
    this.#label = label;
  }

  /** Takes one event in. */
  show(event: RecoveryEvent): void {
    const isStep = this.#take(event);
    if (this.#io.isTerminal) {
      this.#draw(event.atMs, isStep);
    } else if (isStep) {
      printNote(this.#io, this.#line());
    }
  }

  /** Clears the drawn line, so that what follows starts at its own. */
  end(): void {
    if (this.#io.isTerminal) {
      this.#io.writeErr('\r\u001b[K');
    }
  }

  #draw(atMs: number, isStep: boolean): void {
    if (isStep || atMs - this.#drawnAtMs >= REDRAW_MS) {
      this.#drawnAtMs = atMs;
      this.#io.writeErr(`\r\u001b[K${this.#line()}`);
    }
  }

  #line(): string {
    const counts = `asked ${this.#asked}, done ${this.#done}, chunks ${this.#held}`;
    return `${this.#label}: ${this.#step}  (${counts}, ${readableBytes(this.#bytes)})`;
  }

  /** Returns whether the event is a step worth a line of its own. */
  #take(event: RecoveryEvent): boolean {
    switch (event.type) {
      case 'strategy_started':
        this.#step = event.strategy;
        return true;
      case 'strategy_ended':
        this.#step = `${event.strategy} ended: ${event.reason}`;
        return true;
      case 'decoding':
      case 'checking':
        this.#step = event.type;
        return true;
      case 'recovered':
        this.#step = `recovered from ${event.from}`;
        return true;
      case 'attempt_started':
        this.#asked += 1;
        return false;
      case 'attempt_finished':
        this.#done += 1;
        this.#bytes += event.bytes;
        return false;
      case 'chunk_held':
        this.#held += 1;
        return false;
      default:
        return false;
    }
  }
}
