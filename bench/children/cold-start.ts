/**
 * @module
 * Child of `cold-start.bench.ts`: imports the library in a process that has done nothing else, and recovers.
 */

import { answerParent } from '../support/child.ts';
import { timeOf } from '../support/rounds.ts';

/** Path of a candidate file. */
export type ColdStartQuestion = { readonly path: string };

/** In ms. `firstMs`: from the end of the import to the end of the first recovery. */
export type ColdStartAnswer = {
  readonly importMs: number;
  readonly firstMs: number;
  /** Recoveries right after the first one. */
  readonly laterMs: readonly number[];
};

/** Recoveries after the first. */
const LATER = 20;

answerParent(async ({ path }: ColdStartQuestion): Promise<ColdStartAnswer> => {
  const start = performance.now();
  const ar = await import('../../src/index.ts');
  const imported = performance.now();
  // These import nothing new but the reader of the file, whose time is not the library's.
  const { chunkSourceOf, noDataSource, readCandidates, requestFor, sessionOf } = await import(
    '../support/candidate.ts'
  );
  const candidates = readCandidates(path);
  let done = 0;
  const ready = performance.now();
  const recovery = ar.createRecovery({
    directory: sessionOf(candidates.validatorCount),
    chunkSource: chunkSourceOf(candidates),
    dataSource: noDataSource(),
  });
  await recovery.start();
  const recoverNext = async (): Promise<void> => {
    await recovery.recoverData(requestFor(candidates, done));
    done += 1;
  };
  await recoverNext();
  const firstMs = performance.now() - ready;
  const laterMs: number[] = [];
  for (let i = 0; i < LATER; i += 1) {
    laterMs.push(await timeOf(recoverNext));
  }
  await recovery.stop();
  return { importMs: imported - start, firstMs, laterMs };
});
