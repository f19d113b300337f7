/**
 * @module
 * Strategy 3: enough chunks of any kind from any validators, decoded (recovery spec §4.7).
 */

import { concat, defer, type Observable, of } from 'rxjs';
import { type ValidatorIndex, validatorIndex } from '../src/primitives/ids.ts';
import { shuffle } from '../src/primitives/random.ts';
import { decodesExactlyK, regularChunksNeeded } from '../src/recovery/chunks-needed.ts';
import type {
  RecoveryContext,
  RecoveryStrategy,
  StrategyOutput,
} from '../src/recovery/strategy.ts';
import { authorityOf } from './askable.ts';
import { decodeAndCheck } from './decode-and-check.ts';
import { afterLocalChunks } from './local-chunks.ts';
import { desiredRegular } from './predicates.ts';
import { RequestQueue } from './request-queue.ts';
import type { RequestWindow } from './request-window.ts';
import type { SourceKey } from './retry-table.ts';
import { strategyEnded } from './strategy-ended.ts';

const TYPE = 'regular_chunks';

/** Makes the strategy. The order of validators is drawn here, once. */
export function regularChunks(context: RecoveryContext, window: RequestWindow): RecoveryStrategy {
  const order = context.session.validators.map((_authority, index) => validatorIndex(index));
  shuffle(order, context.runtime.random);
  return {
    type: TYPE,
    run: () => afterLocalChunks(context, () => collect(context, window, order)),
  };
}

function collect(
  context: RecoveryContext,
  window: RequestWindow,
  order: readonly ValidatorIndex[],
): Observable<StrategyOutput> {
  const { known, settings } = context;
  const rules = { settings, checkMode: context.request.checkMode };
  const threshold = regularChunksNeeded(rules, context.session.validators.length);
  return concat(
    window.collect({
      strategy: TYPE,
      queue: new RequestQueue(sources(context, window, order)),
      attempts: settings.attempts.regular,
      backups: [],
      threshold,
      // A backer on the way in the place of a validator was a matter of the systematic strategy.
      wants: ({ authority, validatorIndex: index }) =>
        context.session.validators[index] === authority,
      held: () => known.count,
      desired: (counts) =>
        desiredRegular(known.count, threshold, settings.parallelAttempts, counts),
    }),
    defer(() =>
      known.count < threshold
        ? of(strategyEnded(context, TYPE, 'sources_exhausted'))
        : decodeAndCheck(context, {
            strategy: TYPE,
            method: 'reconstruct',
            chunks: decodesExactlyK(rules)
              ? known.ascending().slice(0, threshold)
              : known.ascending(),
            onFailure: 'verdict',
            onSuccess: () => window.cancelAll(),
          }),
    ),
  );
}

/** Everybody whose chunk is not held, may be asked, and is not being asked already. */
function sources(
  context: RecoveryContext,
  window: RequestWindow,
  order: readonly ValidatorIndex[],
): readonly SourceKey[] {
  const { known, settings } = context;
  const delivered = known.deliverers();
  return order.flatMap((index) => {
    const authority = authorityOf(context, index);
    if (authority === undefined || known.isOwn(index) || delivered.has(index)) {
      return [];
    }
    const source = { authority, validatorIndex: index };
    return window.retries.canRetry(source, settings.attempts.regular) && !window.isAsking(source)
      ? [source]
      : [];
  });
}
