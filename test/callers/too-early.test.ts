import { describe, expect, it } from 'vitest';
import { looksTooEarly } from '../../src/callers/too-early.ts';
import type { AnswerType } from '../../src/recovery/labels.ts';
import { accountOf, failure } from './support.ts';

describe('looksTooEarly', () => {
  it.each<[readonly (AnswerType | undefined)[], boolean]>([
    [['no_such_chunk', 'no_such_chunk', 'timeout'], true],
    [['no_such_data', 'no_such_chunk'], true],
    // Some have their chunks already, some attempts were taken back or are still open.
    [['success', 'success', 'success', 'no_such_chunk', 'canceled', undefined], true],
    [['no_such_chunk', 'timeout'], false],
    [['timeout', 'error', 'invalid'], false],
    [['success', 'canceled'], false],
    [[], false],
  ])('F-33: takes %j for it: %s', (answers, expected) => {
    expect(looksTooEarly(failure('unavailable', accountOf(answers)))).toBe(expected);
  });

  it('says it of nothing but unavailable', () => {
    const account = accountOf(['no_such_chunk']);
    expect(looksTooEarly(failure('invalid', account))).toBe(false);
    expect(looksTooEarly(failure('local_fault', account))).toBe(false);
    expect(looksTooEarly(new TypeError('unavailable'))).toBe(false);
    expect(looksTooEarly(undefined)).toBe(false);
  });
});
