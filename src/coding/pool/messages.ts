/**
 * @module
 * What the calling thread and a worker of the pool tell each other, and the words in shared memory by
 * which a task that a worker has not begun is taken back.
 */

import type { Region } from '../job-runner.ts';

/** Bytes of a region on their way between two memories. */
export type Copied = { readonly address: number; readonly bytes: Uint8Array<ArrayBuffer> };

/** Copies regions out of a memory, each into a buffer of its own that can be transferred. */
export function copyOut(memory: Uint8Array, regions: readonly Region[]): readonly Copied[] {
  return regions.map(({ address, bytes }) => ({
    address,
    bytes: memory.slice(address, address + bytes),
  }));
}

/** Copies regions into a memory. */
export function copyIn(memory: Uint8Array, regions: readonly Copied[]): void {
  for (const { address, bytes } of regions) {
    memory.set(bytes, address);
  }
}

/** What a worker's own memory must hold before a job. */
export type Load = {
  /** Size that the memory must have at least. */
  readonly memoryBytes: number;
  readonly regions: readonly Copied[];
};

/** To a worker. `ticket` numbers what is answered, in order, from 1 on. */
export type ToThread<Task> =
  | {
      readonly type: 'setup';
      /** For the thread's own code, see `thread-main.ts`. */
      readonly setup: unknown;
      /** Words of {@link Claims}; absent without shared memory: then nothing is taken back. */
      readonly claims?: Int32Array<SharedArrayBuffer>;
    }
  | {
      readonly type: 'task';
      readonly ticket: number;
      readonly task: Task;
      /** For the first task of a job, where the worker has a memory of its own. */
      readonly load?: Load;
    }
  | { readonly type: 'fetch'; readonly ticket: number; readonly regions: readonly Region[] };

/** From a worker. Every ticket gets one answer. */
export type FromThread =
  | { readonly type: 'ready' }
  /** It cannot do tasks here; `cause` in words. */
  | { readonly type: 'not_ready'; readonly cause: string }
  | { readonly type: 'done'; readonly ticket: number }
  /** It had been taken back. */
  | { readonly type: 'skipped'; readonly ticket: number }
  /** The task threw, or the memory could not be loaded; `cause` in words. */
  | { readonly type: 'failed'; readonly ticket: number; readonly cause: string }
  | { readonly type: 'fetched'; readonly ticket: number; readonly regions: readonly Copied[] };

/** Words of claims, more than a worker ever has messages waiting ({@link MAX_UNANSWERED}). */
const CLAIM_WORDS = 64;

/** Tickets that may be without answer per worker, those of tasks taken back included. */
export const MAX_UNANSWERED = 16;

/**
 * One word per ticket, written by both sides: the ticket while it is offered, then either side's claim.
 * Whoever exchanges the ticket for a claim has the task, so that a task is never both begun and taken
 * back. Nobody waits on a word.
 */
export class Claims {
  /** The words, to be sent to the worker. */
  readonly words: Int32Array<SharedArrayBuffer>;

  constructor(words: Int32Array<SharedArrayBuffer> = newWords()) {
    this.words = words;
  }

  /** Calling thread: offers a ticket. */
  offer(ticket: number): void {
    Atomics.store(this.words, ticket % CLAIM_WORDS, ticket);
  }

  /** Either thread: claims a ticket; false when the other side was first. */
  claim(ticket: number): boolean {
    return Atomics.compareExchange(this.words, ticket % CLAIM_WORDS, ticket, 0) === ticket;
  }
}

function newWords(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(CLAIM_WORDS * Int32Array.BYTES_PER_ELEMENT));
}
