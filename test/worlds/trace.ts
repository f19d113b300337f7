/**
 * @module
 * The trace of one step: a line per message that leaves the recovery, in the file's words.
 */

import type { SchedulerLike } from 'rxjs';

/** From here on a line says that it came after a silence: most of the soft timeout. */
const SILENCE_MS = 800;

/** Collects the lines of one step and tells when the last one was written. */
export class Trace {
  /** In order. */
  readonly lines: string[] = [];
  private readonly clock: Pick<SchedulerLike, 'now'>;
  private readonly onLine: () => void;
  private lastMs: number | undefined;

  /** @param onLine - Called after each line. */
  constructor(clock: Pick<SchedulerLike, 'now'>, onLine: () => void = () => {}) {
    this.clock = clock;
    this.onLine = onLine;
  }

  /** A message left. */
  write(line: string): void {
    const nowMs = this.clock.now();
    const isAfterSilence = this.lastMs !== undefined && nowMs - this.lastMs > SILENCE_MS;
    this.lines.push(isAfterSilence ? `~ ${line}` : line);
    this.lastMs = nowMs;
    this.onLine();
  }

  /** The held requests were given up; that is no message and never marked. */
  writeGivenUp(): void {
    this.lines.push('x');
    this.lastMs = this.clock.now();
  }
}
