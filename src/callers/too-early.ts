/**
 * @module
 * A hint from the account of a failed recovery: whether it began before the validators had their
 * chunks. It is for people and logs; no rule depends on it.
 */

import { hasCode } from '../primitives/errors.ts';
import type { RecoveryAccount } from '../recovery/account.ts';

/**
 * Whether a recovery looks as if it came too early: it ended in `unavailable`, and of the attempts that
 * failed most were answered, by somebody who holds nothing of the candidate. That is how the network
 * looks between backing and availability, when chunks are still being distributed. A candidate that is
 * withheld looks the same; only time tells them apart.
 */
export function looksTooEarly(error: unknown): boolean {
  if (!hasCode(error, 'unavailable')) {
    return false;
  }
  const { account } = error as { readonly account?: RecoveryAccount };
  const failed = (account?.attempts ?? []).filter(
    ({ answer }) => answer !== undefined && answer !== 'success' && answer !== 'canceled',
  );
  const without = failed.filter(
    ({ answer }) => answer === 'no_such_chunk' || answer === 'no_such_data',
  );
  return 2 * without.length > failed.length;
}
