/**
 * @module
 * Waiting chunks are judged together, one batch at a time, and answered in the order of asking.
 */

import { type Observable, of, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { ProofQueue, type ProofQueueOptions } from '../../src/coding/proof-queue.ts';
import type { VerifyChunkAnswer } from '../../src/commitment/verify-chunk.ts';
import type { Chunk } from '../../src/primitives/chunk.ts';
import { chunkIndex } from '../../src/primitives/ids.ts';

const chunk = (index: number): Chunk => ({
  bytes: new Uint8Array(2),
  chunkIndex: chunkIndex(index),
  proof: [],
});

const ANSWER: VerifyChunkAnswer = { type: 'invalid', reason: 'invalid_branch_proof' };

const answersTo = (chunks: readonly Chunk[]): VerifyChunkAnswer[] => chunks.map(() => ANSWER);

/** A queue that logs batches; the turn ends when `endTurn` is called. */
function newQueue(
  judge: (chunks: readonly Chunk[]) => Observable<readonly VerifyChunkAnswer[]>,
  drainTime: ProofQueueOptions<Chunk>['drainTime'] = 'end_of_turn',
): {
  queue: ProofQueue<Chunk>;
  dropped: number[];
  batches: number[][];
  ask: (index: number) => () => void;
  log: string[];
  endTurn: () => void;
} {
  const batches: number[][] = [];
  const log: string[] = [];
  const dropped: number[] = [];
  const waiting = new Set<() => void>();
  const queue = new ProofQueue({
    drainTime,
    endOfTurn: (callback) => {
      waiting.add(callback);
      return () => waiting.delete(callback);
    },
    own: (one) => one,
    drop: (one) => dropped.push(one.chunkIndex),
    judge: (chunks) => {
      batches.push(chunks.map((one) => one.chunkIndex));
      return judge(chunks);
    },
  });
  return {
    queue,
    batches,
    dropped,
    log,
    ask: (index) => {
      const asking = queue.ask(chunk(index)).subscribe({
        next: () => log.push(`${index}`),
        error: (error: unknown) => log.push(`${index} ${String(error)}`),
      });
      return () => asking.unsubscribe();
    },
    endTurn: () => {
      const due = [...waiting];
      waiting.clear();
      for (const callback of due) {
        callback();
      }
    },
  };
}

describe('ProofQueue', () => {
  it('judges all that came in a turn together, at its end', () => {
    const { ask, batches, log, endTurn } = newQueue((chunks) => of(answersTo(chunks)));
    ask(1);
    ask(2);
    ask(3);
    expect(batches).toEqual([]);
    endTurn();
    expect(batches).toEqual([[1, 2, 3]]);
    expect(log).toEqual(['1', '2', '3']);
  });

  it('judges each at once if it is to', () => {
    const { ask, batches } = newQueue((chunks) => of(answersTo(chunks)), 'at_once');
    ask(1);
    ask(2);
    expect(batches).toEqual([[1], [2]]);
  });

  it('has one batch judged at a time; what comes meanwhile waits together', () => {
    const judged: Subject<readonly VerifyChunkAnswer[]>[] = [];
    const { ask, batches, log } = newQueue(() => {
      judged.push(new Subject());
      return judged.at(-1)!;
    }, 'at_once');
    ask(1);
    ask(2);
    ask(3);
    expect(batches).toEqual([[1]]);
    judged[0]?.next([ANSWER]);
    judged[0]?.complete();
    expect(batches).toEqual([[1], [2, 3]]);
    expect(log).toEqual(['1']);
  });

  it('judges nothing for those who left before', () => {
    const { ask, batches, dropped, endTurn } = newQueue((chunks) => of(answersTo(chunks)));
    ask(1)();
    ask(2);
    endTurn();
    expect(batches).toEqual([[2]]);
    ask(3)();
    endTurn();
    expect(batches).toEqual([[2]]);
    expect(dropped, 'and says so').toEqual([1, 3]);
  });

  it('tells everybody of the batch when judging fails, and goes on', () => {
    let isBroken = true;
    const { ask, log, endTurn } = newQueue((chunks) => {
      if (isBroken) {
        throw new Error('broken');
      }
      return of(answersTo(chunks));
    });
    ask(1);
    ask(2);
    endTurn();
    isBroken = false;
    ask(3);
    endTurn();
    expect(log).toEqual(['1 Error: broken', '2 Error: broken', '3']);
  });

  it('takes too few answers for a fault', () => {
    const { ask, log, endTurn } = newQueue(() => of([ANSWER]));
    ask(1);
    ask(2);
    endTurn();
    const fault = 'RangeError: answers: expected 2, got 1';
    expect(log).toEqual([`1 ${fault}`, `2 ${fault}`]);
  });

  it('hands those who asked for several their own answers, and takes all in one batch', () => {
    const { ask, queue, batches, log, endTurn } = newQueue((chunks) =>
      of(chunks.map(() => ANSWER)),
    );
    const counts: number[] = [];
    ask(1);
    queue.askAll([chunk(2), chunk(3)]).subscribe((answers) => counts.push(answers.length));
    queue.askAll([]).subscribe((answers) => counts.push(answers.length));
    const leaver = queue.askAll([chunk(4), chunk(5)]).subscribe(() => counts.push(-1));
    ask(6);
    leaver.unsubscribe();
    endTurn();
    expect(batches).toEqual([[1, 2, 3, 6]]);
    expect(log).toEqual(['1', '6']);
    expect(counts).toEqual([0, 2]);
  });

  it('gives everything up when it is closed', () => {
    const judged = new Subject<readonly VerifyChunkAnswer[]>();
    const { queue, ask, batches, log } = newQueue(() => judged, 'at_once');
    ask(1);
    ask(2);
    queue.close(() => new Error('closed'));
    expect(judged.observed).toBe(false);
    expect(batches).toEqual([[1]]);
    ask(3);
    expect(log).toEqual(['1', '2', '3'].map((index) => `${index} Error: closed`));
  });
});
