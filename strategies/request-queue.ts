/**
 * @module
 * Who is still to be asked. Consumed from the back; a repeated source goes to the front, so that it
 * is tried after everything already queued (recovery spec §4.6).
 */

import type { SourceKey } from './retry-table.ts';

/** A source to ask, not before a time. */
export type QueueEntry = SourceKey & { readonly notBeforeMs: number };

/** An entry and its turn: lower turns stand nearer to the back. */
type Turn = { readonly turn: number; readonly entry: QueueEntry };

/** Adds in amortised constant time what belongs near the end of an ascending list. */
function insert(list: Fifo, item: Turn, keyOf: (item: Turn) => number): void {
  let place = list.items.length;
  for (; place > list.head; place -= 1) {
    const before = list.items[place - 1];
    if (before === undefined || keyOf(before) <= keyOf(item)) {
      break;
    }
  }
  list.items.splice(place, 0, item);
}

/** First in, first out, without moving what stays. */
type Fifo = { items: Turn[]; head: number };

function first({ items, head }: Fifo): Turn | undefined {
  return items[head];
}

function lengthOf({ items, head }: Fifo): number {
  return items.length - head;
}

function takeFirst(list: Fifo): QueueEntry | undefined {
  const item = first(list);
  list.head += item === undefined ? 0 : 1;
  // Forgets what was taken once it is half of the list: constant time per item.
  if (list.head > 32 && list.head * 2 > list.items.length) {
    list.items = list.items.slice(list.head);
    list.head = 0;
  }
  return item?.entry;
}

const turnOf = ({ turn }: Turn): number => turn;
const readyMsOf = ({ entry }: Turn): number => entry.notBeforeMs;

/**
 * A queue with a back that is served and a front for repeats. Each operation takes amortised constant
 * time as long as delays are alike: with 65,536 sources a scan per answer would be felt.
 */
export class RequestQueue {
  private nextTurn = 0;
  /** Askable at any time, by turn. */
  private readonly ready: Fifo = { items: [], head: 0 };
  /** Not before their time, by that time. */
  private readonly delayed: Fifo = { items: [], head: 0 };
  /** Were delayed, their time has come; by turn. */
  private readonly due: Fifo = { items: [], head: 0 };

  /** @param sources - Served from the last to the first. */
  constructor(sources: readonly SourceKey[]) {
    for (const source of sources.toReversed()) {
      this.pushFront(source);
    }
  }

  /** How many wait, also those whose time has not come. */
  get length(): number {
    return lengthOf(this.ready) + lengthOf(this.delayed) + lengthOf(this.due);
  }

  /** Puts a source where it is tried last, not before a time. */
  pushFront(source: SourceKey, notBeforeMs: number = Number.NEGATIVE_INFINITY): void {
    const { authority, validatorIndex } = source;
    const item = { turn: this.nextTurn, entry: { authority, validatorIndex, notBeforeMs } };
    this.nextTurn += 1;
    if (notBeforeMs === Number.NEGATIVE_INFINITY) {
      this.ready.items.push(item);
    } else {
      insert(this.delayed, item, readyMsOf);
    }
  }

  /** Takes the last entry whose time has come. */
  popReady(nowMs: number): QueueEntry | undefined {
    this.release(nowMs);
    const ready = first(this.ready);
    const due = first(this.due);
    const isReadyFirst = due === undefined || (ready !== undefined && ready.turn < due.turn);
    return takeFirst(isReadyFirst ? this.ready : this.due);
  }

  /** The earliest time at which a waiting entry may be asked; `undefined` when the queue is empty. */
  nextReadyMs(): number | undefined {
    const earliest = first(this.ready) ?? first(this.due) ?? first(this.delayed);
    return earliest?.entry.notBeforeMs;
  }

  /** Front to back. */
  toArray(): readonly QueueEntry[] {
    return [this.ready, this.delayed, this.due]
      .flatMap(({ items, head }) => items.slice(head))
      .sort((a, b) => b.turn - a.turn)
      .map(({ entry }) => entry);
  }

  private release(nowMs: number): void {
    for (
      let next = first(this.delayed);
      next !== undefined && next.entry.notBeforeMs <= nowMs;
      next = first(this.delayed)
    ) {
      takeFirst(this.delayed);
      insert(this.due, next, turnOf);
    }
  }
}
