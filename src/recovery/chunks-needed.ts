/**
 * @module
 * How many chunks a strategy has to hold before it decodes, for those who tell what was missing. The
 * strategies decide by the same rule.
 */

import { recoveryThreshold, systematicThreshold } from '../primitives/thresholds.ts';
import type { StrategyType } from './labels.ts';
import type { CheckMode } from './request.ts';
import type { RecoverySettings } from './settings.ts';

/**
 * The number for one strategy; `undefined` where it collects no chunks.
 *
 * Spec: any f+1 chunks (recovery spec §4.7). Impl: by default any k, where the result is encoded again.
 */
export function chunksNeeded(
  strategy: StrategyType,
  rules: {
    readonly settings: Pick<RecoverySettings, 'stopAt'>;
    readonly checkMode: CheckMode;
  },
  validatorCount: number,
): number | undefined {
  switch (strategy) {
    case 'full_from_backers':
      return undefined;
    case 'systematic_chunks':
      return systematicThreshold(validatorCount);
    case 'regular_chunks':
      return rules.settings.stopAt === 'systematic_threshold' && rules.checkMode === 're_encode'
        ? systematicThreshold(validatorCount)
        : recoveryThreshold(validatorCount);
  }
}
