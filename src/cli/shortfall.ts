/**
 * @module
 * How far a recovery came that did not get the data, in one line, and where more is to be had.
 */

import type { RecoveryAccount } from '../recovery/account.ts';
import { RecoveryError } from '../recovery/errors.ts';
import { reportOf } from '../recovery/report.ts';

/** `held 1 of 4 chunks needed`, or that it did not come to chunks. */
export function heldText(account: RecoveryAccount): string {
  const { chunks } = reportOf(account);
  return chunks === undefined
    ? 'no chunks were asked for'
    : `held ${chunks.held} of ${chunks.needed} chunks needed`;
}

/**
 * The same error, with how far the recovery came and where to read more in its message. Only
 * `unavailable` leaves that open; the others say themselves what is wrong.
 *
 * @param hasReport - Whether the report was written.
 */
export function withShortfall(error: RecoveryError, hasReport: boolean): RecoveryError {
  const { code, message, details, account, evidence, cause } = error;
  if (code !== 'unavailable' || account === undefined) {
    return error;
  }
  const next = hasReport ? 'run explain on the report' : 'see --report';
  return new RecoveryError(code, `${message}: ${heldText(account)}; ${next}`, details, {
    account,
    evidence,
    cause,
  });
}
