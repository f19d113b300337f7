/**
 * @module
 * Recovers the blocks of one or several parachains for a node that misses them, parents before
 * children (recovery spec §8.3). What a block is worth and how it is imported is the caller's.
 */

import { Observable } from 'rxjs';
import type { ChainInput, InOrderEvent, InOrderSettings } from './in-order-events.ts';
import { InOrderRecovery } from './in-order-recovery.ts';
import type { CallerParts } from './recover-with-retries.ts';
import { COLLATOR_RETRY, checkPolicy } from './retry-policy.ts';

const DEFAULTS: InOrderSettings = {
  policy: COLLATOR_RETRY,
  parallel: 4,
  maxAhead: 8,
  maxQueued: 256,
};

/**
 * Recovers blocks in order.
 *
 * Spec: a random delay precedes each try, blocks imported meanwhile are skipped, a block waits for a
 * parent that is itself being recovered, and is given up with it (recovery spec §8.3).
 * Impl: delays run side by side; a block's try begins after its parent's first, and its data is held
 * until the parent's was given out. A parent that is not queued counts as known.
 *
 * **Guarantees.** Cold. Each block that comes in ends in exactly one of `recovered`, `skipped` and
 * `given_up`; a repetition of one that is queued or was given out is ignored. One that was given up may
 * come again and starts afresh. A recovery that fails ends its block alone; `stopped` ends the whole with
 * that error, since nothing can be recovered any more. Completes when `pending$` has and the queue is
 * empty. Unsubscribing stops every wait and every recovery in that turn. Nothing is held back from a
 * subscriber that imports slower than blocks are recovered: what it was given is its own to bound.
 *
 * @throws RangeError for a setting out of its range.
 */
export function recoverInOrder(
  parts: CallerParts,
  chain: ChainInput,
  settings: Partial<InOrderSettings> = {},
): Observable<InOrderEvent> {
  const merged = { ...DEFAULTS, ...settings };
  checkPolicy(merged.policy);
  for (const name of ['parallel', 'maxAhead', 'maxQueued'] as const) {
    if (!(Number.isSafeInteger(merged[name]) && merged[name] >= 1)) {
      throw new RangeError(`${name}: expected an integer of at least 1, got ${merged[name]}`);
    }
  }
  return new Observable((subscriber) =>
    new InOrderRecovery(parts, chain, merged, subscriber).begin(),
  );
}
