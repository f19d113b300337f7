import { describe, expect, it } from 'vitest';
import { RequestQueue } from '../../strategies/request-queue.ts';
import { RetryTable } from '../../strategies/retry-table.ts';
import { recordFailure, takeBackup, takeBatch } from '../../strategies/window-rules.ts';
import { authorityAt } from '../support/fake-network.ts';
import { sourceAt } from './support.ts';

describe('takeBatch', () => {
  it('R31: takes nothing from an empty queue', () => {
    expect(takeBatch(new RequestQueue([]), 0, 3, 0)).toEqual([]);
  });

  it('R32: takes nothing when none is wanted', () => {
    const queue = new RequestQueue([sourceAt(1)]);
    expect(takeBatch(queue, 0, 0, 0)).toEqual([]);
    expect(queue.length).toBe(1);
  });

  it('R34: takes all that wait when more are wanted, from the back', () => {
    const queue = new RequestQueue([sourceAt(1), sourceAt(2), sourceAt(3)]);
    const batch = takeBatch(queue, 1, 10, 0);
    expect(batch.map((source) => source.validatorIndex)).toEqual([3, 2, 1]);
    expect(queue.length).toBe(0);
  });

  it('counts what is live already', () => {
    const queue = new RequestQueue([sourceAt(1), sourceAt(2), sourceAt(3)]);
    expect(takeBatch(queue, 3, 4, 0)).toHaveLength(1);
    expect(takeBatch(queue, 5, 4, 0)).toEqual([]);
  });

  it('passes over a source whose time has not come', () => {
    const queue = new RequestQueue([sourceAt(1)]);
    queue.pushFront(sourceAt(2), 250);
    expect(takeBatch(queue, 0, 2, 0).map((source) => source.validatorIndex)).toEqual([1]);
    expect(takeBatch(queue, 0, 2, 250).map((source) => source.validatorIndex)).toEqual([2]);
  });
});

describe('recordFailure', () => {
  const source = sourceAt(1);
  /** Whether another try is allowed after one failure, and when. */
  function whatFollows(
    type: 'no_such_chunk' | 'invalid' | 'timeout' | 'error' | 'canceled',
    code: string,
  ) {
    const retries = new RetryTable();
    const answer = type === 'no_such_chunk' ? { type } : { type, code, bytes: 0 };
    const delayMs = recordFailure(retries, { source, answer, networkRetries: 'by_code' });
    return { isAllowed: retries.canRetry(source, 2), delayMs };
  }

  it.each(['chunk_hash_mismatch', 'unexpected_end'])(
    'is fatal for an invalid answer (%s)',
    (code) => {
      expect(whatFollows('invalid', code).isAllowed).toBe(false);
    },
  );

  it('X7: is fatal for NoSuchChunk, not for an end of stream without bytes', () => {
    expect(whatFollows('no_such_chunk', '').isAllowed).toBe(false);
    expect(whatFollows('error', 'refused')).toEqual({ isAllowed: true, delayMs: 250 });
  });

  it.each(['negotiate', 'first_byte', 'body'])('counts a timeout while waiting for %s', (stage) => {
    expect(whatFollows('timeout', stage)).toEqual({ isAllowed: true, delayMs: 0 });
  });

  it('counts a canceled request', () => {
    expect(whatFollows('canceled', 'cancelled')).toEqual({ isAllowed: true, delayMs: 0 });
  });

  it.each(['dial_failed', 'unsupported_protocol', 'too_large', 'bad_prefix'])(
    'is fatal for %s',
    (code) => {
      expect(whatFollows('error', code).isAllowed).toBe(false);
    },
  );
});

describe('takeBackup', () => {
  const [a, b, c] = [authorityAt(7), authorityAt(8), authorityAt(9)];

  it('takes the first of whom nothing is on record for this chunk', () => {
    const retries = new RetryTable();
    retries.recordNonFatal(sourceAt(7, 2));
    const backups = [a, b, c];
    expect(takeBackup(backups, sourceAt(2).validatorIndex, retries)).toBe(b);
    expect(backups).toEqual([a, c]);
  });

  it('R38: puts the last in the place of the one that was taken', () => {
    const backups = [a, b, c];
    expect(takeBackup(backups, sourceAt(2).validatorIndex, new RetryTable())).toBe(a);
    expect(backups).toEqual([c, b]);
  });

  it('takes the last one, and then none', () => {
    const backups = [a];
    const retries = new RetryTable();
    expect(takeBackup(backups, sourceAt(2).validatorIndex, retries)).toBe(a);
    expect(takeBackup(backups, sourceAt(2).validatorIndex, retries)).toBeUndefined();
    expect(backups).toEqual([]);
  });

  it('leaves the list alone when all are on record', () => {
    const retries = new RetryTable();
    retries.recordFatal(sourceAt(7, 2));
    const backups = [a];
    expect(takeBackup(backups, sourceAt(2).validatorIndex, retries)).toBeUndefined();
    expect(backups).toEqual([a]);
  });
});
