/**
 * @module
 * `npm run bench:store`: measures everything and writes `results/` and `baseline.json`, an hour on a machine
 * that does nothing else. `npm run bench:store -- native jobs` measures those alone: names of bench files, `native`
 * for the comparison with the crates, `check` for the baseline. Then `npm run bench:figures` makes the tables.
 */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { resultPath } from './support/results.ts';

const ROOT = join(import.meta.dirname, '..');

/** Everything that the tables show. */
const NATIVE = [
  ...['--payload', '100KiB,1MiB,2.5MiB,5MiB,10MiB'],
  ...['--validators', '100,300,1000'],
  ...['--threads', '1,2'],
  ...['--rounds', '9'],
  ...['--wait', '1800'],
  ...['--jobs', 'all'],
  ...['--json', resultPath('native')],
];

const VITEST = [
  join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'),
  ...['bench', '--run', '--no-file-parallelism', '--disableConsoleIntercept'],
];

/** Runs a script of this Node with results being stored; false when it failed. */
function run(script: readonly string[]): boolean {
  const env = { ...process.env, BENCH_STORE: '1' };
  return spawnSync(process.execPath, script, { cwd: ROOT, env, stdio: 'inherit' }).status === 0;
}

function main(names: readonly string[]): number {
  const isWanted = (name: string): boolean => names.length === 0 || names.includes(name);
  const files = names.filter((name) => name !== 'native' && name !== 'check');
  const steps: (readonly string[])[] = [];
  if (isWanted('native')) {
    steps.push([join(import.meta.dirname, 'native.ts'), ...NATIVE]);
  }
  if (names.length === 0 || files.length > 0) {
    steps.push([...VITEST, ...files.map((name) => `bench/${name}.bench.ts`)]);
  }
  if (isWanted('check')) {
    steps.push([join(import.meta.dirname, 'check.ts'), '--update']);
  }
  return steps.every(run) ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
