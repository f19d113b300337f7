import { describe, expect, it } from 'vitest';
import { lineOf } from '../../src/cli/failure.ts';
import { heldText, withShortfall } from '../../src/cli/shortfall.ts';
import { candidateHash, chunkIndex } from '../../src/primitives/ids.ts';
import type { RecoveryAccount, StrategyRecord } from '../../src/recovery/account.ts';
import { RecoveryError, type RecoveryErrorCode } from '../../src/recovery/errors.ts';

const accountOf = (strategies: readonly StrategyRecord[]): RecoveryAccount => ({
  candidateHash: candidateHash('11'.repeat(32)),
  sessionIndex: 1,
  startedAtMs: 0,
  strategies,
  attempts: [],
  chunksHeld: [chunkIndex(5)],
  totals: { issued: 0, succeeded: 0, failed: 0, canceled: 0, running: 0, bytes: 0 },
});

const REGULAR: StrategyRecord = { strategy: 'regular_chunks', startedAtMs: 0, chunksNeeded: 2 };
const BACKERS: StrategyRecord = { strategy: 'full_from_backers', startedAtMs: 0 };

describe('heldText', () => {
  it.each([
    ['held 1 of 2 chunks needed', [BACKERS, REGULAR]],
    ['no chunks were asked for', [BACKERS]],
    ['no chunks were asked for', []],
  ])('is "%s"', (text, strategies) => {
    expect(heldText(accountOf(strategies))).toBe(text);
  });
});

describe('withShortfall', () => {
  const error = (code: RecoveryErrorCode, account?: RecoveryAccount): RecoveryError =>
    new RecoveryError(code, 'no data', { reason: 'deadline' }, { account });

  it('says how far it came and where to read more, and is the same error otherwise', () => {
    const before = error('unavailable', accountOf([REGULAR]));
    const after = withShortfall(before, false);
    expect(lineOf(after)).toBe(
      'error: no data: held 1 of 2 chunks needed; see --report (unavailable)',
    );
    expect({ ...after, message: '', stack: '' }).toEqual({ ...before, message: '', stack: '' });
    expect(withShortfall(before, true).message).toMatch(/; run explain on the report$/);
  });

  it('leaves alone what had not begun, and every other end', () => {
    for (const given of [error('unavailable'), error('cancelled', accountOf([REGULAR]))]) {
      expect(withShortfall(given, false)).toBe(given);
    }
  });
});
