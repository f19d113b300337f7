import { VirtualTimeScheduler } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { CODING_V1 } from '../src/coding/coding.ts';
import type { ErasureWork } from '../src/coding/erasure-work.ts';
import { realRuntime, workFor } from '../src/create-recovery.ts';
import { testCandidate } from './support/candidate-world.ts';

const { chunks, erasureRoot } = testCandidate({ validatorCount: 7 });

/** Asks about a chunk, and says what was answered in that turn and in the end. */
async function answers(work: ErasureWork): Promise<{ atOnce: number; atTheEnd: number }> {
  const recovery = work.open({ coding: CODING_V1([]), erasureRoot, validatorCount: 7 });
  let count = 0;
  const ended = new Promise<void>((complete, error) => {
    recovery.verify(chunks[0]!).subscribe({ next: () => (count += 1), error, complete });
  });
  const atOnce = count;
  await ended;
  recovery.close();
  work.close?.();
  return { atOnce, atTheEnd: count };
}

describe('workFor', () => {
  it.each(['scalar', undefined] as const)(
    'answers in the turn of the asking where the time is virtual (%s)',
    async (engine) => {
      const runtime = { ...realRuntime(), scheduler: new VirtualTimeScheduler() };
      const options = engine === undefined ? {} : { engine };
      expect(await answers(workFor(options, { runtime }))).toEqual({ atOnce: 1, atTheEnd: 1 });
    },
  );

  it('waits for the other chunks of the turn where the time is real, without workers too', async () => {
    expect(await answers(workFor({ workers: 0 }))).toEqual({ atOnce: 0, atTheEnd: 1 });
  });
});
