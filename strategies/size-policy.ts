/**
 * @module
 * From what is known about the size to the order of strategies (recovery spec §4.3). Pure.
 */

import type { StrategyType } from '../src/recovery/labels.ts';

/** What else decides. */
export type SizeContext = {
  /** Full data is asked of backers only below this many bytes. */
  readonly limitBytes: number;
  /** What an unknown size means. */
  readonly sizeUnknown: 'capped_request' | 'large';
  /** Whether the systematic holders are known: the mapping is on and the core was named. */
  readonly hasSystematicHolders: boolean;
};

/** The strategies in order, and the cap of the first one where nothing tells the size. */
export type SizePlan = {
  readonly strategies: readonly StrategyType[];
  /** Response limit of `full_from_backers`; absent when the size is known. */
  readonly capBytes?: number;
};

/**
 * Orders the strategies.
 *
 * @param estimateBytes - Size of a local chunk times the systematic threshold; absent when unknown.
 * @param groupSize - Members of the backing group; 0 when none was named.
 */
export type SizePolicy = (
  estimateBytes: number | undefined,
  groupSize: number,
  context: SizeContext,
) => SizePlan;

/** Backers first if the size is below the limit (strictly), then chunks. */
export const planBySize: SizePolicy = (estimateBytes, groupSize, context) => {
  const chunks: readonly StrategyType[] = context.hasSystematicHolders
    ? ['systematic_chunks', 'regular_chunks']
    : ['regular_chunks'];
  if (groupSize === 0 || context.limitBytes === 0) {
    return { strategies: chunks };
  }
  if (estimateBytes === undefined) {
    return context.sizeUnknown === 'large'
      ? { strategies: chunks }
      : { strategies: ['full_from_backers', ...chunks], capBytes: context.limitBytes };
  }
  return estimateBytes < context.limitBytes
    ? { strategies: ['full_from_backers', ...chunks] }
    : { strategies: chunks };
};
