/**
 * @module
 * When a recovery that ended without data is run again, as plain data: how often, after what wait and
 * after which errors. The waiting itself is in `recover-with-retries.ts`.
 */

import { drawBelow, type Random } from '../primitives/random.ts';
import type { RecoveryErrorCode } from '../recovery/errors.ts';

/** A wait drawn evenly between two bounds, both included. Equal bounds draw nothing. */
export type DelayRange = { readonly minMs: number; readonly maxMs: number };

/**
 * Errors after which a recovery may be run again. Never `cancelled`, which is the caller's own will, and
 * never `stopped`: the instance answers nothing any more, and a wait would only hold up the shutdown.
 */
export type RepeatableCode = Exclude<RecoveryErrorCode, 'cancelled' | 'stopped'>;

/** How one caller repeats its recoveries. */
export type RetryPolicy = {
  /** Recoveries in all, the first included: 1 for no retry. */
  readonly tries: number;
  /** The wait before a try. */
  readonly delay: DelayRange;
  /** Whether the first try waits too. */
  readonly isFirstDelayed: boolean;
  /** What is followed by another try. Misuse (`TypeError`, `RangeError`, `CodecError`) never is. */
  readonly repeatAfter: readonly RepeatableCode[];
};

/** Time between two relay chain blocks: 6 s on Polkadot and Kusama. */
export const RELAY_SLOT_MS = 6_000;

/**
 * Approval checkers: 16 retries, 60 s apart, after `unavailable` only (recovery spec §8.1). An `invalid`
 * is final, and a local fault is no reason to believe that the data could not be had.
 */
export const APPROVAL_RETRY: RetryPolicy = {
  tries: 17,
  // Half of the time that one check may take.
  delay: { minMs: 60_000, maxMs: 60_000 },
  isFirstDelayed: false,
  repeatAfter: ['unavailable'],
};

/**
 * Collators: a random wait of half to one relay slot before each try, one retry, all errors alike
 * (recovery spec §8.3). The wait gives the author's own announcement a chance and spreads the load.
 */
export const COLLATOR_RETRY: RetryPolicy = {
  tries: 2,
  delay: { minMs: RELAY_SLOT_MS / 2, maxMs: RELAY_SLOT_MS },
  isFirstDelayed: true,
  repeatAfter: ['unavailable', 'invalid', 'local_fault'],
};

/**
 * Full nodes of a parachain: as {@link COLLATOR_RETRY}, with a wait of 25 to 50 relay slots, since there
 * are many of them and validators have better things to do (recovery spec §8.3). A chain whose
 * collators are few may shorten it: `{ ...FULL_NODE_RETRY, delay: { minMs, maxMs } }`.
 */
export const FULL_NODE_RETRY: RetryPolicy = {
  ...COLLATOR_RETRY,
  delay: { minMs: 25 * RELAY_SLOT_MS, maxMs: 50 * RELAY_SLOT_MS },
};

/** The longest delay that timers take: 2^31 - 1 ms. */
const MAX_DELAY_MS = 2_147_483_647;

/**
 * Checks a policy.
 *
 * @throws RangeError for a number out of its range.
 */
export function checkPolicy(policy: RetryPolicy): RetryPolicy {
  const { tries, delay } = policy;
  if (!(Number.isSafeInteger(tries) && tries >= 1)) {
    throw new RangeError(`tries: expected an integer of at least 1, got ${tries}`);
  }
  assertDelay('delay.minMs', delay.minMs, 0);
  assertDelay('delay.maxMs', delay.maxMs, delay.minMs);
  return policy;
}

function assertDelay(name: string, value: number, min: number): void {
  if (!(Number.isInteger(value) && value >= min && value <= MAX_DELAY_MS)) {
    throw new RangeError(`${name}: expected an integer in ${min}..${MAX_DELAY_MS}, got ${value}`);
  }
}

/** A wait from the range, in whole milliseconds. */
export function drawDelay({ minMs, maxMs }: DelayRange, random: Random): number {
  return minMs === maxMs ? minMs : minMs + drawBelow(random, maxMs - minMs + 1);
}
