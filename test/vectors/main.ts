/**
 * @module
 * The vectors program: `npm run -s vectors -- --dir DIR` runs every vector file of a known name in a
 * folder, ours or anybody's, and prints one JSON line for each file.
 *
 * Exit codes: 0 all held, 1 misuse, 3 a check failed.
 */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hashReady } from '../../src/primitives/hash.ts';
import { runFile } from './run-file.ts';

const USAGE = 'usage: npm run -s vectors -- --dir DIR';

/** The folder that the arguments name. @throws when they name none. */
function folderFrom(args: string[]): string {
  const { values } = parseArgs({ args, options: { dir: { type: 'string' } } });
  if (values.dir === undefined || values.dir === '') {
    throw new TypeError('--dir: expected a folder');
  }
  return values.dir;
}

/** Names of the files in a folder, in order; folders in it are not looked at. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

async function main(args: string[]): Promise<number> {
  let folder: string;
  let files: string[];
  try {
    folder = folderFrom(args);
    files = filesIn(folder);
  } catch (error: unknown) {
    console.error(error instanceof Error ? error.message : String(error));
    console.error(USAGE);
    return 1;
  }
  await hashReady();
  const reports = files.map((name) => {
    const report = runFile(join(folder, name));
    console.log(JSON.stringify(report));
    return report;
  });
  return reports.some((report) => 'failed' in report && report.failed.length > 0) ? 3 : 0;
}

process.exitCode = await main(process.argv.slice(2));
