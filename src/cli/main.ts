/**
 * @module
 * Entry of the command line.
 */

import { lineOf } from './failure.ts';
import { processIo } from './io.ts';
import { runCli } from './program.ts';

/** How long a finished command may take to close what it left open, in milliseconds. */
const LINGER_MS = 2_000;

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
process.exitCode = code;
// Unref'd: runs only if something of a library keeps the process alive.
setTimeout(() => process.exit(code), LINGER_MS).unref();
