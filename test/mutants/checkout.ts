/**
 * @module
 * A copy of the checkout in a folder of its own, in which patches are applied and tests are run. The
 * checkout itself is only read.
 */

import { execFile, spawn } from 'node:child_process';
import { cp, readFile, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type TempFolder, tempFolder } from '../support/temp-folder.ts';

const run = promisify(execFile);

/** Root of the checkout that this file is in. */
export const ROOT: string = join(import.meta.dirname, '..', '..');

/** A test that must not run on longer than this, broken code or not. */
const TEST_RUN_MS = 120_000;

/** What became of the tests that were chosen, by full title. */
export type TestRun = { readonly passed: readonly string[]; readonly failed: readonly string[] };

/** A copy of every file of the checkout that git does not ignore; `node_modules` is a link. */
export async function copyCheckout(): Promise<TempFolder> {
  const folder = await tempFolder();
  const { stdout } = await run('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: ROOT,
    maxBuffer: 1 << 24,
  });
  for (const name of stdout.split('\0').filter((each) => each !== '')) {
    // A file may be listed though it was deleted a moment ago.
    await cp(join(ROOT, name), folder.at(name), { force: true }).catch(ignoreMissing);
  }
  await symlink(join(ROOT, 'node_modules'), folder.at('node_modules'));
  return folder;
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') {
    throw error;
  }
}

/** What `git apply` may do with a patch: try it, apply it, or take it back. */
export type ApplyStep = 'check' | 'apply' | 'revert';

/** Does it in a folder, whether that is a repository or not. Returns what git objects to, if anything. */
export async function applyPatch(
  folder: string,
  patch: string,
  step: ApplyStep,
): Promise<string | undefined> {
  const flags = { check: ['--check'], apply: [], revert: ['--reverse'] }[step];
  try {
    await run('git', ['apply', ...flags, patch], {
      cwd: folder,
      // A repository above the folder would make git skip every file outside of it, in silence.
      env: { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder) },
    });
    return undefined;
  } catch (error: unknown) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Runs the tests of some files of the copy, all or those with a text in their title. */
export async function runTests(
  folder: TempFolder,
  files: readonly string[],
  title?: string,
): Promise<TestRun> {
  const report = folder.at('mutants-report.json');
  await rm(report, { force: true });
  const pattern = title === undefined ? [] : ['-t', title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')];
  const vitest = folder.at('node_modules', 'vitest', 'vitest.mjs');
  await ended(
    spawn(
      process.execPath,
      [vitest, 'run', ...files, ...pattern, '--reporter=json', `--outputFile=${report}`],
      { cwd: folder.path, stdio: 'ignore', timeout: TEST_RUN_MS, killSignal: 'SIGKILL' },
    ),
  );
  const text = await readFile(report, 'utf8').catch(() => '{"testResults":[]}');
  const { testResults } = JSON.parse(text) as Report;
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const titles = (status: string): readonly string[] =>
    tests.filter((test) => test.status === status).map((test) => test.fullName);
  return { passed: titles('passed'), failed: titles('failed') };
}

type Report = {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
};

function ended(child: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
}
