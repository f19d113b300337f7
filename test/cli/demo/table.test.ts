import { describe, expect, it } from 'vitest';
import { ROUNDS, type RoundResult } from '../../../src/cli/demo/rounds.ts';
import { resultTable, unavailableText } from '../../../src/cli/demo/table.ts';
import {
  authorityId,
  candidateHash,
  chunkIndex,
  validatorIndex,
} from '../../../src/primitives/ids.ts';
import type { AttemptRecord, RecoveryAccount } from '../../../src/recovery/account.ts';
import { RecoveryError } from '../../../src/recovery/errors.ts';

const attempt = (validator: number, more: Partial<AttemptRecord>): AttemptRecord => ({
  attemptId: validator,
  kind: 'chunk',
  strategy: 'regular_chunks',
  source: authorityId(`validator-${validator}`),
  validatorIndex: validatorIndex(validator),
  startedAtMs: 0,
  isLate: false,
  isUseful: false,
  bytes: 0,
  ...more,
});

function failed(attempts: readonly AttemptRecord[], held: readonly number[]): RoundResult {
  const account: RecoveryAccount = {
    candidateHash: candidateHash('11'.repeat(32)),
    sessionIndex: 1,
    startedAtMs: 0,
    strategies: [
      { strategy: 'regular_chunks', startedAtMs: 0, chunksNeeded: 4, reason: 'sources_exhausted' },
    ],
    attempts,
    chunksHeld: held.map((index) => chunkIndex(index)),
    totals: {
      issued: attempts.length,
      succeeded: 0,
      failed: attempts.length - 1,
      canceled: 1,
      running: 0,
      bytes: attempts.reduce((sum, { bytes }) => sum + bytes, 0),
    },
  };
  return {
    round: ROUNDS[3]!,
    outcome: { type: 'failed', error: new RecoveryError('unavailable', 'none', {}, { account }) },
    ms: 80.4,
    isExact: false,
    isAsExpected: true,
  };
}

const ATTEMPTS = [
  attempt(9, { answer: 'invalid', code: 'chunk_hash_mismatch', bytes: 2_048 }),
  attempt(11, { answer: 'no_such_chunk', bytes: 1 }),
  attempt(5, { answer: 'canceled' }),
];

describe('unavailableText', () => {
  it('says what came of the bytes and of the chunks', () => {
    expect(unavailableText([failed(ATTEMPTS, [8])])).toEqual([
      '',
      'Recovery 4 ended unavailable:',
      '  regular_chunks: sources_exhausted',
      '  3 requests: 0 delivered, 2 failed, 1 given up',
      '  2.00 KiB received, 2.00 KiB of it wrong (9)',
      '  held 1 of 4 chunks needed (index 8)',
    ]);
  });

  it('blames nobody where nothing was wrong, and counts several chunks and none', () => {
    const lines = (held: number[]): readonly string[] =>
      unavailableText([failed(ATTEMPTS.slice(1), held)]).slice(-2);
    expect(lines([])).toEqual(['  1 B received', '  held 0 of 4 chunks needed']);
    expect(lines([8, 1])[1]).toBe('  held 2 of 4 chunks needed (indices 8, 1)');
  });
});

describe('resultTable', () => {
  it('calls given up whoever was asked and not waited for', () => {
    const [, row] = resultTable([failed(ATTEMPTS, [8])]);
    expect(row).toMatch(/ {2}chunk_hash_mismatch 9; no_such_chunk 11; given_up 5$/);
  });
});
