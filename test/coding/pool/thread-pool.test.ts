import { concat, defer, of } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { hasCode } from '../../../src/primitives/errors.ts';
import { FakePool, jobOf, movableJob } from './fake-pool.ts';

/** A pool whose workers are ready and have nothing to do. */
function readyPool(options: ConstructorParameters<typeof FakePool>[0] = {}): FakePool {
  const fake = new FakePool(options);
  const { subscription } = fake.run(jobOf('warm', options.threads ?? 2));
  fake.threads.getReady();
  fake.drain();
  subscription.unsubscribe();
  fake.there.length = 0;
  return fake;
}

describe('ThreadPool', () => {
  it('is cold: no worker starts before a large job is subscribed to', () => {
    const fake = new FakePool();
    const stream = fake.pool.run(jobOf('a', 3));
    expect(fake.threads.all).toHaveLength(0);
    const subscription = stream.subscribe(() => undefined);
    expect(fake.threads.all).toHaveLength(2);
    subscription.unsubscribe();
  });

  it('starts no more workers than there are tasks', () => {
    const fake = new FakePool({ threads: 4 });
    fake.run(jobOf('a', 1));
    expect(fake.threads.all).toHaveLength(1);
    fake.run(jobOf('b', 2));
    expect(fake.threads.all).toHaveLength(3);
  });

  it('runs a small job, and an empty one, on the calling thread while it is subscribed to', () => {
    const fake = new FakePool({ smallJobMs: 2 });
    expect(fake.run({ stages: [['a', 'b'], ['c']], cost: 1.9 }).log).toEqual(['complete', 'idle']);
    expect(fake.run({ stages: [[], []], cost: 100 }).log).toEqual(['complete', 'idle']);
    expect(fake.here).toEqual(['a', 'b', 'c']);
    expect(fake.threads.all).toHaveLength(0);
  });

  it('runs everything on the calling thread with no threads, without a warning', () => {
    const fake = new FakePool({ threads: 0, startThread: undefined });
    expect(fake.run(jobOf('a', 2)).log).toEqual(['complete', 'idle']);
    expect(fake.pool.threads).toBe(0);
    expect(fake.warnings).toEqual([]);
  });

  it.each([-1, 1.5, 65, Number.NaN])('refuses %s threads', (threads) => {
    expect(() => new FakePool({ threads })).toThrow(RangeError);
  });

  it('begins a stage when all tasks of the one before have ended', () => {
    const fake = new FakePool();
    const { log } = fake.run(jobOf('a', 2, 0, 2));
    fake.threads.getReady();
    const [first, second] = fake.threads.all;
    expect([first?.begin(), second?.begin()]).toEqual(['a0', 'a1']);
    first?.finish();
    expect(first?.begin()).toBeUndefined();
    second?.finish();
    expect([second?.begin(), first?.begin()].sort()).toEqual(['a2', 'a3']);
    expect(log).toEqual([]);
    fake.drain();
    expect(log).toEqual(['complete', 'idle']);
    expect(fake.here).toEqual([]);
  });

  it('gives an idle worker the task that waits behind another one', () => {
    const fake = new FakePool();
    fake.run(jobOf('a', 2));
    const [first, second] = fake.threads.all;
    first?.getReady();
    first?.begin();
    expect(first?.waiting).toEqual(['a1']);
    second?.getReady();
    expect(second?.begin()).toBe('a1');
    first?.finish();
    expect(first?.begin()).toBeUndefined();
  });

  it('gives a worker one task behind the one at hand, never two', () => {
    const fake = new FakePool({ threads: 1 });
    fake.run(jobOf('a', 5));
    fake.threads.getReady();
    expect(fake.threads.all[0]?.waiting).toEqual(['a0', 'a1']);
    fake.threads.all[0]?.begin();
    expect(fake.threads.all[0]?.waiting).toEqual(['a1']);
  });

  it('tells the owner of the memory after the result was read behind a concat', () => {
    const fake = new FakePool();
    const log: string[] = [];
    concat(
      fake.pool.run(jobOf('a', 2), { onIdle: () => log.push('idle') }),
      defer(() => of(log.push('read'))),
    ).subscribe(() => log.push('value'));
    fake.threads.getReady();
    fake.drain();
    expect(log).toEqual(['read', 'value', 'idle']);
  });

  it('holds the process only while a job waits', () => {
    const fake = new FakePool();
    const { subscription } = fake.run(jobOf('a', 4));
    fake.threads.getReady();
    expect(fake.threads.all.map(({ isHeld }) => isHeld)).toEqual([true, true]);
    fake.threads.all[0]?.begin();
    subscription.unsubscribe();
    expect(fake.threads.all.map(({ isHeld }) => isHeld)).toEqual([false, false]);
    fake.run(jobOf('b', 1));
    expect(fake.threads.all.map(({ isHeld }) => isHeld)).toEqual([true, true]);
    fake.drain();
    expect(fake.threads.all.map(({ isHeld }) => isHeld)).toEqual([false, false]);
  });
});

describe('fairness of ThreadPool', () => {
  it.each([1, 2, 4])('lets a small job wait for one task of a large one, %i threads', (threads) => {
    const fake = readyPool({ threads });
    fake.run(jobOf('large', 100));
    for (const thread of fake.threads.all) {
      thread.step();
      thread.begin();
    }
    const { log } = fake.run(jobOf('small', 1));
    for (const thread of fake.threads.all) {
      thread.finish();
    }
    expect(fake.threads.all.map((thread) => thread.begin())).toContain('small0');
    for (const thread of fake.threads.all) {
      thread.finish();
    }
    expect(log).toEqual(['complete', 'idle']);
  });

  it('lets a small job of several stages wait for one task of a large one in all', () => {
    const fake = readyPool({ threads: 1 });
    fake.run(jobOf('large', 100));
    const [thread] = fake.threads.all;
    thread?.begin();
    fake.run(jobOf('small', 1, 1, 1));
    thread?.finish();
    expect([thread?.step(), thread?.step(), thread?.step()]).toEqual([
      'small0',
      'small1',
      'small2',
    ]);
    expect(thread?.step()).toMatch(/^large/);
  });

  it('ends a job of one task after at most threads + 1 further tasks of one of a hundred', () => {
    const fake = readyPool({ threads: 3 });
    fake.run(jobOf('large', 100));
    const inTurn = [...fake.threads.all].reverse();
    for (const thread of inTurn) {
      thread.step();
      thread.begin();
    }
    const before = fake.there.length;
    const { log } = fake.run(jobOf('small', 1));
    while (log.length === 0) {
      for (const thread of inTurn) {
        thread.finish();
        thread.begin();
      }
    }
    expect(fake.there.indexOf('small0') - before).toBeLessThanOrEqual(4);
  });

  it('serves large jobs in turn', () => {
    const fake = readyPool({ threads: 1 });
    fake.run(jobOf('a', 4));
    fake.run(jobOf('b', 4));
    fake.run(jobOf('c', 4));
    const letters = fake.drain().map((task) => task[0]);
    expect(letters).toHaveLength(12);
    for (const letter of ['a', 'b', 'c']) {
      const places = letters.flatMap((one, place) => (one === letter ? [place] : []));
      const gaps = places.slice(1).map((place, i) => place - (places[i] ?? 0));
      expect(Math.max(...gaps), letter).toBeLessThanOrEqual(4);
    }
  });

  it('keeps a large job going under a stream of newcomers', () => {
    const fake = readyPool({ threads: 1 });
    fake.run(jobOf('large', 50));
    const begun: string[] = [];
    for (let i = 0; i < 20; i += 1) {
      fake.run(jobOf(`new${i}-`, 1));
      fake.run(jobOf(`more${i}-`, 1));
      begun.push(fake.threads.all[0]?.step() ?? '');
    }
    expect(begun.filter((task) => task.startsWith('large')).length).toBeGreaterThanOrEqual(9);
  });
});

describe('leaving a job of ThreadPool', () => {
  it('begins no further task, and tells when the one at hand has ended', () => {
    const fake = readyPool({ threads: 1 });
    const { log, subscription } = fake.run(jobOf('a', 9));
    const [thread] = fake.threads.all;
    thread?.begin();
    subscription.unsubscribe();
    expect(log).toEqual([]);
    thread?.finish();
    expect(log).toEqual(['idle']);
    expect(thread?.begin()).toBeUndefined();
    expect(fake.there).toEqual(['a0']);
  });

  it('tells at once when no task was begun', () => {
    const fake = readyPool({ threads: 1 });
    const { log, subscription } = fake.run(jobOf('a', 9));
    subscription.unsubscribe();
    expect(log).toEqual(['idle']);
    expect(fake.drain()).toEqual([]);
  });

  it('frees the place for the next job after the task at hand', () => {
    const fake = readyPool({ threads: 1 });
    const { subscription } = fake.run(jobOf('a', 9));
    fake.threads.all[0]?.begin();
    const other = fake.run(jobOf('b', 1));
    subscription.unsubscribe();
    fake.threads.all[0]?.finish();
    expect(fake.threads.all[0]?.step()).toBe('b0');
    expect(other.log).toEqual(['complete', 'idle']);
  });

  it('bears being left again and again while a worker is busy', () => {
    const fake = readyPool({ threads: 1 });
    fake.run(jobOf('large', 1));
    fake.threads.all[0]?.begin();
    for (let i = 0; i < 100; i += 1) {
      fake.run(jobOf(`left${i}-`, 2)).subscription.unsubscribe();
    }
    expect(fake.threads.all[0]?.waiting.length).toBeLessThanOrEqual(16);
    const { log } = fake.run(jobOf('last', 1));
    fake.drain();
    expect(log).toEqual(['complete', 'idle']);
    expect(fake.there).toEqual(['large0', 'last0']);
  });
});

describe('dying workers of ThreadPool', () => {
  it('has the task at hand done on the calling thread, and the one behind it by another worker', () => {
    const fake = readyPool({ threads: 1 });
    const { log } = fake.run(jobOf('a', 4));
    fake.threads.all[0]?.begin();
    fake.threads.all[0]?.end();
    expect(fake.threads.all).toHaveLength(2);
    expect(fake.here).toEqual([]);
    fake.turns.end();
    expect(fake.here).toEqual(['a0']);
    fake.threads.all[1]?.getReady();
    fake.drain();
    expect([...fake.there].sort()).toEqual(['a1', 'a2', 'a3']);
    expect(log).toEqual(['complete', 'idle']);
    expect(fake.warnings).toEqual([]);
    expect(fake.pool.tally).toEqual({ started: 2, deaths: 1, redone: 1 });
  });

  it('does one task per turn of the event loop on the calling thread', () => {
    const fake = readyPool();
    fake.run(jobOf('a', 2));
    for (const thread of fake.threads.all.slice(0, 2)) {
      thread.begin();
      thread.end();
    }
    expect(fake.turns.end()).toBe(1);
    expect(fake.here).toHaveLength(1);
    expect(fake.turns.end()).toBe(1);
    expect(fake.here).toHaveLength(2);
  });

  it('gives up after three that did nothing in between, with one warning', () => {
    const fake = new FakePool();
    const { log } = fake.run(jobOf('a', 12));
    for (let i = 0; i < 3; i += 1) {
      const thread = fake.threads.alive.find(({ isTerminated }) => !isTerminated);
      thread?.getReady();
      thread?.begin();
      thread?.end(`death ${i}`);
    }
    expect(fake.warnings).toEqual(['threads_given_up']);
    expect(fake.causes).toEqual(['death 2']);
    expect(fake.pool.threads).toBe(0);
    fake.threads.reap();
    fake.drain();
    expect(log).toEqual(['complete', 'idle']);
    expect([...fake.here].sort()).toEqual([...new Set(fake.here)].sort());
    expect(fake.here).toHaveLength(12);
    expect(fake.run(jobOf('b', 2)).log).toEqual(['complete', 'idle']);
    expect(fake.threads.alive).toEqual([]);
  });

  it('goes on replacing workers as long as tasks are done in between', () => {
    const fake = readyPool({ threads: 1 });
    const { log } = fake.run(jobOf('a', 20));
    for (let i = 0; i < 6; i += 1) {
      const thread = fake.threads.alive[0];
      thread?.step();
      thread?.begin();
      thread?.end();
      fake.threads.alive[0]?.getReady();
    }
    fake.drain();
    expect(log).toEqual(['complete', 'idle']);
    expect(fake.pool.tally).toEqual({ started: 7, deaths: 6, redone: 6 });
    expect(fake.warnings).toEqual([]);
  });

  it('tells the owner of a job that was left when the worker with its task has ended', () => {
    const fake = readyPool({ threads: 1 });
    const { log, subscription } = fake.run(jobOf('a', 4));
    fake.threads.all[0]?.begin();
    subscription.unsubscribe();
    expect(log).toEqual([]);
    fake.threads.all[0]?.end();
    expect(log).toEqual(['idle']);
    expect(fake.drain()).toEqual([]);
    expect(fake.here).toEqual([]);
  });
});

describe('failing tasks of ThreadPool', () => {
  it('does a task again that threw on a worker, with one warning', () => {
    const fake = readyPool();
    fake.threads.runTask = (task) => {
      if (task === 'a1' || task === 'a2') {
        throw new RangeError('no memory');
      }
    };
    const { log } = fake.run(jobOf('a', 4));
    fake.drain();
    expect(log).toEqual(['complete', 'idle']);
    expect(fake.here).toEqual(['a1', 'a2']);
    expect(fake.warnings).toEqual(['task_failed']);
  });

  it('ends the job with the error of a task that throws on the calling thread too', () => {
    const fake = readyPool({ threads: 2 });
    const fault = new RangeError('no memory');
    fake.threads.runTask = (task) => {
      if (task === 'a0') {
        throw fault;
      }
    };
    fake.runHere = () => {
      throw fault;
    };
    const { log } = fake.run(jobOf('a', 9));
    const first = fake.threads.all.find(({ waiting }) => waiting.includes('a0'));
    const second = fake.threads.all.find((thread) => thread !== first);
    second?.begin();
    first?.step();
    fake.turns.end();
    expect(log).toEqual([['error', fault]]);
    second?.finish();
    expect(log).toEqual([['error', fault], 'idle']);
    expect(fake.drain()).toEqual([]);
  });

  it('does on the calling thread what cannot be sent', () => {
    const fake = new FakePool({ threads: 1 });
    const { log } = fake.run(jobOf('a', 2));
    const [thread] = fake.threads.all;
    const post = thread!.post.bind(thread);
    thread!.post = (message) => {
      if (message.type === 'task' && message.task === 'a0') {
        throw new DOMException('could not be cloned', 'DataCloneError');
      }
      post(message);
    };
    fake.threads.getReady();
    fake.drain();
    expect(log).toEqual(['complete', 'idle']);
    expect(fake.here).toEqual(['a0']);
    expect(fake.there).toEqual(['a1']);
  });
});

describe('workers of ThreadPool that do not start', () => {
  const refused = new Error('refused by policy');

  it.each([
    ['a host without workers', { startThread: undefined }],
    [
      'a memory that has no room for one',
      {
        setupOf: () => {
          throw new RangeError('no room');
        },
      },
    ],
  ])('does without: %s', (_, options) => {
    const fake = new FakePool(options);
    const { log } = fake.run(jobOf('a', 2));
    fake.drain();
    expect(log).toEqual(['complete', 'idle']);
    expect(fake.here).toEqual(['a0', 'a1']);
    expect(fake.warnings).toEqual(['threads_unavailable']);
    expect(fake.pool.threads).toBe(0);
  });

  it('does without when the host refuses', () => {
    const fake = new FakePool();
    fake.threads.refusal = refused;
    const { log } = fake.run(jobOf('a', 2));
    fake.drain();
    expect(log).toEqual(['complete', 'idle']);
    expect(fake.warnings).toEqual(['threads_unavailable']);
    expect(fake.causes).toEqual([refused]);
  });

  it.each(['ends', 'says so'])('does without when every worker %s', (how) => {
    const fake = new FakePool();
    const { log } = fake.run(jobOf('a', 3));
    for (const thread of fake.threads.all) {
      if (how === 'ends') {
        thread.end(refused);
      } else {
        thread.refuse('no kernel');
        thread.end('exit code 1');
      }
    }
    fake.drain();
    expect(log).toEqual(['complete', 'idle']);
    expect(fake.here).toEqual(['a0', 'a1', 'a2']);
    expect(fake.warnings).toEqual(['threads_unavailable']);
    expect(fake.causes).toEqual([how === 'ends' ? refused : 'no kernel']);
    expect(fake.threads.alive).toEqual([]);
  });

  it('does without when the host refuses to replace those that died', () => {
    const fake = readyPool();
    const { log } = fake.run(jobOf('a', 3));
    fake.threads.refusal = refused;
    for (const thread of fake.threads.all) {
      thread.end();
    }
    fake.drain();
    expect(log).toEqual(['complete', 'idle']);
    expect(fake.warnings).toEqual(['threads_unavailable']);
    expect(fake.causes).toEqual([refused]);
  });

  it('tries again when one of several does not start', () => {
    const fake = readyPool();
    fake.threads.all[0]?.end();
    const { log } = fake.run(jobOf('a', 9));
    fake.threads.all[2]?.end(refused);
    expect(fake.threads.all).toHaveLength(4);
    fake.threads.all[3]?.getReady();
    fake.drain();
    expect(log).toEqual(['complete', 'idle']);
    expect(fake.warnings).toEqual([]);
    expect(fake.pool.threads).toBe(2);
  });

  it('goes on with those that start', () => {
    const fake = new FakePool();
    const { log } = fake.run(jobOf('a', 3));
    fake.threads.all[0]?.end(refused);
    fake.threads.all[1]?.getReady();
    fake.drain();
    expect(log).toEqual(['complete', 'idle']);
    expect(fake.here).toEqual([]);
    expect(fake.warnings).toEqual([]);
    expect(fake.threads.all).toHaveLength(2);
  });
});

describe('closing ThreadPool', () => {
  it('ends jobs and workers, and tells the owner when the worker has ended', () => {
    const fake = readyPool({ threads: 2 });
    const { log } = fake.run(jobOf('a', 9));
    const other = fake.run(jobOf('b', 1));
    fake.threads.all[0]?.begin();
    fake.pool.close();
    fake.pool.close();
    expect(log).toEqual([['error', expect.objectContaining({ code: 'runner_closed' })]]);
    expect(other.log).toHaveLength(2);
    expect(fake.threads.all.every(({ isTerminated }) => isTerminated)).toBe(true);
    fake.threads.reap();
    expect(log).toHaveLength(2);
    expect(fake.drain()).toEqual([]);
    expect(fake.here).toEqual([]);
    expect(fake.threads.all).toHaveLength(2);
  });

  it('refuses jobs from then on, small ones too', () => {
    const fake = new FakePool();
    fake.pool.close();
    for (const job of [jobOf('a', 2), { stages: [['b']], cost: 0 }]) {
      const { log } = fake.run(job);
      expect(log).toEqual([['error', expect.anything()], 'idle']);
      expect(hasCode((log[0] as unknown[])[1], 'runner_closed')).toBe(true);
    }
    expect(fake.here).toEqual([]);
  });
});

describe('ThreadPool without shared memory', () => {
  const regions = {
    inputs: [{ address: 64, bytes: 2 }],
    outputs: [{ address: 128, bytes: 3 }],
  };

  function ownMemories(threads = 2): FakePool {
    const fake = new FakePool({ isShared: false, threads });
    fake.threads.runTask = (task, { memory }) => {
      fake.there.push(task);
      memory.set([memory[64]! + 1, memory[65]! + 1, 9], 128);
    };
    fake.runHere = () => fake.arena.set([fake.arena[64]! + 1, fake.arena[65]! + 1, 9], 128);
    fake.arena.set([7, 8], 64);
    return fake;
  }

  it('says so once', () => {
    expect(ownMemories().warnings).toEqual(['no_shared_memory']);
  });

  it('sends the inputs, keeps the job with one worker, and takes the outputs', () => {
    const fake = ownMemories();
    const { log } = fake.run(movableJob('a', regions, 2, 2));
    fake.threads.getReady();
    expect(fake.threads.all[0]?.waiting).toEqual(['a0']);
    expect(fake.threads.all[1]?.waiting).toEqual([]);
    fake.threads.all[0]?.begin();
    fake.arena.set([0, 0], 64);
    fake.drain();
    expect(fake.threads.all[0]?.memoryBytes).toBe(4096);
    expect(fake.there).toEqual(['a0', 'a1', 'a2', 'a3']);
    expect(fake.threads.all[1]?.memoryBytes).toBe(0);
    expect([...fake.arena.subarray(128, 131)]).toEqual([8, 9, 9]);
    expect(log).toEqual(['complete', 'idle']);
  });

  it('runs a job that does not say what it reads on the calling thread', () => {
    const fake = ownMemories();
    expect(fake.run(jobOf('a', 2)).log).toEqual(['complete', 'idle']);
    expect(fake.threads.all).toHaveLength(0);
  });

  it('lets jobs with one worker take turns', () => {
    const fake = ownMemories(1);
    fake.run(movableJob('large', regions, 50));
    fake.threads.getReady();
    fake.threads.all[0]?.begin();
    const { log } = fake.run(movableJob('small', regions, 1));
    fake.threads.all[0]?.finish();
    expect(fake.threads.all[0]?.step()).toBe('small0');
    fake.threads.all[0]?.begin();
    expect(log).toEqual(['complete', 'idle']);
  });

  it('begins a job anew on the calling thread when its worker dies', () => {
    const fake = ownMemories();
    const { log } = fake.run(movableJob('a', regions, 2, 2));
    const other = fake.run(movableJob('b', regions, 1));
    fake.threads.getReady();
    fake.threads.all[0]?.step();
    fake.threads.all[0]?.step();
    fake.threads.all[0]?.begin();
    fake.threads.all[0]?.end();
    fake.drain();
    expect([...fake.here].sort()).toEqual(['a0', 'a1', 'a2', 'a3']);
    expect([...fake.arena.subarray(128, 131)]).toEqual([8, 9, 9]);
    expect(log).toEqual(['complete', 'idle']);
    expect(other.log).toEqual(['complete', 'idle']);
  });

  it('takes no results for a job that was left', () => {
    const fake = ownMemories(1);
    const { log, subscription } = fake.run(movableJob('a', regions, 1));
    fake.threads.getReady();
    fake.threads.all[0]?.begin();
    fake.threads.all[0]?.finish();
    subscription.unsubscribe();
    fake.drain();
    expect(log).toEqual(['idle']);
    expect([...fake.arena.subarray(128, 131)]).toEqual([0, 0, 0]);
  });
});
