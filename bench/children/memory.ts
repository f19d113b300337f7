/**
 * @module
 * Child of `memory.bench.ts`: recovers in a process of its own and says how far its resident memory rose above
 * what it was before the first recovery.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { createRecovery } from '../../src/index.ts';
import { ourWork, workersFor } from '../our-jobs.ts';
import {
  chunkSourceOf,
  noDataSource,
  readCandidates,
  requestFor,
  sessionOf,
} from '../support/candidate.ts';
import { answerParent } from '../support/child.ts';

/** How often to recover, and how many at once. */
export type MemoryQuestion = {
  readonly path: string;
  readonly threads: number;
  readonly recoveries: number;
  readonly atOnce: number;
};

/** In bytes, above the resident memory before the first recovery. */
export type MemoryAnswer = {
  /** Highest during all recoveries. */
  readonly peakBytes: number;
  /** After each tenth of the recoveries, with garbage collected. */
  readonly restingBytes: readonly number[];
  /** False where the system does not tell the peak, which was then looked for between recoveries. */
  readonly isPeakExact: boolean;
};

const STATUS = '/proc/self/status';

/** A field of the process's status in bytes; undefined where there is none. */
function statusBytes(field: string): number | undefined {
  try {
    const found = new RegExp(`^${field}:\\s*(\\d+) kB`, 'm').exec(readFileSync(STATUS, 'latin1'));
    return found === null ? undefined : Number(found[1]) * 1024;
  } catch {
    return undefined;
  }
}

/** Makes the system forget the highest resident size so far. */
function forgetPeak(): boolean {
  try {
    writeFileSync('/proc/self/clear_refs', '5');
    return statusBytes('VmHWM') !== undefined;
  } catch {
    return false;
  }
}

function resting(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

answerParent(async (question: MemoryQuestion): Promise<MemoryAnswer> => {
  const { path, threads, recoveries, atOnce } = question;
  const candidates = readCandidates(path);
  const recovery = createRecovery(
    {
      directory: sessionOf(candidates.validatorCount),
      chunkSource: chunkSourceOf(candidates),
      dataSource: noDataSource(),
      ...ourWork(workersFor(threads)),
    },
    { cacheEntries: 1, maxConcurrent: atOnce },
  );
  await recovery.start();
  const before = resting();
  const isPeakExact = forgetPeak();
  let sampledPeak = 0;
  const restingBytes: number[] = [];
  const step = Math.max(atOnce, Math.ceil(recoveries / 10 / atOnce) * atOnce);
  for (let done = 0; done < recoveries; done += atOnce) {
    await Promise.all(
      Array.from({ length: atOnce }, (_, i) =>
        recovery.recoverData(requestFor(candidates, done + i)),
      ),
    );
    sampledPeak = Math.max(sampledPeak, process.memoryUsage.rss());
    if ((done + atOnce) % step === 0) {
      restingBytes.push(resting() - before);
    }
  }
  const peak = (isPeakExact ? statusBytes('VmHWM') : undefined) ?? sampledPeak;
  await recovery.stop();
  return { peakBytes: peak - before, restingBytes, isPeakExact };
});
