import fc from 'fast-check';
import { Subscription } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { SEED, seeded } from '../../support/seed.ts';
import { FakePool, jobOf, type NamedTask, type Watched } from './fake-pool.ts';
import type { FakeThread } from './fake-thread.ts';

type Step =
  | { readonly type: 'run'; readonly counts: readonly number[]; readonly isFaulty: boolean }
  | { readonly type: 'leave'; readonly which: number }
  | { readonly type: 'ready' | 'refuse' | 'begin' | 'finish' | 'kill'; readonly which: number }
  | { readonly type: 'end_of_turn' };

const which = fc.nat({ max: 20 });
const step = (type: Exclude<Step['type'], 'run' | 'end_of_turn'>): fc.Arbitrary<Step> =>
  which.map((one) => ({ type, which: one }));

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: run() },
  { weight: 2, arbitrary: step('leave') },
  { weight: 3, arbitrary: step('ready') },
  { weight: 8, arbitrary: step('begin') },
  { weight: 8, arbitrary: step('finish') },
  { weight: 1, arbitrary: step('kill') },
  { weight: 1, arbitrary: step('refuse') },
  { weight: 3, arbitrary: fc.constant<Step>({ type: 'end_of_turn' }) },
);

function run(): fc.Arbitrary<Step> {
  return fc.record({
    type: fc.constant('run' as const),
    counts: fc.array(fc.nat({ max: 5 }), { maxLength: 4 }),
    isFaulty: fc.nat({ max: 9 }).map((one) => one === 0),
  });
}

type Watch = Watched & { readonly stages: readonly (readonly NamedTask[])[]; isLeft: boolean };

/** A pool under random steps, and what must hold at each of them. */
class World {
  readonly jobs: Watch[] = [];
  readonly done = new Set<NamedTask>();
  readonly fake: FakePool;
  readonly #isReady = new Set<FakeThread<NamedTask>>();

  readonly #isShared: boolean;

  constructor(threads: number, isShared: boolean) {
    this.#isShared = isShared;
    this.fake = new FakePool({ threads, isShared });
    this.fake.threads.runTask = (task) => this.#did(task);
    this.fake.runHere = (task) => this.#did(task);
  }

  do(one: Step): void {
    if (one.type === 'run') {
      this.#run(one.counts, one.isFaulty);
    } else if (one.type === 'leave') {
      const job = this.jobs[one.which];
      if (job !== undefined) {
        job.isLeft = true;
        job.subscription.unsubscribe();
      }
    } else if (one.type === 'end_of_turn') {
      this.fake.turns.end();
    } else {
      const alive = this.fake.threads.alive;
      const thread = alive[one.which % Math.max(1, alive.length)];
      if (thread !== undefined) {
        this.#steer(one.type, thread);
      }
    }
  }

  #run(counts: readonly number[], isFaulty: boolean): void {
    const { stages, cost } = jobOf(`${isFaulty ? 'faulty' : 'job'}${this.jobs.length}-`, ...counts);
    const region = { address: 0, bytes: 8 };
    const job: Watch = { log: [], subscription: new Subscription(), stages, isLeft: false };
    this.jobs.push(job);
    job.subscription.add(
      this.fake.pool
        .run(
          { stages, cost, inputs: [region], outputs: [region] },
          { onIdle: () => job.log.push('idle') },
        )
        .subscribe({
          error: () => job.log.push('error'),
          complete: () => job.log.push('complete'),
        }),
    );
  }

  #steer(type: 'ready' | 'refuse' | 'begin' | 'finish' | 'kill', thread: FakeThread<NamedTask>) {
    if (type === 'ready' && !this.#isReady.has(thread)) {
      this.#isReady.add(thread);
      thread.getReady();
    } else if (type === 'refuse' && !this.#isReady.has(thread)) {
      thread.refuse('no kernel');
    } else if (type === 'begin' && this.#isReady.has(thread) && thread.atHand === undefined) {
      const task = thread.begin();
      if (task !== undefined && this.#isShared) {
        expect(this.#jobOf(task).isLeft, `${task} begins though its job was left`).toBe(false);
      }
    } else if (type === 'finish') {
      thread.finish();
    } else if (type === 'kill') {
      thread.end();
    }
  }

  /** Checks a task that is being done, here or there. */
  #did(task: NamedTask): void {
    const { stages, log } = this.#jobOf(task);
    const at = stages.findIndex((stage) => stage.includes(task));
    const missing = stages
      .slice(0, at)
      .flat()
      .filter((one) => !this.done.has(one));
    expect(missing, `${task} came before`).toEqual([]);
    expect(log, `${task} came after the memory was given back`).not.toContain('idle');
    if (task.startsWith('faulty') && task.endsWith('-2')) {
      throw new RangeError(task);
    }
    this.done.add(task);
  }

  #jobOf(task: NamedTask): Watch {
    return this.jobs[Number(/\d+/.exec(task)?.[0])]!;
  }

  /** Everybody works until nothing is left; then everything must be as it should. */
  settle(): void {
    for (let round = 0; round < 1_000; round += 1) {
      this.fake.turns.end();
      for (const thread of this.fake.threads.alive) {
        if (thread.isTerminated) {
          thread.end();
        } else {
          this.#steer('ready', thread);
          this.#steer('begin', thread);
          thread.finish();
        }
      }
    }
    for (const [index, { log, stages, isLeft }] of this.jobs.entries()) {
      const isFaulty = stages.flat().some((task) => task === `faulty${index}-2`);
      const end = isFaulty ? 'error' : 'complete';
      expect(log, `job ${index}`).toEqual(isLeft && log.length === 1 ? ['idle'] : [end, 'idle']);
      if (end === 'complete' && !isLeft) {
        expect(stages.flat().filter((task) => !this.done.has(task))).toEqual([]);
      }
    }
    expect(this.fake.threads.alive.filter(({ isHeld }) => isHeld)).toEqual([]);
  }
}

describe('ThreadPool under random jobs, departures, deaths and faults', () => {
  it.each([true, false])(seeded('ends every job rightly; shared memory: %s'), (isShared) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.array(anyStep, { maxLength: 120, size: 'max' }),
        (threads, steps) => {
          const world = new World(threads, isShared);
          for (const one of steps) {
            world.do(one);
          }
          world.settle();
          expect(world.fake.threads.alive.length).toBeLessThanOrEqual(threads);
          world.fake.pool.close();
          world.fake.threads.reap();
          expect(world.fake.threads.alive).toEqual([]);
        },
      ),
      { seed: SEED, numRuns: 150 },
    );
  });

  it(seeded('ends every job when it is closed at any moment'), () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        fc.boolean(),
        fc.array(anyStep, { maxLength: 60, size: 'max' }),
        (threads, isShared, steps) => {
          const world = new World(threads, isShared);
          for (const one of steps) {
            world.do(one);
          }
          world.fake.pool.close();
          world.fake.threads.reap();
          for (const { log } of world.jobs) {
            expect(log.at(-1)).toBe('idle');
            expect(log.filter((entry) => entry === 'idle')).toHaveLength(1);
          }
          expect(world.fake.threads.alive).toEqual([]);
        },
      ),
      { seed: SEED, numRuns: 150 },
    );
  });
});
