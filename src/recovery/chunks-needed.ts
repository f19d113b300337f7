/**
 * @module
 * How many chunks a strategy has to hold before it decodes: what ends its collecting, and what a report
 * measures against.
 */

import { recoveryThreshold, systematicThreshold } from '../primitives/thresholds.ts';
import type { StrategyType } from './labels.ts';
import type { CheckMode } from './request.ts';
import type { RecoverySettings } from './settings.ts';

/** What decides besides the strategy. */
export type ChunkRules = {
  readonly settings: Pick<RecoverySettings, 'stopAt'>;
  readonly checkMode: CheckMode;
};

/**
 * Whether exactly k chunks of any kind are collected and decoded.
 *
 * Spec: the reference waits for f+1 and decodes from all that it holds (recovery spec §4.7). Impl: in
 * re-encode mode any k chunks of a codeword decode to the same and everything else fails the root, so k
 * are enough; in PoV-hash mode another set could decode to another value, so we do as the reference does.
 */
export function decodesExactlyK({ settings, checkMode }: ChunkRules): boolean {
  return settings.stopAt === 'systematic_threshold' && checkMode === 're_encode';
}

/** The number for the strategy of any chunks. */
export function regularChunksNeeded(rules: ChunkRules, validatorCount: number): number {
  return decodesExactlyK(rules)
    ? systematicThreshold(validatorCount)
    : recoveryThreshold(validatorCount);
}

/** The number for one strategy; `undefined` where it collects no chunks. */
export function chunksNeeded(
  strategy: StrategyType,
  rules: ChunkRules,
  validatorCount: number,
): number | undefined {
  switch (strategy) {
    case 'full_from_backers':
      return undefined;
    case 'systematic_chunks':
      return systematicThreshold(validatorCount);
    case 'regular_chunks':
      return regularChunksNeeded(rules, validatorCount);
  }
}
