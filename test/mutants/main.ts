/**
 * @module
 * The mutants program: `npm run -s mutants` copies the checkout once, breaks one rule after the other
 * in the copy, and expects the named test to fail each time. One JSON line per mutant, then a summary.
 * With names behind `--`, those mutants alone.
 *
 * Exit codes: 0 every mutant was noticed; 1 misuse, or a named test fails or is missing without any
 * mutant; 3 a mutant was not noticed, or its patch does not apply any more.
 */

import type { TempFolder } from '../support/temp-folder.ts';
import { applyPatch, copyCheckout, runTests, type TestRun } from './checkout.ts';
import { type Mutant, readMutants } from './patches.ts';

/** What became of a mutant; `why` where it was not killed. */
type Verdict = {
  readonly mutant: string;
  readonly killed: boolean;
  readonly by: string;
  readonly why?: string;
};

async function main(names: readonly string[]): Promise<number> {
  const all = await readMutants();
  const mutants = names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
  const unknown = names.filter((name) => !all.some((mutant) => mutant.name === name));
  if (unknown.length > 0) {
    console.error(`no such mutant: ${unknown.join(', ')}`);
    return 1;
  }
  await using folder = await copyCheckout();
  const unusable = await withoutMutant(folder, mutants);
  if (unusable.length > 0) {
    console.error(`these must pass without a mutant:\n${unusable.join('\n')}`);
    return 1;
  }
  const survived: string[] = [];
  for (const mutant of mutants) {
    const verdict = await judge(folder, mutant);
    console.log(JSON.stringify(verdict));
    if (!verdict.killed) {
      survived.push(mutant.name);
    }
  }
  console.log(
    JSON.stringify({
      mutants: mutants.length,
      killed: mutants.length - survived.length,
      survived,
    }),
  );
  return survived.length === 0 ? 0 : 3;
}

/** Named tests that fail, or are not there, in the copy as it is. */
async function withoutMutant(
  folder: TempFolder,
  mutants: readonly Mutant[],
): Promise<readonly string[]> {
  const files = [...new Set(mutants.map(({ testFile }) => testFile))];
  const { passed, failed } = await runTests(folder, files);
  return mutants
    .filter(({ title }) => !named(passed, title) || named(failed, title))
    .map(({ testFile, title }) => `${testFile} > ${title}`);
}

async function judge(folder: TempFolder, mutant: Mutant): Promise<Verdict> {
  const { name, path, testFile, title } = mutant;
  const verdict = { mutant: name, by: `${testFile} > ${title}` };
  const objection = await applyPatch(folder.path, path, 'apply');
  if (objection !== undefined) {
    return { ...verdict, killed: false, why: `does not apply: ${objection}` };
  }
  const result = await runTests(folder, [testFile], title);
  const leftover = await applyPatch(folder.path, path, 'revert');
  if (leftover !== undefined) {
    throw new Error(`${name}: cannot be taken back: ${leftover}`);
  }
  return named(result.failed, title)
    ? { ...verdict, killed: true }
    : { ...verdict, killed: false, why: describe(result) };
}

function named(titles: readonly string[], title: string): boolean {
  return titles.some((full) => full.includes(title));
}

function describe({ passed, failed }: TestRun): string {
  return passed.length + failed.length === 0 ? 'no test ran to its end' : 'the test passes';
}

process.exitCode = await main(process.argv.slice(2));
