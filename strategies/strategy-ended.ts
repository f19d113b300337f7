/**
 * @module
 * The event with which every strategy ends.
 */

import type { StrategyEvent } from '../src/recovery/events.ts';
import type { StrategyEndReason, StrategyType } from '../src/recovery/labels.ts';
import type { RecoveryContext } from '../src/recovery/strategy.ts';

/** Says, as of now, that a strategy has ended and why. */
export function strategyEnded(
  { runtime }: Pick<RecoveryContext, 'runtime'>,
  strategy: StrategyType,
  reason: StrategyEndReason,
): StrategyEvent & { readonly type: 'strategy_ended' } {
  return { type: 'strategy_ended', atMs: runtime.scheduler.now(), strategy, reason };
}
