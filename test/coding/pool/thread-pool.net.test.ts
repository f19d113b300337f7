import { Subscription } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { ChaCha8 } from '../../../src/primitives/chacha8.ts';
import { blake2b256 } from '../../../src/primitives/hash.ts';
import { drawBelow } from '../../../src/primitives/random.ts';
import { SEED, seeded } from '../../support/seed.ts';
import { NumberPool, scriptStarter } from './number-pool.ts';
import { expectedOf, sumJob, writtenBy } from './number-tasks.ts';

/** Words of the gate of a test, before all others. */
const GATE = 0;

describe('ThreadPool with real workers', () => {
  it.each([1, 2, 3])('does all tasks of many jobs, %i threads', async (threads) => {
    await using world = new NumberPool({ threads });
    const jobs = Array.from({ length: 20 }, (_, i) => sumJob(100 + i * 50, 40));
    await Promise.all(jobs.map((job) => world.run(job)));
    for (const job of jobs) {
      expect(writtenBy(job, world.words)).toEqual(expectedOf(job, world.words));
    }
    expect(world.pool.tally).toEqual({ started: threads, deaths: 0, redone: 0 });
    expect(world.warnings).toEqual([]);
  });

  it('moves bytes to workers with memories of their own and back', async () => {
    await using world = new NumberPool({ isShared: false });
    const jobs = Array.from({ length: 20 }, (_, i) => sumJob(100 + i * 50, 40));
    const faulty = sumJob(2_000, 10, { fault: 'exit' });
    await Promise.all([...jobs, faulty].map((job) => world.run(job)));
    for (const job of [...jobs, faulty]) {
      expect(writtenBy(job, world.words)).toEqual(expectedOf(job, world.words));
    }
    expect(world.pool.tally.deaths).toBe(1);
    expect(world.warnings).toEqual(['no_shared_memory']);
  });

  it('gives the same result when a worker is ended in the middle of a task', async () => {
    await using world = new NumberPool({ threads: 1 });
    const job = sumJob(100, 10, { gate: GATE });
    const result = world.run(job);
    await world.atGate(GATE);
    const [worker] = world.alive;
    worker?.terminate();
    await result;
    expect(writtenBy(job, world.words)).toEqual(expectedOf(job, world.words));
    expect(world.pool.tally).toEqual({ started: 2, deaths: 1, redone: 1 });
    expect(world.warnings).toEqual([]);
  });

  it.each(['exit', 'crash', 'throw'] as const)(
    'gives the same result when a task makes its worker %s',
    async (fault) => {
      await using world = new NumberPool();
      const job = sumJob(100, 10, { fault });
      await world.run(job);
      await world.run(job);
      const other = sumJob(200, 10);
      await world.run(other);
      expect(writtenBy(other, world.words)).toEqual(expectedOf(other, world.words));
      expect(writtenBy(job, world.words)).toEqual(expectedOf(job, world.words));
      expect(world.warnings).toEqual(fault === 'throw' ? ['task_failed'] : []);
    },
  );

  it('tells the owner of a job that was left when the worker is through with its memory', async () => {
    await using world = new NumberPool({ threads: 1 });
    const { promise: idle, resolve } = Promise.withResolvers<void>();
    let isIdle = false;
    const subscription = world.pool
      .run(sumJob(100, 3, { gate: GATE }), {
        onIdle: () => {
          isIdle = true;
          resolve();
        },
      })
      .subscribe({ complete: () => undefined });
    await world.atGate(GATE);
    subscription.unsubscribe();
    await world.run({ stages: [], cost: 0 });
    expect(isIdle).toBe(false);
    world.openGate(GATE);
    await idle;
    expect(world.words[102]).toBe(0);
  });

  it('tells the owner of a job that was closed when the worker has ended', async () => {
    const world = new NumberPool({ threads: 1 });
    const log: string[] = [];
    world.pool.run(sumJob(100, 3, { gate: GATE }), { onIdle: () => log.push('idle') }).subscribe({
      error: () => log.push('error'),
    });
    await world.atGate(GATE);
    world.pool.close();
    expect(log).toEqual(['error']);
    await world.ended();
    expect(log).toEqual(['error', 'idle']);
  });

  it(
    seeded('ends 200 jobs rightly under random departures and deaths, and leaves nobody'),
    async () => {
      const random = new ChaCha8(blake2b256(Uint8Array.from([SEED, SEED >>> 8, SEED >>> 16])));
      const below = (bound: number): number => drawBelow(random, bound);
      await using world = new NumberPool({ threads: 3 });
      await world.run(sumJob(0, 20));
      const ends = new Map<number, string>();
      let idleCount = 0;
      const jobs = Array.from({ length: 200 }, (_, i) => {
        const drawn = below(60);
        const fault = drawn < 2 ? 'exit' : drawn < 12 ? 'throw' : undefined;
        return sumJob(100 + i * 40, 1 + below(30), fault === undefined ? {} : { fault });
      });
      const left = new Set<number>();
      await Promise.all(
        jobs.map(
          (job, i) =>
            new Promise<void>((resolve) => {
              const subscription = new Subscription();
              subscription.add(
                world.pool
                  .run(job, {
                    onIdle: () => {
                      idleCount += 1;
                      resolve();
                    },
                  })
                  .subscribe({
                    error: (error: unknown) => ends.set(i, String(error)),
                    complete: () => ends.set(i, 'complete'),
                  }),
              );
              if (below(4) === 0) {
                left.add(i);
                afterTurns(below(200), () => subscription.unsubscribe());
              }
              if (below(40) === 0) {
                const which = below(3);
                afterTurns(below(200), () => [...world.alive][which]?.terminate());
              }
            }),
        ),
      );
      expect(idleCount).toBe(200);
      for (const [i, job] of jobs.entries()) {
        if (ends.get(i) === 'complete') {
          expect(writtenBy(job, world.words), `job ${i}`).toEqual(expectedOf(job, world.words));
        } else {
          expect(left.has(i), `job ${i}: ${ends.get(i)}`).toBe(true);
        }
      }
      expect(world.alive.size).toBeLessThanOrEqual(3);
      expect(world.warnings.filter((warning) => warning !== 'task_failed')).toEqual([]);
    },
  );
});

/** Calls after some turns of the event loop. */
function afterTurns(turns: number, callback: () => void): void {
  setImmediate(turns === 0 ? callback : () => afterTurns(turns - 1, callback));
}

describe('ThreadPool whose real workers do not start', () => {
  it.each([
    ['their script is missing', { startThread: scriptStarter('./no-such-thread.ts') }],
    ['they find no kernel', { setup: { refuses: true } }],
    ['they cannot be sent what they need', { setupOf: () => () => undefined }],
  ])('runs jobs on the calling thread with one warning when %s', async (_, options) => {
    await using world = new NumberPool(options);
    const jobs = [sumJob(100, 10), sumJob(200, 10)];
    await Promise.all(jobs.map((job) => world.run(job)));
    await world.run(jobs[0]!);
    for (const job of jobs) {
      expect(writtenBy(job, world.words)).toEqual(expectedOf(job, world.words));
    }
    expect(world.warnings).toEqual(['threads_unavailable']);
    expect(world.causes[0]).toBeDefined();
    expect(world.pool.threads).toBe(0);
    await world.ended();
  });
});
