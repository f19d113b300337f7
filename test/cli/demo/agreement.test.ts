import { describe, expect, it } from 'vitest';
import { disagreements } from '../../../src/cli/demo/agreement.ts';
import { authorityId, candidateHash, validatorIndex } from '../../../src/primitives/ids.ts';
import type { AttemptRecord, RecoveryAccount } from '../../../src/recovery/account.ts';

const NAME = '/91/req_chunk/2';

function attempt(fields: Partial<AttemptRecord>): AttemptRecord {
  return {
    attemptId: 0,
    kind: 'chunk',
    strategy: 'regular_chunks',
    source: authorityId('validator-3'),
    validatorIndex: validatorIndex(3),
    startedAtMs: 0,
    isLate: false,
    isUseful: true,
    answer: 'success',
    protocol: NAME,
    bytes: 100,
    ...fields,
  };
}

const account = (...attempts: AttemptRecord[]): RecoveryAccount => ({
  candidateHash: candidateHash('11'.repeat(32)),
  sessionIndex: 1,
  startedAtMs: 0,
  strategies: [],
  attempts,
  chunksHeld: [],
  totals: { issued: 0, succeeded: 0, failed: 0, canceled: 0, running: 0, bytes: 0 },
});

const LINE = { protocol: NAME, validatorIndex: 3, outcome: 'answered', bytes: 100 };
const served = (line: object = {}, validator = 3): { validator: number; line: object } => ({
  validator,
  line: { ...LINE, ...line },
});
const compare = (given: RecoveryAccount, ...lines: { validator: number; line: object }[]): number =>
  disagreements(given, lines as Parameters<typeof disagreements>[1]).length;

describe('disagreements', () => {
  it('is empty when both sides tell the same', () => {
    const noSuch = attempt({ answer: 'no_such_chunk', bytes: 1 });
    expect(compare(account(attempt({})), served())).toBe(0);
    expect(compare(account(attempt({ answer: 'invalid' })), served())).toBe(0);
    expect(compare(account(noSuch), served({ outcome: 'no_such_chunk', bytes: 1 }))).toBe(0);
  });

  it('finds an answer that no peer logged', () => {
    expect(compare(account(attempt({})))).toBe(1);
    expect(compare(account(attempt({}), attempt({ attemptId: 1 })), served())).toBe(1);
  });

  it('finds a line of another size, outcome, peer or validator', () => {
    for (const other of [
      served({ bytes: 99 }),
      served({ outcome: 'refused' }),
      served({}, 4),
      served({ validatorIndex: 4 }),
      served({ protocol: '/91/req_chunk/1' }),
    ]) {
      expect(compare(account(attempt({})), other)).toBeGreaterThan(0);
    }
  });

  it('finds a request that we did not make', () => {
    expect(compare(account(), served())).toBe(1);
  });

  it('lets a request that we gave up on end as it may', () => {
    const { protocol: _protocol, ...givenUp } = attempt({ answer: 'canceled', bytes: 0 });
    expect(compare(account(givenUp), served({ outcome: 'failed', bytes: 0 }))).toBe(0);
    expect(compare(account(givenUp))).toBe(0);
  });
});
