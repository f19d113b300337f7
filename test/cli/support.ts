/**
 * @module
 * Runs commands, in this process or in one of their own, and keeps what they printed.
 */

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CliIo } from '../../src/cli/io.ts';
import { runCli } from '../../src/cli/program.ts';

/** The entry of the command line. */
export const MAIN: string = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** What a command left behind. */
export type CommandResult = {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
};

/** A process-less {@link CliIo}: `interrupt` is Ctrl-C, `endInput` the end of stdin. */
class FakeIo implements CliIo {
  out = '';
  err = '';
  readonly isTerminal: boolean;
  /** Listeners that were not disposed. */
  listeners = 0;
  readonly #controller = new AbortController();
  #endInput: () => void = () => {};
  readonly #inputEnded = new Promise<void>((resolve) => {
    this.#endInput = resolve;
  });

  constructor(isTerminal: boolean = false) {
    this.isTerminal = isTerminal;
  }

  writeOut(text: string): void {
    this.out += text;
  }

  writeErr(text: string): void {
    this.err += text;
  }

  listenForInterrupt(): ReturnType<CliIo['listenForInterrupt']> {
    this.listeners += 1;
    return {
      signal: this.#controller.signal,
      dispose: () => {
        this.listeners -= 1;
      },
    };
  }

  inputEnded(): Promise<void> {
    return this.#inputEnded;
  }

  interrupt(): void {
    this.#controller.abort();
  }

  endInput(): void {
    this.#endInput();
  }
}

/** Runs a command in this process. */
export async function run(...args: readonly string[]): Promise<CommandResult> {
  const io = new FakeIo();
  const code = await runCli(args, io);
  return { code, out: io.out, err: io.err };
}

/** Runs a command in a process of its own. */
export async function runProcess(...args: readonly string[]): Promise<CommandResult> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out, err };
}

/** The lines of JSON that a command printed. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** Whether an error output is what it must be: one line, and no stack trace. */
export function isOneLine(err: string): boolean {
  return /^error: [^\n]+\n$/.test(err) && !/(^|;)\s*at |node_modules|file:\/\//.test(err);
}
