/**
 * @module
 * Makes the strategies of one recovery, in order, on one shared request window.
 */

import { systematicThreshold } from '../src/primitives/thresholds.ts';
import type { StrategyType } from '../src/recovery/labels.ts';
import type {
  RecoveryContext,
  RecoveryStrategy,
  StrategyPlan,
  StrategyPlanner,
} from '../src/recovery/strategy.ts';
import { backersOf } from './askable.ts';
import { fullFromBackers } from './full-from-backers.ts';
import { regularChunks } from './regular-chunks.ts';
import { RequestWindow } from './request-window.ts';
import { planBySize, type SizePlan, type SizePolicy } from './size-policy.ts';
import { systematicChunks } from './systematic-chunks.ts';

/** Makes a planner that orders strategies by a size policy, unless the request names its own order. */
export function strategyPlanner(policy: SizePolicy = planBySize): StrategyPlanner {
  return (context, chunkBytes) => {
    // Whatever the order of strategies: a group that names nobody's place is misuse.
    backersOf(context.session, context.request.backingGroup);
    const window = new RequestWindow(context);
    const sizePlan = orderOf(context, chunkBytes, policy);
    const strategies = sizePlan.strategies.map((type) => make(context, window, type, sizePlan));
    const plan: StrategyPlan = { strategies, unsubscribe: () => window.unsubscribe() };
    return plan;
  };
}

function orderOf(
  context: RecoveryContext,
  chunkBytes: number | undefined,
  policy: SizePolicy,
): SizePlan {
  const { request, session, mapping, settings } = context;
  const limitBytes = request.sizeLimitBytes ?? settings.sizeLimitBytes;
  if (request.strategies !== undefined) {
    return { strategies: request.strategies };
  }
  const isFastPathOpen = settings.fastPathFor.includes(request.checkMode);
  const groupSize = isFastPathOpen ? backersOf(session, request.backingGroup).length : 0;
  const hasSystematicHolders = mapping !== null && mapping.scheme !== 'identity';
  const estimateBytes =
    chunkBytes === undefined
      ? undefined
      : chunkBytes * systematicThreshold(session.validators.length);
  return policy(estimateBytes, groupSize, {
    limitBytes,
    sizeUnknown: settings.sizeUnknown,
    hasSystematicHolders,
  });
}

function make(
  context: RecoveryContext,
  window: RequestWindow,
  type: StrategyType,
  { capBytes }: SizePlan,
): RecoveryStrategy {
  switch (type) {
    case 'full_from_backers':
      return fullFromBackers(context, window, capBytes);
    case 'systematic_chunks':
      if (context.mapping === null) {
        throw new TypeError('coreIndex: systematic_chunks needs the core, which the request lacks');
      }
      return systematicChunks(context, window, context.mapping);
    case 'regular_chunks':
      return regularChunks(context, window);
  }
}
