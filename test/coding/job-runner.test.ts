import { defaultIfEmpty, map, Subject, takeUntil } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { inlineRunner, type JobOf, type JobRunner } from '../../src/coding/job-runner.ts';
import { hasCode } from '../../src/primitives/errors.ts';

const JOB: JobOf<string> = { stages: [['a', 'b'], [], ['c']], cost: 100 };

type Watched = { readonly log: unknown[]; readonly runner: JobRunner<string> };

/** A runner whose tasks are written down. */
function watched(runTask: (task: string) => void = () => undefined): Watched {
  const log: unknown[] = [];
  const runner = inlineRunner<string>((task) => {
    log.push(task);
    runTask(task);
  });
  return { log, runner };
}

describe('inlineRunner', () => {
  it('does all tasks in order while it is subscribed to, once per subscription', () => {
    const { log, runner } = watched();
    const stream = runner.run(JOB, { onIdle: () => log.push('idle') });
    expect(log).toEqual([]);
    stream.subscribe({ complete: () => log.push('complete') });
    expect(log).toEqual(['a', 'b', 'c', 'complete', 'idle']);
    stream.subscribe({ complete: () => log.push('complete') });
    expect(log).toHaveLength(10);
    expect(runner.threads).toBe(0);
  });

  it('tells the owner of the memory after the result was read in the completion', () => {
    const { log, runner } = watched();
    runner
      .run({ stages: [], cost: 0 }, { onIdle: () => log.push('idle') })
      .pipe(
        defaultIfEmpty(undefined),
        map(() => log.push('read')),
      )
      .subscribe(() => log.push('value'));
    expect(log).toEqual(['read', 'value', 'idle']);
  });

  it('begins no task after it was left in the middle', () => {
    const leave = new Subject<void>();
    const { log, runner } = watched((task) => {
      if (task === 'b') {
        leave.next();
      }
    });
    runner
      .run(JOB, { onIdle: () => log.push('idle') })
      .pipe(takeUntil(leave))
      .subscribe({ complete: () => log.push('left') });
    expect(log).toEqual(['a', 'b', 'left', 'idle']);
  });

  it('passes on what a task throws and does no further task', () => {
    const fault = new RangeError('no memory');
    const { log, runner } = watched((task) => {
      if (task === 'b') {
        throw fault;
      }
    });
    runner.run(JOB, { onIdle: () => log.push('idle') }).subscribe({
      error: (error: unknown) => log.push(error),
    });
    expect(log).toEqual(['a', 'b', fault, 'idle']);
  });

  it('refuses jobs once it is closed', () => {
    const { log, runner } = watched();
    runner.close();
    runner.run(JOB, { onIdle: () => log.push('idle') }).subscribe({
      error: (error: unknown) => log.push(hasCode(error, 'runner_closed')),
    });
    expect(log).toEqual([true, 'idle']);
  });
});
