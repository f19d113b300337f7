/**
 * @module
 * How a command ends when it does not succeed: a typed error, its exit code and its one line.
 */

import { CommanderError } from 'commander';
import { AvailabilityError } from '../primitives/errors.ts';

/**
 * Why a command gave up.
 *
 * - `misuse`: wrong options, or an input file that is not what it should be.
 * - `local_fault`: this machine failed us: a file, a port, a child process.
 * - `unavailable`: the data could not be had.
 * - `invalid`: what was given or had is provably wrong.
 * - `cancelled`: Ctrl-C.
 */
export type CliErrorCode = 'misuse' | 'local_fault' | 'unavailable' | 'invalid' | 'cancelled';

/** A command gave up. */
export class CliError extends AvailabilityError<CliErrorCode> {
  override readonly name = 'CliError';
}

/** Exit code of a command that did what it was asked. */
export const EXIT_DONE = 0;
/** Exit code for misuse and local faults, and for whatever is not listed below. */
export const EXIT_FAULT = 1;
/** Exit code when the data could not be had. */
const EXIT_UNAVAILABLE = 2;
/** Exit code when something is provably wrong. */
const EXIT_INVALID = 3;
/** Exit code after Ctrl-C: 128 plus the number of SIGINT, as shells have it. */
const EXIT_CANCELLED = 130;

const EXIT_BY_CODE: Readonly<Record<string, number>> = {
  unavailable: EXIT_UNAVAILABLE,
  invalid: EXIT_INVALID,
  cancelled: EXIT_CANCELLED,
};

/** Names of the error classes whose code decides the exit code. */
const DECIDING_ERRORS: readonly string[] = ['CliError', 'RecoveryError'];

/** The exit code for what a command threw. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) {
    return error.exitCode;
  }
  if (error instanceof Error && DECIDING_ERRORS.includes(error.name)) {
    return EXIT_BY_CODE[String((error as { code?: unknown }).code)] ?? EXIT_FAULT;
  }
  return EXIT_FAULT;
}

/** One line that says what went wrong; the code of a typed error stands in brackets. */
export function lineOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return `error: ${oneLine(String(error))}`;
  }
  const code = error.name === 'CliError' ? undefined : (error as { code?: unknown }).code;
  const suffix = typeof code === 'string' && !error.message.includes(code) ? ` (${code})` : '';
  return `error: ${oneLine(error.message === '' ? error.name : error.message)}${suffix}`;
}

/** Wraps a failure of the file system: says what was tried, on which file, and the system's code. */
export function fileFault(what: string, path: string, error: unknown): CliError {
  const code = (error as { code?: unknown }).code;
  const reason =
    typeof code === 'string' ? code : error instanceof Error ? error.message : 'failed';
  return new CliError('local_fault', `cannot ${what} ${path}: ${reason}`, {}, error);
}

/** Makes a misuse error. */
export function misuse(message: string, cause?: unknown): CliError {
  return new CliError('misuse', message, {}, cause);
}

/** Longest message: files choose part of it. */
const MAX_LINE_CHARS = 2_000;

/** Without line ends and whatever else a terminal would obey: files choose part of the text. */
function oneLine(text: string): string {
  const line = text.replace(/\s*\n\s*/g, '; ').replace(/\p{Cc}/gu, '\ufffd');
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}…` : line;
}
