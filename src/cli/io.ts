/**
 * @module
 * What the command line needs from the process that runs it, as one small interface, so that tests
 * can run a command without a process. It does not decide what is printed.
 */

/** Streams and signals of the process. */
export interface CliIo {
  /** Writes to stdout: results only. */
  writeOut(text: string): void;
  /** Writes to stderr: logs, progress and the one line of an error. */
  writeErr(text: string): void;
  /** Whether stderr is a terminal, so that a progress line may be redrawn. */
  readonly isTerminal: boolean;
  /** Starts to listen for Ctrl-C and a request to terminate. */
  listenForInterrupt(): Interrupt;
  /** Resolves when stdin ends. Reads and drops what comes before. */
  inputEnded(): Promise<void>;
}

/** A listener for Ctrl-C (SIGINT), SIGTERM and SIGHUP. */
export type Interrupt = {
  /** Aborts at the first signal; later ones change nothing (npm passes Ctrl-C on a second time). */
  readonly signal: AbortSignal;
  /** Stops to listen: a signal ends the process again, unless one came before. */
  dispose(): void;
};

/** The streams and signals of a real process. */
export interface ProcessIo extends CliIo {
  /** Whether a command that listens for signals was told to end. */
  readonly wasInterrupted: boolean;
  /** Tells a command to end as a signal would; one that does not listen goes on. */
  interrupt(): void;
}

/** The real process. */
export function processIo(): ProcessIo {
  const listening = new Set<AbortController>();
  return {
    get wasInterrupted() {
      return [...listening].some(({ signal }) => signal.aborted);
    },
    interrupt: () => {
      for (const controller of listening) {
        controller.abort();
      }
    },
    writeOut: (text) => void process.stdout.write(text),
    writeErr: (text) => void process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
    listenForInterrupt: () => interruptOfProcess(listening),
    inputEnded: () =>
      new Promise((resolve) => {
        process.stdin.once('end', resolve);
        process.stdin.once('close', resolve);
        process.stdin.once('error', () => resolve());
        process.stdin.resume();
      }),
  };
}

/** Prints one value as one line of JSON on stdout. */
export function printJson(io: CliIo, value: unknown): void {
  io.writeOut(`${JSON.stringify(value)}\n`);
}

/** Prints one line on stdout. */
export function printLine(io: CliIo, line: string): void {
  io.writeOut(`${line}\n`);
}

/** Prints one line on stderr. */
export function printNote(io: CliIo, line: string): void {
  io.writeErr(`${line}\n`);
}

/** Ctrl-C, a request to terminate, and a terminal that was closed. */
export const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function interruptOfProcess(listening: Set<AbortController>): Interrupt {
  const controller = new AbortController();
  listening.add(controller);
  const onSignal = (): void => controller.abort();
  for (const name of ENDING_SIGNALS) {
    process.on(name, onSignal);
  }
  return {
    signal: controller.signal,
    dispose: () => {
      if (controller.signal.aborted) {
        // npm's copy of Ctrl-C may come when we are done already, and must not change the exit code.
        return;
      }
      listening.delete(controller);
      for (const name of ENDING_SIGNALS) {
        process.off(name, onSignal);
      }
    },
  };
}
