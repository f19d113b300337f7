/**
 * @module
 * Watches the workers of a program, as an argument of Node: counts what they do, and lets the first of
 * them die in the middle of their work.
 */

/** How a worker dies. */
export type Death =
  /** Its own thread exits when the given task comes, before it is done. */
  | { readonly by: 'exit'; readonly atTask: number }
  /** The program's thread ends it once the given task was sent. */
  | { readonly by: 'terminate'; readonly atTask: number }
  /** It exits while it is being started. */
  | { readonly by: 'no_start' };

/** What {@link watchedWorkers} prints, read back. */
export type WorkersSeen = {
  readonly started: number;
  /** Tasks that a worker said it had done. */
  readonly done: number;
};

/** Before the line that the watch prints last of all to the error output. */
const MARK = 'workers seen: ';

const IS_TASK = 'const isTask = (message) => message?.type === "task";';

/** A worker's script that loads the real one and exits when a task comes. */
const EXITING = `
  import { parentPort } from 'node:worker_threads';
  ${IS_TASK}
  let left = ATTASK;
  const on = parentPort.on.bind(parentPort);
  parentPort.on = (name, listener) => on(name, (message) => {
    if (isTask(message) && --left === 0) process.exit(7);
    listener(message);
  });
  await import(SCRIPT);
`;

/**
 * Arguments that watch every worker, and put a death on each of the first `count`.
 *
 * @param death - Absent: all live.
 */
export function watchedWorkers(death?: Death, count = 0): readonly string[] {
  const code = `
    import threads from 'node:worker_threads';
    import { syncBuiltinESMExports } from 'node:module';
    const { Worker } = threads;
    ${IS_TASK}
    const death = ${JSON.stringify(death ?? {})};
    const seen = { started: 0, done: 0 };
    const asScript = (code) => new URL('data:text/javascript,' + encodeURIComponent(code));
    const scriptOf = (script) =>
      death.by === 'no_start'
        ? asScript('process.exit(7)')
        : death.by === 'exit'
          ? asScript(${JSON.stringify(EXITING)}
              .replace('ATTASK', death.atTask)
              .replace('SCRIPT', JSON.stringify(String(script))))
          : script;
    threads.Worker = class extends Worker {
      constructor(script, options) {
        const isMortal = seen.started < ${count};
        seen.started += 1;
        super(isMortal ? scriptOf(script) : script, options);
        this.left = isMortal && death.by === 'terminate' ? death.atTask : -1;
        this.on('message', ({ type }) => void (seen.done += type === 'done' ? 1 : 0));
      }
      postMessage(message, transfer) {
        super.postMessage(message, transfer);
        if (this.left > 0 && isTask(message) && --this.left === 0) void this.terminate();
      }
    };
    syncBuiltinESMExports();
    process.on('exit', () => process.stderr.write('${MARK}' + JSON.stringify(seen) + '\\n'));
  `;
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}

/** Reads what the watch printed. @throws when it printed nothing: the program did not end by itself. */
export function workersSeen(stderr: string): WorkersSeen {
  const [, line = ''] = stderr.split(MARK);
  return JSON.parse(line) as WorkersSeen;
}
