import { describe, expect, it } from 'vitest';
import { JobProgress } from '../../../src/coding/pool/job-progress.ts';

const of = (...stages: readonly (readonly string[])[]): JobProgress<string> =>
  new JobProgress({ stages, cost: 1 });

describe('JobProgress', () => {
  it.each([[[]], [[[]]], [[[], []]]])('is done from the start with stages %j', (stages) => {
    expect(of(...stages).isDone).toBe(true);
    expect(of(...stages).take()).toBeUndefined();
  });

  it('gives out one stage after the other, empty ones left out', () => {
    const progress = of([], ['a', 'b'], [], ['c'], []);
    expect([progress.take(), progress.take(), progress.take()]).toEqual(['a', 'b', undefined]);
    expect(progress.settle()).toBe(false);
    expect(progress.readyCount).toBe(0);
    expect(progress.settle()).toBe(true);
    expect(progress.take()).toBe('c');
    expect(progress.settle()).toBe(true);
    expect(progress.isDone).toBe(true);
  });

  it('gives out again what was given back', () => {
    const progress = of(['a', 'b']);
    progress.take();
    progress.take();
    progress.giveBack('a');
    expect(progress.readyCount).toBe(1);
    expect(progress.settle()).toBe(false);
    expect(progress.take()).toBe('a');
    expect(progress.settle()).toBe(true);
  });

  it('waits for one task when it is the last of a stage that another follows', () => {
    const progress = of(['a', 'b'], ['c']);
    progress.take();
    expect(progress.waitsForOne).toBe(false);
    progress.take();
    expect(progress.waitsForOne).toBe(false);
    progress.settle();
    expect(progress.waitsForOne).toBe(true);
    progress.settle();
    progress.take();
    expect(progress.waitsForOne).toBe(false);
  });

  it('gives out nothing once it is dropped, and goes no further', () => {
    const progress = of(['a', 'b'], ['c']);
    progress.take();
    progress.take();
    progress.giveBack('b');
    progress.drop();
    expect(progress.take()).toBeUndefined();
    expect(progress.settle()).toBe(false);
    expect(progress.unsettledCount).toBe(0);
    expect(progress.isDone).toBe(false);
  });

  it('begins anew', () => {
    const progress = of([], ['a'], ['b']);
    progress.take();
    progress.settle();
    progress.take();
    progress.giveBack('b');
    progress.restart();
    expect([progress.take(), progress.take()]).toEqual(['a', undefined]);
  });
});
