import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RequestQueue } from '../../strategies/request-queue.ts';
import { SEED, seeded } from '../support/seed.ts';
import { sourceAt } from './support.ts';

/** Validator indices, front to back. */
function placesOf(queue: RequestQueue): number[] {
  return queue.toArray().map((entry) => entry.validatorIndex);
}

describe('RequestQueue', () => {
  it('is served from the back', () => {
    const queue = new RequestQueue([sourceAt(1), sourceAt(2), sourceAt(3)]);
    expect(queue.popReady(0)?.validatorIndex).toBe(3);
    expect(placesOf(queue)).toEqual([1, 2]);
  });

  it('tries a repeat after everything already queued', () => {
    const queue = new RequestQueue([sourceAt(1), sourceAt(2)]);
    queue.pushFront(sourceAt(9));
    expect(placesOf(queue)).toEqual([9, 1, 2]);
    expect([0, 0, 0, 0].map((now) => queue.popReady(now)?.validatorIndex)).toEqual([
      2,
      1,
      9,
      undefined,
    ]);
  });

  it('leaves a source alone until its time', () => {
    const queue = new RequestQueue([]);
    queue.pushFront(sourceAt(1), 250);
    expect([queue.length, queue.nextReadyMs()]).toEqual([1, 250]);
    expect(queue.popReady(249)).toBeUndefined();
    expect(queue.popReady(250)).toMatchObject(sourceAt(1));
    expect([queue.length, queue.nextReadyMs()]).toEqual([0, undefined]);
  });

  it('keeps the place of a source whose time has come', () => {
    const queue = new RequestQueue([]);
    queue.pushFront(sourceAt(1), 250);
    queue.pushFront(sourceAt(2));
    expect(queue.popReady(0)?.validatorIndex).toBe(2);
    queue.pushFront(sourceAt(2));
    expect(queue.popReady(250)?.validatorIndex).toBe(1);
  });

  it(seeded('does what a plain list does'), () => {
    const step = fc.oneof(
      fc.record({ type: fc.constant('push' as const), delay: fc.constantFrom(0, 250, 40, -1) }),
      fc.record({ type: fc.constant('pop' as const), delay: fc.nat({ max: 120 }) }),
    );
    fc.assert(
      fc.property(fc.nat({ max: 60 }), fc.array(step, { maxLength: 200 }), (count, steps) => {
        const sources = Array.from({ length: count }, (_, i) => sourceAt(i));
        const queue = new RequestQueue(sources);
        const model = sources.map((source) => ({ ...source, notBeforeMs: -Infinity }));
        let now = 0;
        let next = count;
        for (const { type, delay } of steps) {
          if (type === 'push') {
            const source = sourceAt(next);
            const notBeforeMs = delay < 0 ? Number.NEGATIVE_INFINITY : now + delay;
            next += 1;
            queue.pushFront(source, notBeforeMs);
            model.unshift({ ...source, notBeforeMs });
          } else {
            now += delay;
            const place = model.findLastIndex((entry) => entry.notBeforeMs <= now);
            const expected = place < 0 ? undefined : model.splice(place, 1)[0];
            expect(queue.popReady(now)).toEqual(expected);
          }
          expect(queue.toArray()).toEqual(model);
          expect(queue.length).toBe(model.length);
          const earliest = Math.min(...model.map((entry) => entry.notBeforeMs));
          expect(Math.max(queue.nextReadyMs() ?? Infinity, now)).toBe(Math.max(earliest, now));
        }
      }),
      { seed: SEED, numRuns: 60 },
    );
  });
});
