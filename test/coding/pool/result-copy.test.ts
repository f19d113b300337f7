import { describe, expect, it } from 'vitest';
import type { JobOf, ResultCopy } from '../../../src/coding/job-runner.ts';
import { FakePool, jobOf } from './fake-pool.ts';

/** A job with a result, on two workers; theirs is the memory with 7 at the place, the arena has 1. */
function withResult(): {
  readonly fake: FakePool;
  readonly log: unknown[];
  readonly leave: () => void;
} {
  const fake = new FakePool();
  fake.arena.set([1, 1], 64);
  const log: unknown[] = [];
  const job: JobOf<string> = { ...jobOf('a', 2), result: { address: 64, bytes: 2 } };
  const subscription = fake.pool.run(job, { onIdle: () => log.push('idle') }).subscribe({
    next: (copy: ResultCopy) => log.push([...copy]),
    error: (error: unknown) => log.push(error),
    complete: () => log.push('complete'),
  });
  fake.threads.getReady();
  for (const thread of fake.threads.all) {
    thread.memory.set([7, 7], 64);
    thread.step();
  }
  return { fake, log, leave: () => subscription.unsubscribe() };
}

describe('the result of a job', () => {
  it('is copied by a worker after the last task', () => {
    const { fake, log } = withResult();
    expect(log).toEqual([]);
    fake.drain();
    expect(log).toEqual([[7, 7], 'complete', 'idle']);
    expect(fake.here).toEqual([]);
  });

  it('is left to the caller when the worker dies over it', () => {
    const { fake, log } = withResult();
    for (const thread of fake.threads.all) {
      thread.end();
    }
    expect(log).toEqual(['complete', 'idle']);
    expect(fake.pool.tally.redone).toBe(0);
  });

  it('is left to the caller when it cannot be asked for', () => {
    const fake = new FakePool({ threads: 1 });
    const log: unknown[] = [];
    fake.pool
      .run({ ...jobOf('a', 1), result: { address: 64, bytes: 1 } })
      .subscribe({ next: (copy) => log.push(copy), complete: () => log.push('complete') });
    const [thread] = fake.threads.all;
    const post = thread!.post.bind(thread);
    thread!.post = (message) => {
      if (message.type === 'fetch') {
        throw new DOMException('could not be sent', 'DataCloneError');
      }
      post(message);
    };
    fake.threads.getReady();
    fake.drain();
    expect(log).toEqual(['complete']);
  });

  it('is no longer wanted when the caller has left', () => {
    const { fake, log, leave } = withResult();
    leave();
    expect(log).toEqual(['idle']);
    fake.drain();
    expect(log).toEqual(['idle']);
  });

  it('does not come when the pool is closed before', () => {
    const { fake, log } = withResult();
    fake.pool.close();
    expect(log).toEqual([expect.objectContaining({ code: 'runner_closed' }), 'idle']);
    fake.drain();
    expect(log).toHaveLength(2);
  });

  it('is left to the caller where the job is small', () => {
    const fake = new FakePool({ smallJobMs: 1000 });
    const log: unknown[] = [];
    fake.pool
      .run({ ...jobOf('a', 2), result: { address: 64, bytes: 2 } })
      .subscribe({ next: (copy) => log.push(copy), complete: () => log.push('complete') });
    expect(log).toEqual(['complete']);
  });

  it('goes to the worker that holds least', () => {
    const fake = new FakePool({ threads: 2 });
    const log: unknown[] = [];
    const warm = fake.run(jobOf('warm', 2));
    fake.threads.getReady();
    fake.drain();
    expect(warm.log).toContain('complete');
    fake.pool
      .run({ ...jobOf('a', 1), result: { address: 64, bytes: 1 } })
      .subscribe({ next: (copy) => log.push([...copy]) });
    fake.run(jobOf('b', 1));
    const [one, other] = fake.threads.all;
    one?.memory.set([1], 64);
    other?.memory.set([2], 64);
    const [first, second] = one?.waiting[0] === 'a0' ? [one, other] : [other, one];
    first?.step();
    first?.begin();
    expect(log).toEqual([[first === one ? 1 : 2]]);
    expect(second?.waiting).toEqual(['b0']);
  });
});
