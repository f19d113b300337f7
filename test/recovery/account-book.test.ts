import { describe, expect, it } from 'vitest';
import { candidateHash, chunkIndex, validatorIndex } from '../../src/primitives/ids.ts';
import { AccountBook } from '../../src/recovery/account-book.ts';
import type { RecoveryEvent } from '../../src/recovery/events.ts';
import { authorityAt } from '../support/fake-network.ts';

const HASH = candidateHash('ab'.repeat(32));

function bookOf(events: readonly RecoveryEvent[]): AccountBook {
  const book = new AccountBook(HASH, 3, 100);
  for (const event of events) {
    book.add(event);
  }
  return book;
}

function started(attemptId: number, atMs = 100): RecoveryEvent {
  return {
    type: 'attempt_started',
    atMs,
    attemptId,
    kind: 'chunk',
    strategy: 'regular_chunks',
    source: authorityAt(attemptId),
    validatorIndex: validatorIndex(attemptId),
  };
}

describe('AccountBook', () => {
  it('is empty at first', () => {
    expect(bookOf([]).snapshot()).toEqual({
      candidateHash: HASH,
      sessionIndex: 3,
      startedAtMs: 100,
      strategies: [],
      attempts: [],
      chunksHeld: [],
      totals: { issued: 0, succeeded: 0, failed: 0, canceled: 0, running: 0, bytes: 0 },
    });
  });

  it('says of each attempt who was asked, what came, by which protocol, when and how large', () => {
    const book = bookOf([
      started(0),
      { type: 'attempt_late', atMs: 1_100, attemptId: 0 },
      {
        type: 'attempt_finished',
        atMs: 1_200,
        attemptId: 0,
        answer: 'invalid',
        code: 'chunk_hash_mismatch',
        protocol: 'p/1',
        ms: 1_100,
        bytes: 70,
      },
    ]);
    expect(book.snapshot().attempts).toEqual([
      {
        attemptId: 0,
        kind: 'chunk',
        strategy: 'regular_chunks',
        source: 'v0',
        validatorIndex: 0,
        startedAtMs: 100,
        isLate: true,
        isUseful: false,
        answer: 'invalid',
        code: 'chunk_hash_mismatch',
        protocol: 'p/1',
        ms: 1_100,
        bytes: 70,
      },
    ]);
  });

  it('says why each strategy ended', () => {
    const book = bookOf([
      { type: 'strategy_started', atMs: 1, strategy: 'full_from_backers' },
      {
        type: 'strategy_ended',
        atMs: 2,
        strategy: 'full_from_backers',
        reason: 'too_large',
        announcedBytes: 9,
      },
      { type: 'strategy_started', atMs: 2, strategy: 'regular_chunks' },
    ]);
    expect(book.snapshot().strategies).toEqual([
      {
        strategy: 'full_from_backers',
        startedAtMs: 1,
        endedAtMs: 2,
        reason: 'too_large',
        announcedBytes: 9,
      },
      { strategy: 'regular_chunks', startedAtMs: 2 },
    ]);
  });

  it('keeps how many chunks a strategy needs', () => {
    const begun = { type: 'strategy_started', atMs: 1, strategy: 'regular_chunks' } as const;
    expect(bookOf([{ ...begun, chunksNeeded: 4 }]).snapshot().strategies).toEqual([
      { strategy: 'regular_chunks', startedAtMs: 1, chunksNeeded: 4 },
    ]);
  });

  it('marks attempts that brought a new chunk or the full data, and no others', () => {
    const full = { ...started(2), kind: 'available_data' } as RecoveryEvent;
    const finished = (
      attemptId: number,
      answer: 'success' | 'invalid' = 'success',
    ): RecoveryEvent => ({
      type: 'attempt_finished',
      atMs: 5,
      attemptId,
      answer,
      ms: 1,
      bytes: 1,
    });
    const index = chunkIndex(7);
    const book = bookOf([
      ...[started(0), started(1), full, { ...full, attemptId: 3 } as RecoveryEvent],
      finished(0),
      { type: 'chunk_held', atMs: 5, chunkIndex: index, from: authorityAt(0), attemptId: 0 },
      // A duplicate: nothing is held because of it.
      finished(1),
      finished(2, 'invalid'),
      finished(3),
    ]);
    expect(book.closed(9).attempts.map(({ isUseful }) => isUseful)).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  it('says when it was over, once closed', () => {
    expect(bookOf([]).closed(150).endedAtMs).toBe(150);
    expect(bookOf([]).snapshot()).not.toHaveProperty('endedAtMs');
  });

  it('keeps chunk indices in order of arrival', () => {
    const held = (index: number): RecoveryEvent => ({
      type: 'chunk_held',
      atMs: 1,
      chunkIndex: chunkIndex(index),
      from: 'store',
    });
    expect(bookOf([held(4), held(1), held(2)]).snapshot().chunksHeld).toEqual([4, 1, 2]);
  });

  it('calls what has no answer running in a snapshot, canceled once closed', () => {
    const book = bookOf([started(0, 120)]);
    expect(book.snapshot().totals).toMatchObject({ issued: 1, running: 1, canceled: 0 });
    const closed = book.closed(150);
    expect(closed.totals).toMatchObject({ issued: 1, running: 0, canceled: 1 });
    expect(closed.attempts[0]).toMatchObject({ answer: 'canceled', ms: 30, bytes: 0 });
    expect(book.snapshot().totals.running).toBe(1);
  });

  it('gives snapshots that later events do not change', () => {
    const book = bookOf([
      started(0),
      { type: 'strategy_started', atMs: 1, strategy: 'regular_chunks' },
    ]);
    const before = book.snapshot();
    const copy = structuredClone(before);
    book.add(started(1));
    book.add({ type: 'attempt_late', atMs: 2, attemptId: 0 });
    book.add({
      type: 'strategy_ended',
      atMs: 3,
      strategy: 'regular_chunks',
      reason: 'sources_exhausted',
    });
    book.add({ type: 'chunk_held', atMs: 1, chunkIndex: chunkIndex(1), from: 'store' });
    expect(before).toEqual(copy);
  });

  it('ignores ends of attempts and strategies that never started', () => {
    const book = bookOf([
      { type: 'attempt_late', atMs: 1, attemptId: 5 },
      { type: 'attempt_finished', atMs: 1, attemptId: 5, answer: 'success', ms: 1, bytes: 1 },
      { type: 'strategy_ended', atMs: 1, strategy: 'regular_chunks', reason: 'recovered' },
    ]);
    expect(book.snapshot()).toEqual(bookOf([]).snapshot());
  });
});
