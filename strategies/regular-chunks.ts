/**
 * @module
 * Strategy 3: enough chunks of any kind from any validators, decoded (recovery spec §4.7).
 */

import { concat, defer, type Observable, of } from 'rxjs';
import type { VerifiedChunk } from '../src/primitives/chunk.ts';
import { type ValidatorIndex, validatorIndex } from '../src/primitives/ids.ts';
import { shuffle } from '../src/primitives/random.ts';
import { recoveryThreshold, systematicThreshold } from '../src/primitives/thresholds.ts';
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
  const threshold = chunksNeeded(context);
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
        ? of<StrategyOutput>({
            type: 'strategy_ended',
            atMs: context.runtime.scheduler.now(),
            strategy: TYPE,
            reason: 'sources_exhausted',
          })
        : decodeAndCheck(context, {
            strategy: TYPE,
            method: 'reconstruct',
            chunks: chunksToDecode(context, threshold),
            onFailure: 'verdict',
            onSuccess: () => window.cancelAll(),
          }),
    ),
  );
}

/** Whether exactly k chunks are collected and decoded: only where the result is encoded again. */
function decodesExactlyK({ request, settings }: RecoveryContext): boolean {
  return settings.stopAt === 'systematic_threshold' && request.checkMode === 're_encode';
}

/**
 * Spec: the reference waits for f+1 and decodes from all that it holds. Impl: in re-encode mode any k
 * chunks of a codeword decode to the same and everything else fails the root, so k are enough; in
 * PoV-hash mode another set could decode to another value, so we do as the reference does.
 */
function chunksNeeded(context: RecoveryContext): number {
  const n = context.session.validators.length;
  return decodesExactlyK(context) ? systematicThreshold(n) : recoveryThreshold(n);
}

function chunksToDecode(context: RecoveryContext, threshold: number): readonly VerifiedChunk[] {
  const held = context.known.ascending();
  return decodesExactlyK(context) ? held.slice(0, threshold) : held;
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
