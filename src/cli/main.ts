/**
 * @module
 * Entry of the command line.
 */

import { lineOf } from './failure.ts';
import { processIo } from './io.ts';
import { runCli } from './program.ts';

// A reader that has gone away (`… | head -1`) is no error of ours. A command that has something to
// clean up listens for signals, and is told that way.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (!process.emit('SIGTERM', 'SIGTERM')) {
    process.exit(error.code === 'EPIPE' ? 0 : 1);
  }
});
// A last resort: one line in place of a stack trace.
process.on('uncaughtException', (error: unknown) => {
  process.stderr.write(`${lineOf(error)}\n`);
  process.exit(1);
});

const code = await runCli(process.argv.slice(2), processIo());
// Everything of ours is closed; timers of libraries would keep the process for another second.
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
process.exit(code);

/** Resolves once everything written before is with the system, or cannot be. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}
