/**
 * @module
 * Entry of the command line.
 */

import { EXIT_DONE, EXIT_FAULT, lineOf } from './failure.ts';
import { processIo } from './io.ts';
import { runCli } from './program.ts';

/** How long a command that was told to end waits for its output to be read, in milliseconds. */
const FLUSH_MS = 1_000;

const io = processIo();
let isOutputLost = false;
// A reader that has gone away (`… | head -1`) is no error of ours. A command that has something to
// clean up listens for signals, and is told as if one had come; any other ends by itself.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    isOutputLost ||= error.code !== 'EPIPE';
    io.interrupt();
  });
}
// A last resort: one line in place of a stack trace.
process.on('uncaughtException', (error: unknown) => {
  process.stderr.write(`${lineOf(error)}\n`);
  process.exit(1);
});

const code = await runCli(process.argv.slice(2), io);
// Everything of ours is closed; timers of libraries would keep the process for another second.
await Promise.race([
  Promise.all([flushed(process.stdout), flushed(process.stderr)]),
  outOfPatience(),
]);
process.exit(code === EXIT_DONE && isOutputLost ? EXIT_FAULT : code);

/** Resolves once everything written before is with the system, or cannot be. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}

/** Whoever was told to end does not wait for ever for a reader that has stopped reading. */
function outOfPatience(): Promise<void> {
  return new Promise((resolve) => {
    if (io.wasInterrupted) {
      setTimeout(resolve, FLUSH_MS);
    }
  });
}
