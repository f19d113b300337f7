/**
 * @module
 * Strategy 2: the k chunks that carry the payload itself, each from its holder or, failing that, from a
 * backer. No decoding, only a transposition (recovery spec §4.7).
 */

import { concat, defer, finalize, type Observable, of } from 'rxjs';
import type { ChunkMapping } from '../src/mapping/assignment.ts';
import type { AuthorityId, ValidatorIndex } from '../src/primitives/ids.ts';
import type {
  RecoveryContext,
  RecoveryStrategy,
  StrategyOutput,
} from '../src/recovery/strategy.ts';
import { authorityOf } from './askable.ts';
import { decodeAndCheck } from './decode-and-check.ts';
import { afterLocalChunks, type LocalChunks } from './local-chunks.ts';
import { desiredSystematic } from './predicates.ts';
import { RequestQueue } from './request-queue.ts';
import type { RequestWindow } from './request-window.ts';
import type { SourceKey } from './retry-table.ts';
import { strategyEnded } from './strategy-ended.ts';
import { takeBackup } from './window-rules.ts';

const TYPE = 'systematic_chunks';

/** Makes the strategy for a candidate whose chunk mapping is known. */
export function systematicChunks(
  context: RecoveryContext,
  window: RequestWindow,
  mapping: ChunkMapping,
): RecoveryStrategy {
  return {
    type: TYPE,
    run: () => afterLocalChunks(context, (local) => collect(context, window, mapping, local)),
  };
}

function collect(
  context: RecoveryContext,
  window: RequestWindow,
  mapping: ChunkMapping,
  local: LocalChunks,
): Observable<StrategyOutput> {
  const { known, settings } = context;
  const threshold = mapping.systematicThreshold;
  const isOwnChunkLost = [...local.invalid].some((index) => index < threshold && !known.has(index));
  if (isOwnChunkLost && settings.localChunk === 'end_strategy') {
    return of(strategyEnded(context, TYPE, 'sources_exhausted'));
  }
  const held = (): number => known.countBelow(threshold);
  const backups = authoritiesOf(context, context.holders.list());
  const leave = context.holders.follow((added) => backups.push(...authoritiesOf(context, added)));
  return concat(
    window
      .collect({
        strategy: TYPE,
        queue: new RequestQueue(wantedSources(context, window, mapping, backups)),
        attempts: settings.attempts.systematic,
        backups,
        threshold,
        wants: ({ validatorIndex }) => isStillWanted(context, mapping, validatorIndex),
        held,
        desired: () => desiredSystematic(held(), threshold, settings.parallelAttempts),
      })
      .pipe(finalize(leave)),
    defer(() =>
      held() < threshold
        ? of(strategyEnded(context, TYPE, 'sources_exhausted'))
        : decodeAndCheck(context, {
            strategy: TYPE,
            method: 'reassemble',
            chunks: known.ascending().slice(0, threshold),
            onFailure: onFailure(context),
            onSuccess: () => window.cancelAll(),
          }),
    ),
  );
}

/**
 * Whether a source that failed is asked again or replaced. Spec: the reference does so even when
 * somebody else has delivered that very chunk meanwhile (recovery spec §4.6). Impl: where the window
 * belongs to the recovery, what is held is not asked for.
 */
function isStillWanted(
  { known, settings }: RecoveryContext,
  mapping: ChunkMapping,
  validatorIndex: ValidatorIndex,
): boolean {
  const chunkIndex = mapping.chunkOf(validatorIndex);
  return (
    !settings.carryInFlight || (chunkIndex < mapping.systematicThreshold && !known.has(chunkIndex))
  );
}

/**
 * Whom to ask first for each systematic chunk that is not held, in ascending validator order; a holder
 * that can't be asked is replaced by a backer at once.
 */
function wantedSources(
  context: RecoveryContext,
  window: RequestWindow,
  mapping: ChunkMapping,
  backups: AuthorityId[],
): readonly SourceKey[] {
  const { known, settings } = context;
  const holders = mapping
    .systematicHolders()
    .filter((holder) => !known.has(mapping.chunkOf(holder)))
    .toSorted((a, b) => a - b);
  const fromHolders: SourceKey[] = [];
  const fromBackers: SourceKey[] = [];
  for (const holder of holders) {
    const source = askableHolder(context, holder);
    if (source !== undefined && window.isAsking(source)) {
      // Its answer is still to come; a failure is dealt with then.
      continue;
    }
    if (source === undefined || !window.retries.canRetry(source, settings.attempts.systematic)) {
      const backup = takeBackup(backups, holder, window.retries);
      if (backup !== undefined) {
        fromBackers.push({ authority: backup, validatorIndex: holder });
      }
    } else {
      fromHolders.push(source);
    }
  }
  return [...fromBackers, ...fromHolders];
}

/** Ourselves we may know by the index of a stored chunk alone, also where it was not the mapped one. */
function askableHolder(context: RecoveryContext, holder: ValidatorIndex): SourceKey | undefined {
  const isOurselves = context.known.isOwn(holder) && !context.settings.askSelf;
  const authority = isOurselves ? undefined : authorityOf(context, holder);
  return authority === undefined ? undefined : { authority, validatorIndex: holder };
}

function authoritiesOf(context: RecoveryContext, places: readonly ValidatorIndex[]): AuthorityId[] {
  return places
    .map((place) => authorityOf(context, place))
    .filter((authority) => authority !== undefined);
}

function onFailure({ request, settings }: RecoveryContext): 'verdict' | 'next_strategy' {
  return request.checkMode === 're_encode' || settings.systematicFailure === 'invalid'
    ? 'verdict'
    : 'next_strategy';
}
