import { describe, expect, it } from 'vitest';
import { RetryTable } from '../../strategies/retry-table.ts';
import { sourceAt } from './support.ts';

describe('RetryTable', () => {
  it('R27: allows whatever is not on record, counts failures up, and never forgives a fatal one', () => {
    const retries = new RetryTable();
    const key = sourceAt(1);
    expect([retries.canRetry(key, 2), retries.canRetry(key, 0)]).toEqual([true, true]);
    retries.recordNonFatal(key);
    expect(retries.canRetry(key, 2)).toBe(true);
    retries.recordNonFatal(key);
    expect(retries.canRetry(key, 2)).toBe(false);
    retries.recordNonFatal(key);
    expect([retries.canRetry(key, 2), retries.canRetry(key, 5)]).toEqual([false, true]);
    const other = sourceAt(2);
    retries.recordFatal(other);
    expect(retries.canRetry(other, 5)).toBe(false);
    retries.recordNonFatal(other);
    expect(retries.canRetry(other, 5)).toBe(false);
    const unrelated = sourceAt(3);
    expect([retries.canRetry(unrelated, 0), retries.canRetry(unrelated, 2)]).toEqual([true, true]);
  });

  it('makes a counted failure fatal', () => {
    const retries = new RetryTable();
    retries.recordNonFatal(sourceAt(1));
    retries.recordFatal(sourceAt(1));
    expect(retries.canRetry(sourceAt(1), 5)).toBe(false);
  });

  it('keeps an authority apart by the validator whose chunk it is asked for', () => {
    const retries = new RetryTable();
    retries.recordFatal(sourceAt(1, 2));
    expect([retries.has(sourceAt(1, 2)), retries.has(sourceAt(1, 1))]).toEqual([true, false]);
    expect(retries.has(sourceAt(2, 2))).toBe(false);
  });

  it('keeps keys apart whose texts run together', () => {
    const retries = new RetryTable();
    retries.recordFatal(sourceAt(11, 1));
    expect(retries.has(sourceAt(1, 11))).toBe(false);
  });
});
