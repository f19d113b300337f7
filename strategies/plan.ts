/**
 * @module
 * Makes the strategies of one recovery, in order, on one shared request window.
 */

import type { ValidatorIndex } from '../src/primitives/ids.ts';
import { systematicThreshold } from '../src/primitives/thresholds.ts';
import type { StrategyType } from '../src/recovery/labels.ts';
import type {
  RecoveryContext,
  RecoveryStrategy,
  StrategyPlan,
  StrategyPlanner,
} from '../src/recovery/strategy.ts';
import { assertHolders, authorityOf } from './askable.ts';
import { fullFromBackers } from './full-from-backers.ts';
import { regularChunks } from './regular-chunks.ts';
import { RequestWindow } from './request-window.ts';
import { planBySize, type SizePlan, type SizePolicy } from './size-policy.ts';
import { systematicChunks } from './systematic-chunks.ts';

/** Makes a planner that orders strategies by a size policy, unless the request names its own order. */
export function strategyPlanner(policy: SizePolicy = planBySize): StrategyPlanner {
  return (context, chunkBytes) => {
    assertHolders(context);
    const window = new RequestWindow(context);
    const asked = new Set<ValidatorIndex>();
    const planned = plannedHolders(context);
    const late = (): boolean => hasLateHolders(context, new Set([...planned, ...asked]));
    const { strategies, capBytes } = orderOf(context, chunkBytes, policy);
    const backers = (cap: number | undefined): RecoveryStrategy =>
      fullFromBackers(context, window, { capBytes: cap, asked });
    const plan: StrategyPlan = {
      strategies: strategies.map((type) =>
        type === 'full_from_backers' ? backers(capBytes) : chunks(context, window, type),
      ),
      more: () => (late() ? backers(sizeLimitOf(context)) : undefined),
      unsubscribe: () => window.unsubscribe(),
    };
    return plan;
  };
}

/**
 * Whom the plan had before it: whoever of them it does not ask for everything is left alone, since the data
 * is too large or the caller forced another plan. Those who join are not bound by what others forced.
 */
function plannedHolders({ request, session, holders }: RecoveryContext): ReadonlySet<number> {
  if (request.strategies === undefined) {
    return new Set(holders.list());
  }
  const { backingGroup, holders: named = [] } = request;
  const group = backingGroup === undefined ? [] : (session.groups[backingGroup] ?? []);
  return new Set([...group, ...named]);
}

/** Whether callers who joined named somebody new who may be asked for everything. */
function hasLateHolders(context: RecoveryContext, known: ReadonlySet<number>): boolean {
  const { request, settings, holders } = context;
  return (
    settings.fastPathFor.includes(request.checkMode) &&
    settings.totalBackerTimeMs !== 0 &&
    holders
      .list()
      .some((place) => !known.has(place) && authorityOf(context, place) !== undefined) &&
    sizeLimitOf(context) > 0
  );
}

function sizeLimitOf({ request, settings }: RecoveryContext): number {
  return request.sizeLimitBytes ?? settings.sizeLimitBytes;
}

function orderOf(
  context: RecoveryContext,
  chunkBytes: number | undefined,
  policy: SizePolicy,
): SizePlan {
  const { request, session, mapping, settings, holders } = context;
  if (request.strategies !== undefined) {
    return { strategies: request.strategies };
  }
  const isFastPathOpen = settings.fastPathFor.includes(request.checkMode);
  const groupSize = isFastPathOpen ? holders.list().length : 0;
  const hasSystematicHolders = mapping !== null && mapping.scheme !== 'identity';
  const estimateBytes =
    chunkBytes === undefined
      ? undefined
      : chunkBytes * systematicThreshold(session.validators.length);
  return policy(estimateBytes, groupSize, {
    limitBytes: sizeLimitOf(context),
    sizeUnknown: settings.sizeUnknown,
    hasSystematicHolders,
  });
}

function chunks(
  context: RecoveryContext,
  window: RequestWindow,
  type: Exclude<StrategyType, 'full_from_backers'>,
): RecoveryStrategy {
  if (type === 'regular_chunks') {
    return regularChunks(context, window);
  }
  if (context.mapping === null) {
    throw new TypeError('coreIndex: systematic_chunks needs the core, which the request lacks');
  }
  return systematicChunks(context, window, context.mapping);
}
