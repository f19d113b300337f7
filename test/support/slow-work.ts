/**
 * @module
 * Erasure work that takes time, for tests of what happens meanwhile.
 */

import { concatMap, timer } from 'rxjs';
import { CODING_V1, type ErasureWork, inlineWork } from '../../src/recovery/coding.ts';
import type { Runtime } from '../../src/recovery/ports.ts';

/** Work that answers `ms` later, through the scheduler. */
export function slowWork({ scheduler }: Runtime, ms: number): ErasureWork {
  const work = inlineWork(CODING_V1([]));
  return {
    reconstruct: (...job) => timer(ms, scheduler).pipe(concatMap(() => work.reconstruct(...job))),
    reassemble: (...job) => timer(ms, scheduler).pipe(concatMap(() => work.reassemble(...job))),
    erasureRoot: (...job) => timer(ms, scheduler).pipe(concatMap(() => work.erasureRoot(...job))),
  };
}
