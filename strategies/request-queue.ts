/**
 * @module
 * Who is still to be asked. Consumed from the back; a repeated source goes to the front, so that it
 * is tried after everything already queued (recovery spec §4.6).
 */

import type { SourceKey } from './retry-table.ts';

/** A source to ask, not before a time. */
export type QueueEntry = SourceKey & { readonly notBeforeMs: number };

/** A queue with a back that is served and a front for repeats. */
export class RequestQueue {
  private readonly entries: QueueEntry[];

  /** @param sources - Served from the last to the first. */
  constructor(sources: readonly SourceKey[]) {
    this.entries = sources.map(({ authority, validatorIndex }) => ({
      authority,
      validatorIndex,
      notBeforeMs: Number.NEGATIVE_INFINITY,
    }));
  }

  /** How many wait, also those whose time has not come. */
  get length(): number {
    return this.entries.length;
  }

  /** Puts a source where it is tried last, not before a time. */
  pushFront(source: SourceKey, notBeforeMs: number = Number.NEGATIVE_INFINITY): void {
    const { authority, validatorIndex } = source;
    this.entries.unshift({ authority, validatorIndex, notBeforeMs });
  }

  /** Takes the last entry whose time has come. */
  popReady(nowMs: number): QueueEntry | undefined {
    const place = this.entries.findLastIndex((entry) => entry.notBeforeMs <= nowMs);
    return place < 0 ? undefined : this.entries.splice(place, 1)[0];
  }

  /** The earliest time at which a waiting entry may be asked; `undefined` when the queue is empty. */
  nextReadyMs(): number | undefined {
    let earliest: number | undefined;
    for (const { notBeforeMs } of this.entries) {
      earliest = Math.min(earliest ?? notBeforeMs, notBeforeMs);
    }
    return earliest;
  }

  /** Front to back. */
  toArray(): readonly QueueEntry[] {
    return [...this.entries];
  }
}
