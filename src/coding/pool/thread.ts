/**
 * @module
 * Starts workers in Node and in browsers, from the sources, from the build and out of bundles, and says
 * what the host allows.
 */

import type { FromThread, ToThread } from './messages.ts';
import type { StartThread, ThreadEvents, ThreadPort } from './thread-port.ts';
import { type NodeThreads, nodeThreads } from './worker-host.ts';

/** A worker of a browser, as far as it is used. */
export interface WebWorker {
  /** As the host has it. */
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void;
  /** As the host has it. */
  addEventListener(type: string, listener: (event: WebWorkerEvent) => void): void;
  /** As the host has it; it never says when the worker has ended. */
  terminate(): void;
}

/** Of an event: what came, or in words what happened. */
export type WebWorkerEvent = { readonly data?: unknown; readonly message?: string };

/** By this bare name, in this form, bundlers find the worker's script and bundle it too. */
declare const Worker:
  | (new (
      script: URL,
      options: { readonly type: 'module'; readonly name: string },
    ) => WebWorker)
  | undefined;

type ThreadGlobal = {
  readonly navigator?: { readonly hardwareConcurrency?: number };
  readonly crossOriginIsolated?: boolean;
  readonly SharedArrayBuffer?: unknown;
};

/** Shown by debuggers and `ps -L`. */
const THREAD_NAME = 'coding';

/**
 * Workers when nobody says how many: one core is left to the calling thread, and beyond four memory
 * and hand-over eat the gain. At least 1.
 */
export function defaultThreadCount(host: object = globalThis): number {
  const cores = (host as ThreadGlobal).navigator?.hardwareConcurrency ?? 1;
  return Math.max(1, Math.min(4, cores - 1));
}

/** Whether workers may share memory with this thread: not in a page without cross-origin isolation. */
export function canShareMemory(host: object = globalThis): boolean {
  const shown = host as ThreadGlobal;
  return shown.SharedArrayBuffer !== undefined && shown.crossOriginIsolated !== false;
}

/** How to start a worker that runs `thread-main.ts`; undefined where the host has none. */
export function threadStarter<Task>(): StartThread<Task> | undefined {
  const node = nodeThreads();
  if (node !== undefined) {
    const script = import.meta.url.endsWith('.ts') ? './thread-main.ts' : './thread-main.js';
    return (events) => startNodeThread(node, new URL(script, import.meta.url), events);
  }
  if (typeof Worker === 'undefined') {
    return undefined;
  }
  return (events) =>
    overWebWorker(
      new Worker(new URL('./thread-main.js', import.meta.url), {
        type: 'module',
        name: 'coding',
      }),
      events,
    );
}

/** Starts a worker of Node. Flags of the process such as preloaded modules are not for it. */
export function startNodeThread<Task>(
  { Worker: NodeWorker }: NodeThreads,
  script: URL,
  events: ThreadEvents,
): ThreadPort<Task> {
  const worker = new NodeWorker(script, { execArgv: [], name: THREAD_NAME });
  let cause: unknown;
  let isTold = false;
  const terminate = (): void => {
    if (!isTold) {
      isTold = true;
      void worker.terminate();
    }
  };
  worker.on('message', (message) => events.message(message as FromThread));
  worker.on('error', (error) => {
    cause = error;
  });
  worker.on('messageerror', (error) => {
    cause = error;
    terminate();
  });
  worker.on('exit', (exitCode) => events.end(cause ?? `exit code ${exitCode}`));
  return {
    post: (message: ToThread<Task>, transfer = []) => worker.postMessage(message, transfer),
    hold: (isHeld) => (isHeld ? worker.ref() : worker.unref()),
    terminate,
  };
}

/**
 * The port of a worker of a browser. Browsers do not say when a worker that was told to end has ended,
 * so `end` comes right after; a worker that failed by itself has no task at hand.
 */
export function overWebWorker<Task>(worker: WebWorker, events: ThreadEvents): ThreadPort<Task> {
  let hasEnded = false;
  const end = (cause: unknown): void => {
    if (!hasEnded) {
      hasEnded = true;
      worker.terminate();
      void Promise.resolve().then(() => events.end(cause));
    }
  };
  worker.addEventListener('message', ({ data }) => {
    if (!hasEnded) {
      events.message(data as FromThread);
    }
  });
  worker.addEventListener('messageerror', () => end('a message could not be read'));
  worker.addEventListener('error', ({ message }) => end(message ?? 'the worker failed to start'));
  return {
    post: (message: ToThread<Task>, transfer = []) => worker.postMessage(message, transfer),
    hold: () => undefined,
    terminate: () => end('terminated'),
  };
}
