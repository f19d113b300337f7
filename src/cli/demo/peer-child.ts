/**
 * @module
 * One peer of the demo in a process of its own: `serve`, started, watched and ended from here.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isRecord } from '../chunk-list.ts';
import { CliError } from '../failure.ts';

/** A line that a peer printed about one request. */
export type ServedLine = Readonly<Record<string, unknown>>;

/** What a peer is started with. */
export type PeerChildOptions = {
  readonly validator: number;
  readonly configPath: string;
  readonly lies: boolean;
  /** Folder where Node keeps compiled code: started a dozen times, a peer is up sooner with it. */
  readonly compileCache: string;
  /** Told once per request that the peer logged. */
  readonly onServed: (line: ServedLine) => void;
  /** Told once when the process has ended. */
  readonly onExited: (peer: PeerChild, code: number | null, signal: string | null) => void;
};

/** How long a peer may take to listen, in milliseconds. A dozen start at once on two cores. */
const START_MS = 120_000;
/** How long a peer may take to close once its stdin has ended, in milliseconds. */
const CLOSE_MS = 3_000;
/** How much of a peer's stderr is kept for the message when it fails. */
const STDERR_CHARS = 2_000;

/** A running peer. Its process ends when its stdin does, so it cannot outlive us. */
export class PeerChild {
  /** Whose peer this is. */
  readonly validator: number;
  /** Where it can be reached; known once {@link PeerChild.started} has resolved. */
  multiaddr = '';
  /** See {@link PeerChild.multiaddr}. */
  peerId = '';
  readonly #process: ChildProcess;
  readonly #exited: Promise<void>;
  #hasExited = false;
  #isStopped = false;
  #stderr = '';
  #onListening: (line: ServedLine) => void = () => {};

  /** Starts the process. */
  constructor(options: PeerChildOptions) {
    this.validator = options.validator;
    this.#process = spawn(process.execPath, commandOf(options), {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, NODE_COMPILE_CACHE: options.compileCache },
    });
    this.#exited = new Promise((resolve) => {
      const end = (code: number | null, signal: string | null): void => {
        if (!this.#hasExited) {
          this.#hasExited = true;
          options.onExited(this, code, signal);
          resolve();
        }
      };
      this.#process.once('exit', end);
      // Not started at all.
      this.#process.once('error', () => end(null, null));
    });
    // The peer may be gone when we end its stdin.
    this.#process.stdin?.on('error', () => {});
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS);
    });
    this.#readLines(options.onServed);
  }

  /** The process id. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Resolves once the peer listens. */
  async started(signal: AbortSignal): Promise<void> {
    const listening = new Promise<ServedLine>((resolve) => {
      this.#onListening = resolve;
    });
    const failed = this.#exited.then(() => {
      const reason = this.#stderr.trim().split('\n').at(-1) ?? '';
      throw new CliError('local_fault', `peer ${this.validator} did not start: ${reason}`);
    });
    // It exits later, too, when nobody waits here.
    failed.catch(() => {});
    const line = await Promise.race([listening, failed, ...giveUp(signal)]);
    this.multiaddr = String(line['multiaddr']);
    this.peerId = String(line['peerId']);
  }

  /** Ends the process at once, without a chance to say goodbye. */
  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#exited;
  }

  /** Freezes the process: connections stay open and nothing answers. */
  stop(): void {
    this.#isStopped = true;
    this.#process.kill('SIGSTOP');
  }

  /** Lets the peer close by itself; kills it when it does not. */
  async close(): Promise<void> {
    if (this.#hasExited) {
      return;
    }
    if (this.#isStopped) {
      await this.kill();
      return;
    }
    this.#process.stdin?.end();
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), CLOSE_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  #readLines(onServed: (line: ServedLine) => void): void {
    const { stdout } = this.#process;
    if (stdout === null) {
      return;
    }
    createInterface({ input: stdout }).on('line', (text) => {
      const line = parseLine(text);
      if (line?.['event'] === 'listening') {
        this.#onListening(line);
      } else if (line?.['event'] === 'request') {
        onServed(line);
      }
    });
  }
}

/** The last line of a killed process may be cut. */
function parseLine(text: string): ServedLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function commandOf({ configPath, lies }: PeerChildOptions): string[] {
  // The sources run as they are; the package has them compiled.
  const main = import.meta.url.endsWith('.ts') ? '../main.ts' : '../main.js';
  return [
    fileURLToPath(new URL(main, import.meta.url)),
    'serve',
    '--config',
    configPath,
    '--until-stdin-ends',
    ...(lies ? ['--fault', 'flip-answers'] : []),
  ];
}

/** Rejects when the demo is cancelled, or when a peer takes too long. */
function giveUp(signal: AbortSignal): readonly Promise<never>[] {
  const cancelled = new Promise<never>((_resolve, reject) => {
    const cancel = (): void => reject(new CliError('cancelled', 'cancelled'));
    if (signal.aborted) {
      cancel();
    }
    signal.addEventListener('abort', cancel, { once: true });
  });
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(() => {
      reject(new CliError('local_fault', `a peer did not listen within ${START_MS} ms`));
    }, START_MS).unref();
  });
  for (const promise of [cancelled, late]) {
    promise.catch(() => {});
  }
  return [cancelled, late];
}
