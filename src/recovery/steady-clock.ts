/**
 * @module
 * A clock that never goes back. The real one does when the system's time is set; a source to be asked
 * again "in 250 ms" would then wait for an hour, and caps on time would be as late.
 */

import type { SchedulerLike } from 'rxjs';
import type { Runtime } from './ports.ts';

/**
 * The same runtime on a clock that stands still while its own goes back: of the time between the two
 * readings around that moment it knows nothing. Timers are its own.
 */
export function steadyRuntime({ scheduler, random }: Runtime): Runtime {
  let lastMs = scheduler.now();
  let aheadMs = 0;
  const steady: SchedulerLike = {
    now: () => {
      const nowMs = scheduler.now();
      aheadMs += Math.max(0, lastMs - nowMs);
      lastMs = nowMs;
      return nowMs + aheadMs;
    },
    schedule: scheduler.schedule.bind(scheduler),
  };
  return { scheduler: steady, random };
}
