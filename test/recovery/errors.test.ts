import { describe, expect, it } from 'vitest';
import { CodecError, hasCode, isErrorOf } from '../../src/primitives/errors.ts';
import { candidateHash } from '../../src/primitives/ids.ts';
import { AccountBook } from '../../src/recovery/account-book.ts';
import { asRecoveryError, localFault, RecoveryError } from '../../src/recovery/errors.ts';

const account = new AccountBook(candidateHash('00'.repeat(32)), 1, 0).snapshot();

describe('RecoveryError', () => {
  it('says what ended, with details, and nothing that it was not given', () => {
    const error = new RecoveryError('unavailable', 'text', { reason: 'deadline' });
    expect(error.name).toBe('RecoveryError');
    expect(hasCode(error, 'unavailable')).toBe(true);
    expect(isErrorOf(error, 'RecoveryError')).toBe(true);
    expect(error.details).toEqual({ reason: 'deadline' });
    expect([error.account, error.evidence, error.cause]).toEqual([undefined, undefined, undefined]);
    expect('cause' in error).toBe(false);
  });

  it('keeps everything when it gets an account', () => {
    const cause = new Error('below');
    const evidence = { reason: 'root_mismatch', chunkIndices: [], validatorCount: 7 } as const;
    const error = new RecoveryError('invalid', 'text', { reason: 'r' }, { evidence, cause });
    const copy = error.withAccount(account);
    expect(copy).toMatchObject({ code: 'invalid', message: 'text', details: { reason: 'r' } });
    expect([copy.account, copy.evidence, copy.cause]).toEqual([account, evidence, cause]);
    expect(error.account).toBeUndefined();
  });
});

describe('localFault', () => {
  it('carries a fixed word and the cause', () => {
    const cause = new Error('below');
    expect(localFault('work_failed', cause)).toMatchObject({
      code: 'local_fault',
      details: { reason: 'work_failed' },
      cause,
    });
  });
});

describe('asRecoveryError', () => {
  it('leaves recovery errors alone, also those of another copy of the package', () => {
    const error = new RecoveryError('invalid', 'text');
    expect(asRecoveryError(error, 'x')).toBe(error);
    const foreign = Object.assign(new Error('text'), {
      name: 'RecoveryError',
      code: 'invalid',
      details: {},
    });
    expect(asRecoveryError(foreign, 'x')).toBe(foreign);
  });

  it.each([new CodecError('bad_hex', 'x'), new TypeError('x'), 'text', undefined])(
    'takes %o as a fault of ours, never as a verdict',
    (cause) => {
      expect(asRecoveryError(cause, 'reason')).toMatchObject({
        code: 'local_fault',
        details: { reason: 'reason' },
      });
    },
  );
});
