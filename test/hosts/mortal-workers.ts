/**
 * @module
 * Workers that die, as an argument of Node: every worker that a program starts is one that ends in the
 * middle of its work, or is ended from outside.
 */

/** How a worker dies. */
export type Death =
  /** Its own thread exits when the given task comes, before it is done. */
  | { readonly by: 'exit'; readonly atTask: number }
  /** The program's thread ends it once the given task was sent. */
  | { readonly by: 'terminate'; readonly atTask: number }
  /** It exits while it is being started. */
  | { readonly by: 'no_start' };

/** Counts tasks as they are sent, whatever else goes to a worker. */
const COUNTING = 'const isTask = (message) => message?.type === "task";';

/**
 * Arguments that put {@link Death} on each of the first `count` workers; those after them live.
 * How many were started is printed to the error output at the end as `workers: 3`.
 */
export function mortalWorkers(death: Death, count: number): readonly string[] {
  const code = `
    import threads from 'node:worker_threads';
    import { syncBuiltinESMExports } from 'node:module';
    const { Worker } = threads;
    ${COUNTING}
    let started = 0;
    const exiting = (script, atTask) => \`
      import { parentPort } from 'node:worker_threads';
      ${COUNTING}
      let left = \${atTask};
      const on = parentPort.on.bind(parentPort);
      parentPort.on = (name, listener) => on(name, (message) => {
        if (isTask(message) && --left === 0) process.exit(7);
        listener(message);
      });
      await import(\${JSON.stringify(String(script))});
    \`;
    const asScript = (code) => new URL('data:text/javascript,' + encodeURIComponent(code));
    threads.Worker = class extends Worker {
      constructor(script, options) {
        started += 1;
        const isMortal = started <= ${count};
        super(isMortal ? ${scriptOf(death)} : script, options);
        if (isMortal) this.left = ${death.by === 'terminate' ? death.atTask : -1};
      }
      postMessage(message, transfer) {
        super.postMessage(message, transfer);
        if (this.left > 0 && isTask(message) && --this.left === 0) void this.terminate();
      }
    };
    syncBuiltinESMExports();
    process.on('exit', () => process.stderr.write('workers: ' + started + '\\n'));
  `;
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}

function scriptOf(death: Death): string {
  switch (death.by) {
    case 'exit':
      return `asScript(exiting(script, ${death.atTask}))`;
    case 'no_start':
      return "asScript('process.exit(7)')";
    case 'terminate':
      return 'script';
  }
}
