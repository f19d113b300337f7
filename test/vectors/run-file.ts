/**
 * @module
 * Runs one vector file and reports it as a line: the part of the vectors program that tests use too.
 */

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { RUNNERS } from './registry.ts';
import { Checks } from './runner.ts';

/** What became of one file. */
export type FileReport =
  | { readonly file: string; readonly checks: number; readonly failed: readonly string[] }
  | { readonly file: string; readonly skipped: true };

/** Runs parsed content against the runner of a file name. An error thrown is a failed check. */
export function runContent(file: string, content: unknown): FileReport {
  const runner = RUNNERS.get(file);
  if (runner === undefined) {
    return { file, skipped: true };
  }
  const checks = new Checks();
  try {
    runner(content, checks);
    if (checks.count === 0) {
      checks.failed.push('nothing to check in this file');
    }
  } catch (error: unknown) {
    checks.failed.push(`stopped after ${checks.count} checks: ${String(error)}`);
  }
  return { file, checks: checks.count, failed: checks.failed };
}

/** Reads and runs a file. One that cannot be read or parsed is a failed one, if its name is known. */
export function runFile(path: string): FileReport {
  const file = basename(path);
  if (!RUNNERS.has(file)) {
    return { file, skipped: true };
  }
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error: unknown) {
    return { file, checks: 0, failed: [`cannot be read: ${String(error)}`] };
  }
  return runContent(file, content);
}
