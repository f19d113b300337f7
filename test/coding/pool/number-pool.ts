/**
 * @module
 * A pool of real workers that do number tasks, with everything in sight that a test counts.
 */

import { lastValueFrom } from 'rxjs';
import type { JobOf } from '../../../src/coding/job-runner.ts';
import type { PoolWarning, ThreadPoolOptions } from '../../../src/coding/pool/pool-options.ts';
import { startNodeThread } from '../../../src/coding/pool/thread.ts';
import { ThreadPool } from '../../../src/coding/pool/thread-pool.ts';
import type { StartThread, ThreadPort } from '../../../src/coding/pool/thread-port.ts';
import { nodeThreads } from '../../../src/coding/pool/worker-host.ts';
import { doNumberTask, type NumberTask } from './number-tasks.ts';
import type { NumberSetup } from './number-thread.ts';

/** Starts workers in a script beside this one. */
export function scriptStarter(name: string): StartThread<NumberTask> {
  const node = nodeThreads();
  if (node === undefined) {
    throw new TypeError('this test runs on Node');
  }
  return (events) => startNodeThread(node, new URL(name, import.meta.url), events);
}

/** The pool. Closed when disposed of, after which all workers must have ended. */
export class NumberPool implements AsyncDisposable {
  readonly words: Int32Array<SharedArrayBuffer> = new Int32Array(new SharedArrayBuffer(262_144));
  readonly warnings: PoolWarning[] = [];
  readonly causes: unknown[] = [];
  /** Workers that have not ended. */
  readonly alive: Set<ThreadPort<NumberTask>> = new Set();
  readonly pool: ThreadPool<NumberTask>;
  #onEnd: () => void = () => undefined;

  constructor(
    options: Partial<ThreadPoolOptions<NumberTask>> & { readonly setup?: NumberSetup } = {},
  ) {
    const { startThread = scriptStarter('./number-thread.ts'), setup = {} } = options;
    const isShared = options.isShared ?? true;
    this.pool = new ThreadPool<NumberTask>({
      threads: 2,
      runTask: (task) => doNumberTask(this.words, task),
      setupOf: (): NumberSetup => (isShared ? { words: this.words, ...setup } : setup),
      isShared,
      arenaBytes: () => new Uint8Array(this.words.buffer),
      warn: (warning, cause) => {
        this.warnings.push(warning);
        this.causes.push(cause);
      },
      ...options,
      startThread: (events) => {
        const port: ThreadPort<NumberTask> = startThread({
          message: (message) => events.message(message),
          end: (cause) => {
            this.alive.delete(port);
            events.end(cause);
            this.#onEnd();
          },
        });
        this.alive.add(port);
        return port;
      },
    });
  }

  /** Runs a job to its end. */
  async run(job: JobOf<NumberTask>, onIdle: () => void = () => undefined): Promise<void> {
    await lastValueFrom(this.pool.run(job, { onIdle }), { defaultValue: undefined });
  }

  /** Waits until a worker stands at a gate. */
  async atGate(gate: number): Promise<void> {
    const begun = Atomics.waitAsync(this.words, gate + 1, 0);
    if (begun.async) {
      await begun.value;
    }
  }

  /** Lets whoever stands at a gate pass. */
  openGate(gate: number): void {
    Atomics.store(this.words, gate, 1);
    Atomics.notify(this.words, gate);
  }

  /** Waits until all workers have ended. */
  async ended(): Promise<void> {
    while (this.alive.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onEnd = resolve;
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.pool.close();
    await this.ended();
  }
}
