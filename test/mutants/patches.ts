/**
 * @module
 * The mutants: patches that each break one rule in the sources, with the test that must notice. What
 * is read here is not run; `main.ts` does that.
 */

import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** A patch and what its header says. */
export type Mutant = {
  /** Name of the file, without its ending. */
  readonly name: string;
  /** Absolute path of the patch. */
  readonly path: string;
  /** The rule that it breaks, as a sentence. */
  readonly breaks: string;
  /** Path of the test file that must fail, from the root of the checkout. */
  readonly testFile: string;
  /** Part of the title of the tests that must fail, as it stands in that file. */
  readonly title: string;
};

/** All patches beside this file, by name. */
export async function readMutants(): Promise<readonly Mutant[]> {
  const folder = import.meta.dirname;
  const names = (await readdir(folder)).filter((name) => name.endsWith('.patch')).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      return { path, ...mutantFrom(basename(name, '.patch'), await readFile(path, 'utf8')) };
    }),
  );
}

/**
 * Reads the header in front of a diff.
 *
 * @throws SyntaxError when a line of the header is missing.
 */
export function mutantFrom(name: string, patch: string): Omit<Mutant, 'path'> {
  const [header = ''] = patch.split(/^--- /m, 1);
  const field = (key: string): string => {
    const value = new RegExp(`^${key}: (.+)$`, 'm').exec(header)?.[1];
    if (value === undefined) {
      throw new SyntaxError(`${name}.patch: no line "${key}: …" in front of the diff`);
    }
    return value;
  };
  return { name, breaks: field('Breaks'), testFile: field('Test'), title: field('Title') };
}
