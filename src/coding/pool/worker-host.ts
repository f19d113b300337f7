/**
 * @module
 * What hosts offer a worker and who makes one, with types of our own as far as it is used. Node's worker
 * threads are looked up without an import, so that browsers can load this code.
 */

import type { ToThread } from './messages.ts';
import type { LoopPort } from './thread-loop.ts';

/** One end of a worker's connection, as the worker has it. */
export interface NodeParentPort {
  /** Sends to the thread that made the worker. */
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void;
  /** Hears what it sends. */
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** A worker, as the thread that made it has it. */
export interface NodeWorker {
  /** Sends to the worker. */
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void;
  /** Hears what it sends, and what goes wrong with it. */
  on(event: 'message' | 'error' | 'messageerror', listener: (value: unknown) => void): unknown;
  /** Hears of its end, however it came. */
  on(event: 'exit', listener: (exitCode: number) => void): unknown;
  /** Keeps the process alive. */
  ref(): void;
  /** Lets the process end. */
  unref(): void;
  /** Ends it in the middle of whatever it does; resolves when it has ended. */
  terminate(): Promise<number>;
}

/** `node:worker_threads`. */
export type NodeThreads = {
  readonly isMainThread: boolean;
  readonly parentPort: NodeParentPort | null;
  readonly Worker: new (
    script: URL,
    options: { readonly execArgv: readonly string[]; readonly name: string },
  ) => NodeWorker;
};

type NodeGlobal = {
  readonly process?: { readonly getBuiltinModule?: (id: string) => unknown };
};

/** Node's worker threads; undefined in browsers. */
export function nodeThreads(): NodeThreads | undefined {
  const host = globalThis as unknown as NodeGlobal;
  return host.process?.getBuiltinModule?.('node:worker_threads') as NodeThreads | undefined;
}

type WorkerGlobal = {
  readonly postMessage?: (message: unknown, transfer: readonly ArrayBuffer[]) => void;
  readonly addEventListener?: (
    type: 'message',
    listener: (event: { readonly data: unknown }) => void,
  ) => void;
};

/** The port of the worker that this thread is; undefined in a thread that is none. */
export function workerPort<Task>(): LoopPort<Task> | undefined {
  const parent = nodeThreads()?.parentPort;
  if (parent !== undefined) {
    return parent === null
      ? undefined
      : {
          post: (message, transfer = []) => parent.postMessage(message, transfer),
          listen: (receive) => {
            parent.on('message', (message) => receive(message as ToThread<Task>));
          },
        };
  }
  const { postMessage, addEventListener } = globalThis as WorkerGlobal;
  return postMessage === undefined || addEventListener === undefined
    ? undefined
    : {
        post: (message, transfer = []) => postMessage(message, transfer),
        listen: (receive) =>
          addEventListener('message', ({ data }) => receive(data as ToThread<Task>)),
      };
}
