/**
 * @module
 * What waits behind tasks at hand, and when it gives way: so that a small job waits for one task of a
 * large one at most, and no worker is idle while another has something waiting.
 */

import type { PoolRun } from './pool-run.ts';
import type { Held, Seat } from './seat.ts';

/**
 * Takes back what waits behind tasks at hand when a stage begins for which too few workers are idle:
 * not a job's only task, nor tasks of a job that none has ended of since the last time. Without these two
 * a stream of newcomers would keep the others from ever having a turn.
 */
export function recallFor<Task>(
  run: PoolRun<Task>,
  seats: readonly Seat<Task>[],
): readonly Held<Task>[] {
  if (seats.filter((seat) => seat.hasRoom(1)).length >= run.progress.readyCount) {
    return [];
  }
  const recalled = seats.flatMap((seat) =>
    seat.recall(
      (held, place) => place > 0 && held.run !== run && !held.isOnly && !held.run.isPassedOver,
    ),
  );
  for (const held of recalled) {
    held.run.isPassedOver = true;
  }
  return recalled;
}

/** Takes back the first task that waits behind another, for a worker that is idle. */
export function recallAny<Task>(seats: Iterable<Seat<Task>>): readonly Held<Task>[] {
  for (const seat of seats) {
    const recalled = seat.recall((_, place) => place > 0);
    if (recalled.length > 0) {
      return recalled;
    }
  }
  return [];
}

/**
 * Whether the place behind the task at hand is kept for the stage that follows it: a small job of several
 * stages would else wait for a task of a large one at each of them.
 */
export function keepsPlace(seat: Seat<unknown>): boolean {
  return seat.held.some(({ run }) => run.progress.waitsForOne);
}
