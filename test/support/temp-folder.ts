/**
 * @module
 * Folders that are gone when their test is over.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder of one test; disposing removes it with everything in it. */
export type TempFolder = AsyncDisposable & {
  /** Absolute path of the folder. */
  readonly path: string;
  /** Path of a thing inside. */
  at(...names: string[]): string;
};

/**
 * Makes an empty folder under the system's temporary folder.
 *
 * @example
 * await using folder = await tempFolder();
 * await writeFile(folder.at('pov.bin'), bytes);
 */
export async function tempFolder(): Promise<TempFolder> {
  const path = await mkdtemp(join(tmpdir(), 'availability-recovery-test-'));
  return {
    path,
    at: (...names) => join(path, ...names),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 3 }),
  };
}
