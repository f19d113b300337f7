/**
 * @module
 * Runs the demo as a process and follows what it says, line by line.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { MAIN } from '../support.ts';

/** One line of `demo --json`. */
export type DemoLine = Readonly<Record<string, unknown>>;

/** A demo that runs. */
export type DemoProcess = {
  readonly process: ChildProcess;
  /** Everything said so far. */
  readonly lines: readonly DemoLine[];
  /** Resolves with the first line, past or future, that passes the test; rejects when the demo ends. */
  until(test: (line: DemoLine) => boolean): Promise<DemoLine>;
  /** Exit code and what stood on stderr. */
  readonly ended: Promise<{ readonly code: number | null; readonly err: string }>;
};

/** Starts the demo with `--json`. */
export function startDemo(...args: readonly string[]): DemoProcess {
  const child = spawn(process.execPath, [MAIN, 'demo', '--json', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: DemoLine[] = [];
  const waiting = new Set<{
    test: (line: DemoLine) => boolean;
    resolve: (line: DemoLine) => void;
  }>();
  let err = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as DemoLine;
    lines.push(line);
    for (const waiter of waiting) {
      if (waiter.test(line)) {
        waiting.delete(waiter);
        waiter.resolve(line);
      }
    }
  });
  const ended = new Promise<{ code: number | null; err: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, err }));
  });
  return {
    process: child,
    lines,
    ended,
    until: (test) =>
      new Promise((resolve, reject) => {
        const past = lines.find(test);
        if (past !== undefined) {
          resolve(past);
          return;
        }
        waiting.add({ test, resolve });
        void ended.then(({ code }) => reject(new Error(`the demo ended with ${code}: ${err}`)));
      }),
  };
}

/** Lines of one type. */
export function linesOf(demo: DemoProcess, type: string): readonly DemoLine[] {
  return demo.lines.filter((line) => line['type'] === type);
}

/** Whether a process is there, also as a zombie. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
