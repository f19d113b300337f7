/**
 * @module
 * The package's entries, as package.json lists them.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './source-tree.ts';

/** Parts of package.json that tests read. */
type Manifest = {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
};

/** Reads package.json. */
export function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
}

/** Source of each entry, by its name in `exports`. */
export function entrySources(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(readManifest().exports).map(([name, built]) => [
      name,
      built.replace('./dist/', '').replace(/\.js$/, '.ts'),
    ]),
  );
}
