/**
 * @module
 * The command line as a whole: wires one file per command, and turns every end into an exit code.
 */

import { Command, CommanderError } from 'commander';
import { addCandidate } from './candidate.ts';
import { addDecode } from './decode.ts';
import { addDemo } from './demo.ts';
import { addEncode } from './encode.ts';
import { addExplain } from './explain.ts';
import { EXIT_DONE, exitCodeOf, lineOf } from './failure.ts';
import { addIdentity } from './identity.ts';
import { addImport } from './import.ts';
import { type CliIo, printNote } from './io.ts';
import { addMapping } from './mapping.ts';
import { addReceipt } from './receipt.ts';
import { addRecover } from './recover.ts';
import { addServe } from './serve.ts';
import { addVerify } from './verify.ts';

const EXIT_CODES_HELP = `
Exit codes: 0 done, 1 misuse or local fault, 2 unavailable, 3 invalid, 130 cancelled by Ctrl-C.
Results go to stdout, logs and progress to stderr. Files are written as a whole or not at all.`;

/** Builds the commands, in the order in which the help lists them. */
function buildProgram(io: CliIo): Command {
  const program = new Command('availability-recovery')
    .description('Polkadot availability recovery: codec, proofs, mapping, peers and recovery')
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: (text) => io.writeOut(text),
      writeErr: (text) => io.writeErr(text),
    })
    .addHelpText('after', EXIT_CODES_HELP);
  addDemo(program, io);
  addCandidate(program, io);
  addEncode(program, io);
  addDecode(program, io);
  addVerify(program, io);
  addReceipt(program, io);
  addMapping(program, io);
  addImport(program, io);
  addIdentity(program, io);
  addServe(program, io);
  addRecover(program, io);
  addExplain(program, io);
  return program;
}

/**
 * Runs one command to its end. Never throws.
 *
 * @param args - Without the executable and the script.
 * @returns The exit code; the reason of a failure has been written to stderr, as one line.
 */
export async function runCli(args: readonly string[], io: CliIo): Promise<number> {
  try {
    await buildProgram(io).parseAsync(args, { from: 'user' });
    return EXIT_DONE;
  } catch (error: unknown) {
    if (!(error instanceof CommanderError)) {
      printNote(io, lineOf(error));
    }
    return exitCodeOf(error);
  }
}
