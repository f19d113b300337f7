import { describe, expect, it } from 'vitest';
import { candidateHash, chunkIndex, validatorIndex } from '../../src/primitives/ids.ts';
import type { AttemptRecord, RecoveryAccount } from '../../src/recovery/account.ts';
import { reportOf } from '../../src/recovery/report.ts';
import { authorityAt } from '../support/fake-network.ts';

function attempt(index: number, fields: Partial<AttemptRecord>): AttemptRecord {
  return {
    attemptId: index,
    kind: 'chunk',
    strategy: 'regular_chunks',
    source: authorityAt(index),
    validatorIndex: validatorIndex(index),
    startedAtMs: 100,
    isLate: false,
    isUseful: false,
    bytes: 0,
    ...fields,
  };
}

function account(fields: Partial<RecoveryAccount>): RecoveryAccount {
  return {
    candidateHash: candidateHash('11'.repeat(32)),
    sessionIndex: 1,
    startedAtMs: 100,
    strategies: [],
    attempts: [],
    chunksHeld: [],
    totals: { issued: 0, succeeded: 0, failed: 0, canceled: 0, running: 0, bytes: 0 },
    ...fields,
  };
}

describe('reportOf', () => {
  it('is all zeros for a recovery in which nothing happened', () => {
    const totals = {
      issued: 0,
      succeeded: 0,
      failed: 0,
      canceled: 0,
      usefulBytes: 0,
      wastedBytes: 0,
    };
    expect(reportOf(account({ endedAtMs: 130 }))).toEqual({
      ms: 30,
      msBeforeStrategies: 30,
      strategies: [],
      sources: [],
      totals,
    });
  });

  it('says of each source what it was asked, by what protocol, what came, when and of what use', () => {
    const attempts = [
      attempt(3, { answer: 'success', protocol: 'p/2', isUseful: true, ms: 20, bytes: 70 }),
      attempt(4, { answer: 'invalid', code: 'chunk_hash_mismatch', ms: 5, bytes: 60 }),
      attempt(3, { startedAtMs: 150, answer: 'success', ms: 10, bytes: 7, isLate: true }),
    ];
    const { sources } = reportOf(account({ attempts, endedAtMs: 200 }));
    expect(sources.map(({ source }) => source)).toEqual(['v3', 'v4']);
    expect(sources[0]).toEqual({
      source: 'v3',
      waitedMs: 30,
      totals: {
        issued: 2,
        succeeded: 2,
        failed: 0,
        canceled: 0,
        usefulBytes: 70,
        wastedBytes: 7,
      },
      faults: [],
      attempts: [
        {
          kind: 'chunk',
          validatorIndex: 3,
          strategy: 'regular_chunks',
          askedAtMs: 0,
          endedAtMs: 20,
          answer: 'success',
          protocol: 'p/2',
          isLate: false,
          isUseful: true,
          bytes: 70,
        },
        {
          kind: 'chunk',
          validatorIndex: 3,
          strategy: 'regular_chunks',
          askedAtMs: 50,
          endedAtMs: 60,
          answer: 'success',
          isLate: true,
          isUseful: false,
          bytes: 7,
        },
      ],
    });
  });

  it('counts failures of a source by answer and code, and none that we cut short', () => {
    const source = authorityAt(9);
    const attempts = [
      attempt(0, { source, answer: 'timeout', code: 'body' }),
      attempt(1, { source, answer: 'error', code: 'reset' }),
      attempt(2, { source, answer: 'timeout', code: 'body' }),
      attempt(3, { source, answer: 'timeout', code: 'dial' }),
      attempt(4, { source, answer: 'no_such_chunk' }),
      attempt(5, { source, answer: 'canceled', code: 'not_needed' }),
      attempt(6, { source, answer: 'success' }),
    ];
    expect(reportOf(account({ attempts })).sources[0]?.faults).toEqual([
      { answer: 'timeout', code: 'body', count: 2 },
      { answer: 'error', code: 'reset', count: 1 },
      { answer: 'timeout', code: 'dial', count: 1 },
      { answer: 'no_such_chunk', count: 1 },
    ]);
  });

  it('counts time once in which a source was asked twice', () => {
    const source = authorityAt(1);
    const attempts = [
      attempt(0, { source, startedAtMs: 110, ms: 30 }),
      attempt(1, { source, startedAtMs: 100, ms: 20 }),
      attempt(2, { source, startedAtMs: 105, ms: 1 }),
      attempt(3, { source, startedAtMs: 150, ms: 5 }),
    ];
    expect(reportOf(account({ attempts })).sources[0]?.waitedMs).toBe(45);
  });

  it('counts bytes of what was canceled, invalid, empty or a duplicate as wasted', () => {
    const attempts = (['canceled', 'invalid', 'no_such_chunk', 'timeout', 'success'] as const).map(
      (answer, i) => attempt(i, { answer, bytes: 10 ** i }),
    );
    expect(reportOf(account({ attempts })).totals).toEqual({
      issued: 5,
      succeeded: 1,
      failed: 3,
      canceled: 1,
      usefulBytes: 0,
      wastedBytes: 11_111,
    });
  });

  it('counts what still runs as canceled, up to the last that is known', () => {
    const attempts = [attempt(0, { answer: 'success', ms: 40 }), attempt(1, {})];
    const { ms, sources, totals } = reportOf(account({ attempts }));
    expect([ms, totals.canceled]).toEqual([40, 1]);
    expect(sources[1]?.attempts[0]).toMatchObject({ answer: 'canceled', endedAtMs: 40 });
  });

  it('says why each strategy ended, and what of it was decoding and checking', () => {
    const { ms, msBeforeStrategies, strategies, chunks } = reportOf(
      account({
        endedAtMs: 900,
        strategies: [
          {
            strategy: 'full_from_backers',
            startedAtMs: 130,
            endedAtMs: 200,
            reason: 'too_large',
            announcedBytes: 9,
          },
          {
            strategy: 'systematic_chunks',
            startedAtMs: 200,
            endedAtMs: 500,
            reason: 'check_failed',
            chunksNeeded: 4,
          },
          { strategy: 'regular_chunks', startedAtMs: 500, chunksNeeded: 5 },
        ],
        attempts: [
          attempt(0, { startedAtMs: 200, ms: 50, answer: 'success', isUseful: true }),
          attempt(1, { startedAtMs: 500, ms: 50, answer: 'success', isUseful: true }),
        ],
        chunksHeld: [8, 1].map(chunkIndex),
      }),
    );
    expect([ms, msBeforeStrategies]).toEqual([800, 30]);
    expect(strategies).toEqual([
      {
        strategy: 'full_from_backers',
        startedAtMs: 30,
        ms: 70,
        reason: 'too_large',
        announcedBytes: 9,
      },
      {
        strategy: 'systematic_chunks',
        startedAtMs: 100,
        ms: 300,
        reason: 'check_failed',
        decodingMs: 250,
      },
      { strategy: 'regular_chunks', startedAtMs: 400, ms: 400, reason: 'cut_short' },
    ]);
    expect(chunks).toEqual({ held: 2, needed: 5 });
  });

  it('counts only systematic chunks where those are needed', () => {
    const strategies = [
      { strategy: 'systematic_chunks', startedAtMs: 100, chunksNeeded: 4 } as const,
    ];
    const chunksHeld = [8, 1, 3, 4].map(chunkIndex);
    expect(reportOf(account({ strategies, chunksHeld })).chunks).toEqual({ held: 2, needed: 4 });
  });
});
