/**
 * @module
 * What a network error means for asking the same source again (network spec §4).
 */

import type { RequestErrorCode } from '../src/recovery/ports.ts';
import type { NetworkRetries } from '../src/recovery/settings.ts';

/** Never in this recovery, or after a delay in ms. */
export type RetryRule =
  | { readonly type: 'never' }
  | { readonly type: 'after'; readonly delayMs: number };

const AT_ONCE: RetryRule = { type: 'after', delayMs: 0 };
const NEVER: RetryRule = { type: 'never' };

/**
 * One rule per code. `dial_failed`: a dial is repeated after 10 s at the earliest, longer than a
 * recovery waits for one validator. `unsupported_protocol`: the requester has already tried the
 * older version. `too_large`, `bad_prefix`: no honest peer does this.
 */
const RULES: Readonly<Record<RequestErrorCode, RetryRule>> = {
  not_connected: AT_ONCE,
  dial_failed: NEVER,
  unsupported_protocol: NEVER,
  // network spec §4: "after at least 250 ms".
  refused: { type: 'after', delayMs: 250 },
  timeout: AT_ONCE,
  truncated: AT_ONCE,
  reset: AT_ONCE,
  connection_closed: AT_ONCE,
  too_large: NEVER,
  bad_prefix: NEVER,
  cancelled: AT_ONCE,
};

const RULE_OF_CODE: ReadonlyMap<string, RetryRule> = new Map(Object.entries(RULES));

/** The rule for an error code; codes that are not ours count like any other network error. */
export function retryRule(code: string, retries: NetworkRetries): RetryRule {
  return retries === 'alike' ? AT_ONCE : (RULE_OF_CODE.get(code) ?? AT_ONCE);
}
