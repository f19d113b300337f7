/**
 * @module
 * The package as `npm run build` makes it, in a folder of the test; the checkout is left alone.
 */

import { execFile } from 'node:child_process';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT, SOURCE_FOLDERS } from '../support/source-tree.ts';
import type { TempFolder } from '../support/temp-folder.ts';

/** How a command ended. */
export type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Path of the TypeScript compiler's command. */
export const TSC: string = join(
  createRequire(import.meta.url).resolve('typescript/package.json'),
  '../bin/tsc',
);

/** Runs a command to its end, whatever its exit code. */
export async function run(command: string, args: readonly string[], cwd: string): Promise<Ended> {
  try {
    return { code: 0, ...(await promisify(execFile)(command, args, { cwd, encoding: 'utf8' })) };
  } catch (error: unknown) {
    return error as Ended;
  }
}

/**
 * Compiles the library into a new folder.
 *
 * @param programs - Files of the tests to compile with it, relative to the checkout: for hosts on which
 *   Node cannot strip types.
 * @throws with the compiler's words when it finds a fault.
 */
export async function buildInto(folder: string, programs: readonly string[] = []): Promise<void> {
  await mkdir(folder, { recursive: true });
  const config = join(folder, 'tsconfig.json');
  const settings = {
    extends: join(ROOT, 'tsconfig.build.json'),
    compilerOptions: {
      rootDir: ROOT,
      outDir: folder,
      typeRoots: [join(ROOT, 'node_modules', '@types')],
    },
    include: [...SOURCE_FOLDERS, ...programs].map((path) => join(ROOT, path)),
    exclude: [join(ROOT, 'src', 'erasure', 'kernel', 'wat')],
  };
  await writeFile(config, JSON.stringify(settings));
  const { code, stdout, stderr } = await run(process.execPath, [TSC, '-p', config], ROOT);
  await rm(config);
  if (code !== 0) {
    throw new Error(`tsc ended with ${code}: ${stdout}${stderr}`);
  }
}

/** Lets everything below a folder find the checkout's dependencies on its way up. */
export async function lendDependencies(folder: TempFolder): Promise<void> {
  await symlink(join(ROOT, 'node_modules'), folder.at('node_modules'), 'junction');
}
