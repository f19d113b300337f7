/**
 * @module
 * A job's memory is its own from the moment it has it until its result was read and no task runs.
 */

import { describe, expect, it } from 'vitest';
import { type ReadyJob, runOnLease } from '../../src/coding/arena-job.ts';
import { type Arena, ArenaQueue } from '../../src/coding/arena-queue.ts';
import { inlineRunner } from '../../src/coding/job-runner.ts';
import type { CodingRunner, Task } from '../../src/coding/tasks.ts';
import { stepRunner } from './step-runner.ts';

/** Room for one region; logs what happens to it. */
function oneRegion(log: string[]): Arena {
  let isTaken = false;
  return {
    take: () => {
      if (isTaken) {
        return undefined;
      }
      isTaken = true;
      log.push('take');
      return 64;
    },
    give: () => {
      isTaken = false;
      log.push('give');
    },
  };
}

const TASK: Task = {
  type: 'hash_rows',
  job: { rows: new Uint32Array(0), bytes: 0, digests: new Uint32Array(0) },
};

function ready(log: string[], name: string): ReadyJob<string> {
  return {
    job: { stages: [[TASK], [], [TASK]], cost: 1 },
    finish: () => {
      log.push(`finish ${name}`);
      return name;
    },
  };
}

/** Asks for a job that logs its result. */
function ask(place: { queue: ArenaQueue; runner: CodingRunner }, log: string[], name: string) {
  return runOnLease(place, { byteCount: () => 1 }, () => ready(log, name)).subscribe({
    next: (value) => log.push(`value ${value}`),
    error: (error: unknown) => log.push(String(error)),
  });
}

describe('runOnLease', () => {
  it('reads the result before the memory goes to the next job, at once', () => {
    const log: string[] = [];
    const queue = new ArenaQueue(oneRegion(log));
    const runner = inlineRunner<Task>(() => log.push('task'));
    const blocker: (() => void)[] = [];
    queue.lease({ byteCount: () => 1 }).subscribe((lease) => blocker.push(lease.release));
    ask({ queue, runner }, log, 'a');
    ask({ queue, runner }, log, 'b');
    expect(log).toEqual(['take']);
    blocker[0]?.();
    const job = (name: string): string[] => ['task', 'task', `finish ${name}`, `value ${name}`];
    expect(log).toEqual(['take', 'give', 'take', ...job('a'), 'give', 'take', ...job('b'), 'give']);
  });

  it('reads the result before the memory goes to the next job, in steps', () => {
    const log: string[] = [];
    const queue = new ArenaQueue(oneRegion(log));
    const runner = stepRunner(() => log.push('task'));
    ask({ queue, runner }, log, 'a');
    ask({ queue, runner }, log, 'b');
    while (runner.step()) {
      // All tasks.
    }
    const job = (name: string): string[] => [
      'take',
      'task',
      'task',
      `finish ${name}`,
      `value ${name}`,
      'give',
    ];
    expect(log).toEqual([...job('a'), ...job('b')]);
  });

  it('gives the memory back when the job cannot be made', () => {
    const log: string[] = [];
    const queue = new ArenaQueue(oneRegion(log));
    const runner = inlineRunner<Task>(() => undefined);
    runOnLease({ queue, runner }, { byteCount: () => 1 }, () => {
      throw new Error('no job');
    }).subscribe({ error: (error: unknown) => log.push(String(error)) });
    expect(log).toEqual(['take', 'give', 'Error: no job']);
  });

  it('begins no further task of a job that is given up', () => {
    const log: string[] = [];
    const queue = new ArenaQueue(oneRegion(log));
    const runner = stepRunner(() => log.push('task'));
    const asking = ask({ queue, runner }, log, 'a');
    runner.step(() => {
      asking.unsubscribe();
      log.push('given up');
    });
    expect(runner.step()).toBe(false);
    expect(log).toEqual(['take', 'given up', 'task', 'give']);
  });
});
