import { describe, expect, it } from 'vitest';
import {
  type CandidateState,
  DEFAULT_RETENTION,
  finalized,
  firstSeen,
  included,
  isExpired,
  retracted,
} from '../../src/store/lifecycle.ts';

const HOUR_MS = 3_600_000;
const a = { number: 10, hash: 'aa'.repeat(32) };
const b = { number: 10, hash: 'bb'.repeat(32) };
const c = { number: 9, hash: 'cc'.repeat(32) };
const seen = firstSeen(1_000);

describe('included', () => {
  it('goes from unavailable to unfinalized and keeps the time', () => {
    expect(included(seen, a)).toEqual({ type: 'unfinalized', sinceMs: 1_000, blocks: [a] });
  });

  it('keeps the blocks of all forks in order, each once', () => {
    const state = [b, a, c, a].reduce(included, seen);
    expect(state).toEqual({ type: 'unfinalized', sinceMs: 1_000, blocks: [c, a, b] });
  });

  it('leaves a finalized candidate alone', () => {
    const final = finalized(seen, 5);
    expect(included(final, a)).toBe(final);
  });
});

describe('retracted', () => {
  it('stays unfinalized while a block is left', () => {
    const state = [a, b].reduce(included, seen);
    expect(retracted(state, a)).toEqual({ type: 'unfinalized', sinceMs: 1_000, blocks: [b] });
  });

  it('returns to unavailable with the original time when the last block is lost', () => {
    expect(retracted(included(seen, a), a)).toEqual(seen);
  });

  it('ignores a block that did not include the candidate', () => {
    expect(retracted(included(seen, a), b)).toEqual(included(seen, a));
    expect(retracted(seen, a)).toBe(seen);
  });

  it('does not undo finality', () => {
    const final = finalized(included(seen, a), 5);
    expect(retracted(final, a)).toBe(final);
  });
});

describe('finalized', () => {
  it('counts the first finality', () => {
    const state = finalized(included(seen, a), 2_000);
    expect(state).toEqual({ type: 'finalized', sinceMs: 1_000, finalizedAtMs: 2_000 });
    expect(finalized(state, 3_000)).toBe(state);
  });
});

describe('isExpired', () => {
  it.each<[string, CandidateState, number, boolean]>([
    ['unavailable for less than 1 h', seen, 1_000 + HOUR_MS - 1, false],
    ['unavailable for 1 h', seen, 1_000 + HOUR_MS, true],
    ['unfinalized for long', included(seen, a), 1e12, false],
    ['finalized for less than 25 h', finalized(seen, 7), 7 + 25 * HOUR_MS - 1, false],
    ['finalized for 25 h', finalized(seen, 7), 7 + 25 * HOUR_MS, true],
  ])('says of a candidate %s', (_name, state, nowMs, expected) => {
    expect(isExpired(state, DEFAULT_RETENTION, nowMs)).toBe(expected);
  });
});
