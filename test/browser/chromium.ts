/**
 * @module
 * A headless Chromium of the host that opens one address, without a browser driver. It ends with its
 * pipe, so that it also goes when the test's own process is killed.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

/** Names under which distributions install it. */
const COMMANDS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * Nothing but the page: no sandbox (which root cannot have), no traffic of its own, no file outside
 * the profile. Debugging through a pipe is there for its end: the browser leaves when it closes.
 */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--disable-breakpad',
  '--disable-extensions',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-proxy-server',
  '--remote-debugging-pipe',
];

/** How long a browser may take to end by itself before it is killed. */
const GRACE_MS = 5_000;

/**
 * The command of a Chromium: the environment's `CHROMIUM`, else the first known name in the path.
 *
 * @returns Undefined when there is none.
 */
export function findChromium(): string | undefined {
  const wanted = process.env['CHROMIUM'];
  const names = wanted === undefined || wanted === '' ? COMMANDS : [wanted];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names
    .flatMap((name) => (isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name))))
    .find((path) => isRunnable(path));
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A running browser; disposing ends it, waits until all its processes are gone and removes its profile. */
export class Chromium implements AsyncDisposable {
  private readonly said: string[] = [];
  private readonly child: ChildProcess;
  private readonly closed: Promise<unknown>;
  private readonly home: TempFolder;

  private constructor(child: ChildProcess, home: TempFolder) {
    this.child = child;
    this.home = home;
    // Closes when every process that holds the error output is gone, not only the first.
    this.closed = once(child, 'close').catch(() => undefined);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.said.push(text));
    // Debugging answers are nobody's; a pipe that is full would stop the browser.
    (child.stdio[4] as Readable).resume();
    this.input.on('error', () => undefined);
  }

  /** Starts a command from {@link findChromium} on an address. */
  static async open(command: string, address: string): Promise<Chromium> {
    const home = await tempFolder();
    const child = spawn(command, [...FLAGS, `--user-data-dir=${home.at('profile')}`, address], {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
      env: {
        ...process.env,
        HOME: home.path,
        XDG_CONFIG_HOME: home.path,
        XDG_CACHE_HOME: home.path,
      },
    });
    return new Chromium(child, home);
  }

  /** What came first: a value, or an error because the browser ended or the time was over. */
  async until<T>(value: Promise<T>, timeoutMs: number): Promise<T> {
    const over = new AbortController();
    const late = sleep(timeoutMs, 'is not done', { signal: over.signal }).catch(() => 'is done');
    const ended = this.closed.then(() => 'ended');
    try {
      return await Promise.race([value, Promise.race([late, ended]).then((how) => this.fail(how))]);
    } finally {
      over.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.input.end();
    const grace = new AbortController();
    const late = sleep(GRACE_MS, true, { signal: grace.signal }).catch(() => false);
    if ((await Promise.race([this.closed.then(() => false), late])) === true) {
      this.child.kill('SIGKILL');
      await this.closed;
    }
    grace.abort();
    await this.home[Symbol.asyncDispose]();
  }

  private get input(): Writable {
    return this.child.stdio[3] as Writable;
  }

  private fail(how: string): never {
    throw new Error(`the browser ${how}; it said: ${this.said.join('').slice(-2_000)}`);
  }
}
