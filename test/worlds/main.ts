/**
 * @module
 * The worlds program: `npm run -s worlds -- --in FILE` runs every recorded world of a file on the
 * preset of the reference and prints one JSON object, `{ worlds, agreed, differed }`.
 *
 * Exit codes: 0 all agreed, or differed as documented; 1 misuse; 3 a world differs.
 */

import { hashReady } from '../../src/primitives/hash.ts';
import type { WorldsFile } from './format.ts';
import { fileFrom, runWorlds } from './run-file.ts';

const USAGE = 'usage: npm run -s worlds -- --in FILE';

async function main(args: string[]): Promise<number> {
  let file: WorldsFile;
  try {
    file = fileFrom(args);
  } catch (error: unknown) {
    console.error(error instanceof Error ? error.message : String(error));
    console.error(USAGE);
    return 1;
  }
  await hashReady();
  const report = await runWorlds(file);
  console.log(JSON.stringify(report));
  return report.differed.some(({ departure }) => departure === undefined) ? 3 : 0;
}

process.exitCode = await main(process.argv.slice(2));
