/**
 * @module
 * Child of `event-loop.bench.ts`: recovers one after the other and measures how late the turns of its event loop
 * begin meanwhile.
 */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { createRecovery } from '../../src/index.ts';
import { ourWork } from '../our-jobs.ts';
import {
  chunkSourceOf,
  noDataSource,
  readCandidates,
  requestFor,
  sessionOf,
} from '../support/candidate.ts';
import { answerParent } from '../support/child.ts';

/** What to recover, and on how many threads beside the calling one. */
export type EventLoopQuestion = {
  readonly path: string;
  readonly workers: number;
  readonly recoveries: number;
};

/** In ms: how long after the 1 ms of the sampling timer its turns began. */
export type EventLoopAnswer = {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly worstMs: number;
  /** Wall time of one recovery, mean. */
  readonly recoveryMs: number;
};

/** The histogram counts the whole time between two turns, this interval with it. */
const RESOLUTION_MS = 1;

/** Recoveries before the measurement: threads start, code is compiled, memory is touched. */
const WARM_UPS = 3;

answerParent(async (question: EventLoopQuestion): Promise<EventLoopAnswer> => {
  const { path, workers, recoveries } = question;
  const candidates = readCandidates(path);
  const recovery = createRecovery(
    {
      directory: sessionOf(candidates.validatorCount),
      chunkSource: chunkSourceOf(candidates, () => setImmediate()),
      dataSource: noDataSource(),
      ...ourWork(workers),
    },
    { cacheEntries: 1 },
  );
  await recovery.start();
  for (let i = 0; i < WARM_UPS; i += 1) {
    await recovery.recoverData(requestFor(candidates, i));
  }
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const start = performance.now();
  histogram.enable();
  for (let i = 0; i < recoveries; i += 1) {
    await recovery.recoverData(requestFor(candidates, WARM_UPS + i));
  }
  const recoveryMs = (performance.now() - start) / recoveries;
  // A turn that is still to begin counts too.
  await setTimeout(3 * RESOLUTION_MS);
  histogram.disable();
  await recovery.stop();
  const late = (ns: number): number => Math.max(0, ns / 1e6 - RESOLUTION_MS);
  return {
    p50Ms: late(histogram.percentile(50)),
    p99Ms: late(histogram.percentile(99)),
    worstMs: late(histogram.max),
    recoveryMs,
  };
});
