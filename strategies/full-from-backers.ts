/**
 * @module
 * Strategy 1: the full data from one backer after the other (recovery spec §4.5). A backer that sends
 * something wrong is wrong, not the candidate.
 */

import {
  catchError,
  concat,
  concatMap,
  defaultIfEmpty,
  defer,
  finalize,
  from,
  map,
  type Observable,
  of,
  repeat,
  take,
  takeWhile,
  throwError,
  timeout,
} from 'rxjs';
import { isErrorOf, unreachable } from '../src/primitives/errors.ts';
import type { AuthorityId, ValidatorIndex } from '../src/primitives/ids.ts';
import { MAX_RESPONSE_BYTES } from '../src/primitives/limits.ts';
import { shuffle } from '../src/primitives/random.ts';
import { asRecoveryError } from '../src/recovery/errors.ts';
import type { StrategyEndReason } from '../src/recovery/labels.ts';
import { type DataReply, RequestError } from '../src/recovery/ports.ts';
import { RECOVERY_METRICS } from '../src/recovery/recovery-metrics.ts';
import { type CheckedData, checkData, notedSubject } from '../src/recovery/result-check.ts';
import type {
  RecoveryContext,
  RecoveryStrategy,
  StrategyOutput,
} from '../src/recovery/strategy.ts';
import { type AnswerOrigin, type FailureAnswer, failureAnswer } from './ask-chunk.ts';
import { authorityOf } from './askable.ts';
import { attemptFinished } from './attempt-finished.ts';
import type { RequestWindow } from './request-window.ts';
import { strategyEnded } from './strategy-ended.ts';

const TYPE = 'full_from_backers';

/** A backer and its place. */
type Backer = { readonly authority: AuthorityId; readonly validatorIndex: ValidatorIndex };

/** What one backer's answer amounts to. */
type DataAnswer =
  | (AnswerOrigin & { readonly type: 'success'; readonly data: CheckedData })
  | (AnswerOrigin & { readonly type: 'no_such_data' })
  | (FailureAnswer & { readonly announcedBytes?: number });

/** Either an event on the way, or that the strategy is over. */
type Step =
  | { readonly type: 'output'; readonly output: StrategyOutput }
  | {
      readonly type: 'end';
      readonly reason: StrategyEndReason;
      readonly data?: CheckedData;
      readonly announcedBytes?: number;
    };

/** How the strategy asks. */
export type FullDataOptions = {
  /**
   * Set when nothing tells the size: larger answers are refused by this cap, and the first backer that
   * announces more ends the strategy, without fault.
   */
  readonly capBytes: number | undefined;
  /** Whom the recovery has asked for everything, filled here: each is asked once. */
  readonly asked: Set<ValidatorIndex>;
};

/** Makes the strategy; the order of the backers known now is drawn here, once. */
export function fullFromBackers(
  context: RecoveryContext,
  window: RequestWindow,
  { capBytes, asked }: FullDataOptions,
): RecoveryStrategy {
  const { runtime, settings } = context;
  const queue: Backer[] = [];
  const admit = (places: readonly ValidatorIndex[]): void => {
    const order = [...places];
    shuffle(order, runtime.random);
    queue.push(...order.toReversed().flatMap((place) => backerAt(context, place)));
  };
  admit(context.holders.list().filter((place) => !asked.has(place)));
  const nextBacker = (): Backer | undefined => {
    const backer = queue.shift();
    if (backer !== undefined) {
      asked.add(backer.validatorIndex);
    }
    return backer;
  };
  return {
    type: TYPE,
    run: () =>
      defer(() => {
        const { totalBackerTimeMs } = settings;
        const endMs = runtime.scheduler.now() + (totalBackerTimeMs ?? Number.POSITIVE_INFINITY);
        const reason = queue.length === 0 ? 'nobody_to_ask' : 'sources_exhausted';
        const leave = context.holders.follow(admit);
        return defer(() => {
          if (queue.length > 0 && runtime.scheduler.now() >= endMs) {
            // None is taken: who was not asked may be later.
            return of<Step>({ type: 'end', reason: 'out_of_time' });
          }
          const backer = nextBacker();
          return backer === undefined
            ? of<Step>({ type: 'end', reason })
            : askBacker(context, backer, capBytes, endMs);
        }).pipe(repeat(), finalize(leave));
      }).pipe(
        takeWhile((step) => step.type !== 'end', true),
        concatMap((step) =>
          step.type === 'output' ? of(step.output) : from(finalOutputs(context, window, step)),
        ),
      ),
  };
}

/** The backer at a place, or none where nobody can be asked. */
function backerAt(context: RecoveryContext, place: ValidatorIndex): readonly Backer[] {
  const authority = authorityOf(context, place);
  return authority === undefined ? [] : [{ authority, validatorIndex: place }];
}

function finalOutputs(
  context: RecoveryContext,
  window: RequestWindow,
  { reason, data, announcedBytes }: Step & { readonly type: 'end' },
): readonly StrategyOutput[] {
  const end: StrategyOutput = {
    ...strategyEnded(context, TYPE, reason),
    ...(announcedBytes === undefined ? {} : { announcedBytes }),
  };
  // Chunks may be on the way where a chunk strategy ran before.
  return data === undefined ? [end] : [...window.cancelAll(), end, { type: 'data', data }];
}

function askBacker(
  context: RecoveryContext,
  backer: Backer,
  capBytes: number | undefined,
  endMs: number,
): Observable<Step> {
  return defer(() => {
    const startedAtMs = context.runtime.scheduler.now();
    const attemptId = context.nextAttemptId();
    return concat(
      of<Step>({
        type: 'output',
        output: {
          type: 'attempt_started',
          atMs: startedAtMs,
          attemptId,
          kind: 'available_data',
          strategy: TYPE,
          source: backer.authority,
          validatorIndex: backer.validatorIndex,
        },
      }),
      answerOf(context, backer, capBytes, endMs - startedAtMs).pipe(
        concatMap((answer) =>
          from(afterAnswer(context, { attemptId, startedAtMs, answer, capBytes })),
        ),
      ),
    );
  });
}

function answerOf(
  context: RecoveryContext,
  { authority, validatorIndex }: Backer,
  capBytes: number | undefined,
  remainingMs: number,
): Observable<DataAnswer> {
  const { request, settings, runtime, dataSource } = context;
  const maxBytes = capBytes ?? MAX_RESPONSE_BYTES;
  const reply$ = defer(() =>
    dataSource.askData({
      candidateHash: request.candidate.candidateHash,
      sessionIndex: request.sessionIndex,
      validatorIndex,
      authority,
      maxBytes,
      dial: settings.dialBackers,
    }),
  ).pipe(
    take(1),
    map((reply) => knownReply(reply, maxBytes)),
    catchError((cause: unknown) => of(failedReply(cause))),
    defaultIfEmpty<DataReply | DataAnswer, DataAnswer>({
      type: 'error',
      code: 'no_answer',
      bytes: 0,
    }),
  );
  const timed$ = Number.isFinite(remainingMs)
    ? reply$.pipe(
        timeout({
          first: remainingMs,
          scheduler: runtime.scheduler,
          with: () => of<DataAnswer>({ type: 'canceled', code: 'out_of_time', bytes: 0 }),
        }),
      )
    : reply$;
  return timed$.pipe(
    concatMap((reply) =>
      reply.type === 'available_data' ? checkReply(context, reply) : of(reply),
    ),
  );
}

/** Lets pass what is a reply at all. Data above the size that the source was told is not hashed. */
function knownReply(reply: DataReply, maxBytes: number): DataReply {
  switch (reply.type) {
    case 'available_data': {
      const announcedBytes = reply.data.pov.blockData.length;
      if (announcedBytes > maxBytes) {
        const { bytes } = reply;
        throw new RequestError('too_large', 'more than was asked for', { announcedBytes, bytes });
      }
      return reply;
    }
    case 'no_such_data':
      return reply;
    default:
      return unreachable(reply);
  }
}

function failedReply(cause: unknown): DataAnswer {
  const announced = isErrorOf(cause, 'RequestError') ? cause.details['announcedBytes'] : undefined;
  const answer = failureAnswer(cause);
  return typeof announced === 'number' ? { ...answer, announcedBytes: announced } : answer;
}

function checkReply(
  context: RecoveryContext,
  reply: DataReply & { readonly type: 'available_data' },
): Observable<DataAnswer> {
  const { protocol, bytes } = reply;
  const { metrics, runtime } = context;
  const startedAtMs = runtime.scheduler.now();
  const outcome$ = startedCheck(reply.data, notedSubject(context), context.work);
  if (outcome$ === undefined) {
    return of({ type: 'error', code: 'source_failed', protocol, bytes });
  }
  return outcome$.pipe(
    map((outcome): DataAnswer => {
      if (outcome.type === 'mismatch') {
        return { type: 'invalid', code: outcome.evidence.reason, protocol, bytes };
      }
      const seconds = (runtime.scheduler.now() - startedAtMs) / 1_000;
      metrics.observe(RECOVERY_METRICS.erasureSeconds, seconds, { type: TYPE });
      return { type: 'success', data: outcome.data, protocol, bytes };
    }),
    catchError((cause: unknown) => throwError(() => asRecoveryError(cause, 'work_failed'))),
  );
}

/** Undefined for data that has no encoding: no peer can send that, so the source is broken. */
function startedCheck(
  ...check: Parameters<typeof checkData>
): ReturnType<typeof checkData> | undefined {
  try {
    return checkData(...check);
  } catch {
    return undefined;
  }
}

function afterAnswer(
  context: RecoveryContext,
  attempt: {
    readonly attemptId: number;
    readonly startedAtMs: number;
    readonly answer: DataAnswer;
    readonly capBytes: number | undefined;
  },
): readonly Step[] {
  const { answer, capBytes } = attempt;
  const finished: Step = {
    type: 'output',
    output: attemptFinished(attempt, answer, context.runtime.scheduler.now()),
  };
  if (answer.type === 'success') {
    return [finished, { type: 'end', reason: 'recovered', data: answer.data }];
  }
  if (answer.type === 'canceled' && answer.code === 'out_of_time') {
    return [finished, { type: 'end', reason: 'out_of_time' }];
  }
  if (capBytes !== undefined && 'announcedBytes' in answer && answer.announcedBytes !== undefined) {
    const { announcedBytes } = answer;
    return [finished, { type: 'end', reason: 'too_large', announcedBytes }];
  }
  return [finished];
}
