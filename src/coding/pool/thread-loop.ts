/**
 * @module
 * The worker's side of the pool: does what it is sent, in order, and answers every ticket. Knows neither
 * the host nor what a task is.
 */

import { Claims, copyIn, copyOut, type FromThread, type ToThread } from './messages.ts';

/** The worker's end of the connection to the pool. */
export interface LoopPort<Task> {
  /**
   * Sends to the pool.
   *
   * @param transfer - Buffers in the message that go over instead of being copied.
   */
  post(message: FromThread, transfer?: readonly ArrayBuffer[]): void;
  /** Names who gets the messages, in order; called once. */
  listen(receive: (message: ToThread<Task>) => void): void;
}

/** What a worker does tasks with. */
export interface LoopHost<Task> {
  /** Does a task. What it throws is the task's failure, not the worker's. */
  runTask(task: Task): void;
  /** All bytes of the worker's own memory, which first grows to `memoryBytes` at least. */
  ownBytes(memoryBytes: number): Uint8Array;
}

/**
 * Answers messages until the worker is ended.
 *
 * @param attach - Makes the host out of what `setupOf` of the pool gave; when it throws the pool does
 *   without this worker.
 */
export function serveTasks<Task>(
  port: LoopPort<Task>,
  attach: (setup: unknown) => LoopHost<Task>,
): void {
  let host: LoopHost<Task> | undefined;
  let claims: Claims | undefined;
  port.listen((message) => {
    if (message.type === 'setup') {
      claims = message.claims === undefined ? undefined : new Claims(message.claims);
      try {
        host = attach(message.setup);
        port.post({ type: 'ready' });
      } catch (error: unknown) {
        port.post({ type: 'not_ready', cause: inWords(error) });
      }
    } else if (host !== undefined) {
      const answer =
        message.type === 'task' ? doTask(host, claims, message) : fetchFrom(host, message);
      const copied = answer.type === 'fetched' ? answer.regions : [];
      port.post(
        answer,
        copied.map(({ bytes }) => bytes.buffer),
      );
    }
  });
}

type TaskMessage<Task> = Extract<ToThread<Task>, { readonly type: 'task' }>;
type FetchMessage = Extract<ToThread<never>, { readonly type: 'fetch' }>;

function doTask<Task>(
  host: LoopHost<Task>,
  claims: Claims | undefined,
  { ticket, task, load }: TaskMessage<Task>,
): FromThread {
  if (claims?.claim(ticket) === false) {
    return { type: 'skipped', ticket };
  }
  try {
    if (load !== undefined) {
      copyIn(host.ownBytes(load.memoryBytes), load.regions);
    }
    host.runTask(task);
    return { type: 'done', ticket };
  } catch (error: unknown) {
    return { type: 'failed', ticket, cause: inWords(error) };
  }
}

function fetchFrom<Task>(host: LoopHost<Task>, { ticket, regions }: FetchMessage): FromThread {
  try {
    return { type: 'fetched', ticket, regions: copyOut(host.ownBytes(0), regions) };
  } catch (error: unknown) {
    return { type: 'failed', ticket, cause: inWords(error) };
  }
}

/** Errors are sent as words: not every error can be cloned. */
function inWords(error: unknown): string {
  return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}
