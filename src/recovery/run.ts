/**
 * @module
 * One recovery from start to data, as a cold stream: session, own store, then the strategies in order,
 * cut after the first that has the data.
 */

import {
  catchError,
  concat,
  concatMap,
  defaultIfEmpty,
  defer,
  EMPTY,
  finalize,
  from,
  map,
  type Observable,
  of,
  repeat,
  take,
  takeWhile,
  tap,
  throwError,
  using,
} from 'rxjs';
import { receiptCoreIndex } from '../codec/candidate.ts';
import type { Coding, CodingChoice } from '../coding/coding.ts';
import type { ErasureWork, RecoveryWork, WorkSubject } from '../coding/erasure-work.ts';
import { type ChunkMapping, chunkMapping, schemeOf } from '../mapping/assignment.ts';
import { MAX_VALIDATORS, MIN_VALIDATORS } from '../primitives/limits.ts';
import { chunksNeeded } from './chunks-needed.ts';
import type { DataHolders } from './data-holders.ts';
import { asRecoveryError, localFault, RecoveryError } from './errors.ts';
import type { RecoveryEvent } from './events.ts';
import { heldToGuarantees } from './held-work.ts';
import { KnownChunks } from './known-chunks.ts';
import type { RecoveredFrom, StrategyType } from './labels.ts';
import { loadChunkBytes, loadOwnData } from './own-data.ts';
import type {
  ChunkSource,
  ChunkStore,
  DataSource,
  Logger,
  MetricsSink,
  Runtime,
  SessionDirectory,
  SessionInfo,
} from './ports.ts';
import type { RecoveryMeter } from './recovery-metrics.ts';
import type { CheckedRequest } from './request.ts';
import type { CheckedData } from './result-check.ts';
import type { RecoverySettings } from './settings.ts';
import type {
  RecoveryContext,
  RecoveryStrategy,
  StrategyPlan,
  StrategyPlanner,
} from './strategy.ts';
import type { WorkLog } from './work-log.ts';

/** What every recovery of one instance is made with. */
export type RecoveryParts = {
  readonly directory: SessionDirectory;
  readonly chunkSource: ChunkSource;
  readonly dataSource: DataSource;
  readonly store: ChunkStore | undefined;
  readonly runtime: Runtime;
  readonly metrics: MetricsSink;
  readonly logger: Logger;
  readonly settings: RecoverySettings;
  readonly coding: CodingChoice;
  /** Does the heavy part. */
  readonly work: ErasureWork;
  /** Whether it is closed when the instance is stopped. */
  readonly closesWork: boolean;
  readonly planner: StrategyPlanner;
};

/** What outlives the run, or is shared by its callers. */
export type RunShared = {
  readonly meter: Pick<RecoveryMeter, 'begin'>;
  readonly holders: DataHolders;
  readonly workLog: WorkLog;
};

/** What a run emits: public events, and last the data. */
export type RunOutput =
  | RecoveryEvent
  | { readonly type: 'data'; readonly data: CheckedData; readonly from: RecoveredFrom };

/**
 * Runs one recovery.
 *
 * Errors with a `RecoveryError` (`unavailable`, `invalid`, `local_fault`), or with the `TypeError` or
 * `RangeError` of a request that does not fit its session.
 */
export function runRecovery(
  parts: RecoveryParts,
  request: CheckedRequest,
  shared: RunShared,
): Observable<RunOutput> {
  return defer(() =>
    concat(
      of<RunOutput>({
        type: 'started',
        atMs: parts.runtime.scheduler.now(),
        candidateHash: request.candidate.candidateHash,
        sessionIndex: request.sessionIndex,
      }),
      warnings(parts, request),
      loadSession(parts, request).pipe(
        concatMap((session) => {
          shared.holders.setSession(session);
          return withWork(parts, request, session, shared.workLog, (open) =>
            recoverInSession(
              parts,
              contextOf(parts, request, session, { ...shared, ...open }),
              shared.meter,
            ),
          );
        }),
      ),
    ),
  );
}

/** Recovery reads the core from the request alone (recovery spec §2.3); a difference is worth a look. */
function warnings(
  { runtime }: RecoveryParts,
  { candidate, coreIndex }: CheckedRequest,
): Observable<RunOutput> {
  const inReceipt = receiptCoreIndex(candidate.receipt);
  return coreIndex === undefined || inReceipt === undefined || inReceipt === coreIndex
    ? EMPTY
    : of({
        type: 'warning',
        atMs: runtime.scheduler.now(),
        code: 'core_index_mismatch',
        requested: coreIndex,
        inReceipt,
      });
}

function loadSession(
  { directory, settings }: RecoveryParts,
  { sessionIndex }: CheckedRequest,
): Observable<SessionInfo> {
  return defer(() => directory.session(sessionIndex)).pipe(
    take(1),
    map(copyOf),
    // Whatever a directory fails with is no verdict, be it another recovery's `invalid`.
    catchError((cause: unknown) =>
      throwError(() => noSession(settings.sessionMissing, 'directory_failed', cause)),
    ),
    tap((session) => assertUsable(session, sessionIndex)),
    defaultIfEmpty<SessionInfo | undefined, undefined>(undefined),
    map((session) => {
      if (session === undefined) {
        throw noSession(settings.sessionMissing, 'session_missing');
      }
      return session;
    }),
  );
}

/**
 * Spec: to the reference a session that is unknown and one that it fails to ask for are alike
 * unavailable (recovery spec §4.2). Impl: one setting covers both; by default they are faults of ours.
 */
function noSession(
  code: RecoverySettings['sessionMissing'],
  reason: 'session_missing' | 'directory_failed',
  cause?: unknown,
): RecoveryError {
  return new RecoveryError(code, `the session is not known: ${reason}`, { reason }, { cause });
}

/** Of one moment: n and the rest must be the same when chunks are verified and when they are checked. */
function copyOf(session: SessionInfo): SessionInfo {
  return {
    ...session,
    validators: [...session.validators],
    groups: session.groups.map((group) => [...group]),
    nodeFeatures: [...session.nodeFeatures],
  };
}

/** Another session, or another number of validators, would make good chunks look invalid. */
function assertUsable({ index, validators }: SessionInfo, sessionIndex: number): void {
  const n = validators.length;
  if (n < MIN_VALIDATORS || n > MAX_VALIDATORS) {
    throw localFault('session_unusable', new RangeError(`a session of ${n} validators`));
  }
  if (index !== sessionIndex) {
    throw localFault(
      'session_unusable',
      new RangeError(`session ${index} in the place of session ${sessionIndex}`),
    );
  }
}

type OpenWork = { readonly coding: Coding; readonly work: RecoveryWork };

/** Opens the work of one recovery, and closes it when the recovery is over, however. */
function withWork(
  { coding: choose, work: port, logger }: RecoveryParts,
  { candidate }: CheckedRequest,
  session: SessionInfo,
  workLog: WorkLog,
  run: (open: OpenWork) => Observable<RunOutput>,
): Observable<RunOutput> {
  return defer(() => {
    const coding = choose(session.nodeFeatures);
    const { erasureRoot } = candidate;
    const opened = openWork(port, {
      coding,
      erasureRoot: erasureRoot.slice(),
      validatorCount: session.validators.length,
    });
    workLog.open(() => port.description, opened);
    const work = heldToGuarantees(opened);
    return run({ coding, work }).pipe(
      finalize(() => {
        try {
          work.close();
        } catch (cause: unknown) {
          logger.warn('work_close_failed', { candidateHash: candidate.candidateHash, cause });
        }
      }),
    );
  });
}

function openWork(port: ErasureWork, subject: WorkSubject): RecoveryWork {
  try {
    return port.open(subject);
  } catch (cause: unknown) {
    throw localFault('work_failed', cause);
  }
}

function contextOf(
  parts: RecoveryParts,
  request: CheckedRequest,
  session: SessionInfo,
  { holders, workLog, work, coding }: Omit<RunShared, 'meter'> & OpenWork,
): RecoveryContext {
  let attempts = 0;
  return {
    request,
    session,
    mapping: mappingOf(request, session),
    known: new KnownChunks(),
    holders,
    settings: parts.settings,
    chunkSource: parts.chunkSource,
    dataSource: parts.dataSource,
    store: request.useStore ? parts.store : undefined,
    coding,
    work,
    workLog,
    runtime: parts.runtime,
    metrics: parts.metrics,
    logger: parts.logger,
    nextAttemptId: () => {
      attempts += 1;
      return attempts - 1;
    },
  };
}

/** The request's choice, else the session's, else what the node features say. */
function mappingOf(request: CheckedRequest, session: SessionInfo): ChunkMapping | null {
  const option = request.mapping ?? session.mapping ?? { scheme: schemeOf(session.nodeFeatures) };
  const validatorCount = session.validators.length;
  if (option.scheme === 'identity') {
    return chunkMapping({ scheme: 'identity', validatorCount, coreIndex: 0 });
  }
  const { coreIndex } = request;
  return coreIndex === undefined ? null : chunkMapping({ ...option, validatorCount, coreIndex });
}

function recoverInSession(
  parts: RecoveryParts,
  context: RecoveryContext,
  meter: Pick<RecoveryMeter, 'begin'>,
): Observable<RunOutput> {
  return askChunkBytes(parts, context).pipe(
    concatMap((chunkBytes) =>
      concat(
        loadOwnData(context).pipe(
          map((data): RunOutput => ({ type: 'data', data, from: 'store' })),
          catchError((cause: unknown) => throwError(() => asRecoveryError(cause, 'work_failed'))),
        ),
        tryStrategies(() => {
          const plan = parts.planner(context, chunkBytes);
          meter.begin();
          return plan;
        }, context),
      ).pipe(takeWhile((output) => output.type !== 'data', true)),
    ),
  );
}

/**
 * Spec: the size of a local chunk is asked only where a valid group was named, before the question for
 * full data, and also by those who otherwise bypass the store (recovery spec §4.3).
 */
function askChunkBytes(
  { store }: RecoveryParts,
  context: RecoveryContext,
): Observable<number | undefined> {
  const { request, session } = context;
  const { backingGroup, holders = [], strategies } = request;
  const group = backingGroup === undefined ? undefined : session.groups[backingGroup];
  const hasGroup = group !== undefined || holders.length > 0;
  return store === undefined || !hasGroup || strategies !== undefined
    ? of(undefined)
    : loadChunkBytes(context, store);
}

function tryStrategies(
  makePlan: () => StrategyPlan,
  context: RecoveryContext,
): Observable<RunOutput> {
  return using(makePlan, (plan) => {
    // `using` hands back what the first function made; its type allows nothing else here.
    const made = plan as StrategyPlan;
    return concat(
      from(made.strategies).pipe(concatMap((strategy) => runStrategy(context, strategy))),
      defer(() => {
        const another = made.more();
        return another === undefined ? noStrategyLeft() : runStrategy(context, another);
      }).pipe(repeat()),
    );
  });
}

function noStrategyLeft(): Observable<never> {
  return throwError(
    () =>
      new RecoveryError('unavailable', 'no strategy could get the data', {
        reason: 'sources_exhausted',
      }),
  );
}

function neededBy(
  { settings, request, session }: RecoveryContext,
  strategy: StrategyType,
): { readonly chunksNeeded?: number } {
  const { checkMode } = request;
  const needed = chunksNeeded(strategy, { settings, checkMode }, session.validators.length);
  return needed === undefined ? {} : { chunksNeeded: needed };
}

function runStrategy(context: RecoveryContext, strategy: RecoveryStrategy): Observable<RunOutput> {
  return concat(
    defer(() =>
      of<RunOutput>({
        type: 'strategy_started',
        atMs: context.runtime.scheduler.now(),
        strategy: strategy.type,
        ...neededBy(context, strategy.type),
      }),
    ),
    defer(() => strategy.run()).pipe(
      map(
        (output): RunOutput =>
          output.type === 'data' ? { ...output, from: strategy.type } : output,
      ),
      catchError((cause: unknown) => throwError(() => asRecoveryError(cause, 'strategy_failed'))),
    ),
  );
}
