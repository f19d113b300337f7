/**
 * @module
 * A bound on waiting for a port of ours, or none.
 */

import { identity, type MonoTypeOperatorFunction, type SchedulerLike, timeout } from 'rxjs';

/** Errors when nothing comes, and nothing ends, within the time; `null` waits as long as it takes. */
export function inTime<T>(
  withinMs: number | null,
  scheduler: SchedulerLike,
): MonoTypeOperatorFunction<T> {
  return withinMs === null ? identity : timeout({ first: withinMs, scheduler });
}
