/**
 * @module
 * From proven chunks to checked data, and what it takes before proven chunks may be called invalid.
 */

import {
  catchError,
  concat,
  concatMap,
  defer,
  from,
  map,
  type Observable,
  of,
  throwError,
} from 'rxjs';
import type { Decoded, DecodeMethod, RecoveryWork } from '../src/coding/erasure-work.ts';
import { plainWork } from '../src/coding/plain-work.ts';
import { equalBytes } from '../src/primitives/bytes.ts';
import type { VerifiedChunk } from '../src/primitives/chunk.ts';
import { isErrorOf } from '../src/primitives/errors.ts';
import {
  asRecoveryError,
  type InvalidEvidence,
  localFault,
  RecoveryError,
} from '../src/recovery/errors.ts';
import type { StrategyType } from '../src/recovery/labels.ts';
import { RECOVERY_METRICS } from '../src/recovery/recovery-metrics.ts';
import {
  type CheckedData,
  type CheckOutcome,
  checkDecoded,
  checkSubject,
  notedSubject,
} from '../src/recovery/result-check.ts';
import type { RecoveryContext, StrategyOutput } from '../src/recovery/strategy.ts';
import { strategyEnded } from './strategy-ended.ts';

/** What a strategy hands to the last step. */
export type DecodeJob = {
  readonly strategy: StrategyType;
  readonly method: DecodeMethod;
  readonly chunks: readonly VerifiedChunk[];
  /**
   * What a failure means: `verdict` ends the recovery in `invalid` after it was confirmed,
   * `next_strategy` says nothing yet.
   */
  readonly onFailure: 'verdict' | 'next_strategy';
  /** Called once when the data is there: stops what is still on the way. */
  onSuccess(): readonly StrategyOutput[];
};

/** Decodes, checks and ends the strategy. Errors with `invalid` or `local_fault`. */
export function decodeAndCheck(
  context: RecoveryContext,
  job: DecodeJob,
): Observable<StrategyOutput> {
  const now = (): number => context.runtime.scheduler.now();
  const chunkCount = job.chunks.length;
  return defer(() =>
    concat(
      of<StrategyOutput>({ type: 'decoding', atMs: now(), chunkCount }),
      decodeAndMeasure(context, job),
    ),
  ).pipe(catchError((cause: unknown) => throwError(() => asRecoveryError(cause, 'work_failed'))));
}

type Mismatch = CheckOutcome & { readonly type: 'mismatch' };

function decodeAndMeasure(context: RecoveryContext, job: DecodeJob): Observable<StrategyOutput> {
  const now = (): number => context.runtime.scheduler.now();
  return defer(() => {
    const startedAtMs = now();
    return decode(context, job, context.work).pipe(
      concatMap((decoded) => {
        if (decoded.type === 'mismatch') {
          return conclude(context, job, decoded);
        }
        const decodedAtMs = now();
        countDecode(context, decoded);
        return concat(
          of<StrategyOutput>({ type: 'checking', atMs: decodedAtMs }),
          checkDecoded(decoded, notedSubject(context), context.work).pipe(
            concatMap((outcome) => {
              recordTimes(context, job, outcome, { startedAtMs, decodedAtMs });
              return conclude(context, job, outcome);
            }),
          ),
        );
      }),
    );
  });
}

function countDecode({ metrics, workLog }: RecoveryContext, { path }: Decoded): void {
  const engine = workLog.record()?.engine;
  if (engine !== undefined) {
    metrics.increment(RECOVERY_METRICS.decodes, { engine, path });
  }
}

/** Spec: successes alone are timed as a whole, decoding where it gave a value (recovery spec §6). */
function recordTimes(
  { metrics, runtime }: RecoveryContext,
  { strategy }: DecodeJob,
  outcome: CheckOutcome,
  { startedAtMs, decodedAtMs }: { readonly startedAtMs: number; readonly decodedAtMs: number },
): void {
  const labels = { type: strategy };
  const isValue = outcome.type === 'checked' || outcome.evidence.reason !== 'not_decodable';
  if (strategy === 'systematic_chunks' && isValue) {
    const seconds = (decodedAtMs - startedAtMs) / 1_000;
    metrics.observe(RECOVERY_METRICS.reconstructSeconds, seconds, labels);
  }
  if (outcome.type === 'checked') {
    const seconds = (runtime.scheduler.now() - startedAtMs) / 1_000;
    metrics.observe(RECOVERY_METRICS.erasureSeconds, seconds, labels);
  }
}

/**
 * The padded payload, or the mismatch that stands for chunks that are no codeword's.
 *
 * Spec: the reference decodes from all chunks that it holds (erasure spec §4.5). Impl: of those, the work
 * may take k if the root is wanted. A root that is another than the candidate's may mean that the rest
 * is not on that codeword; then all have their say, so that the evidence is the same whoever decodes.
 */
function decode(
  { request, session, coding }: RecoveryContext,
  { method, chunks }: DecodeJob,
  work: Pick<RecoveryWork, 'decode'>,
): Observable<(Decoded & { readonly type: 'decoded' }) | Mismatch> {
  const { candidate, checkMode } = request;
  const question = { method, chunks, wantsRoot: checkMode === 're_encode' };
  const k = coding.codec.parameters(session.validators.length).systematicThreshold;
  return work.decode(question).pipe(
    concatMap((decoded) =>
      chunks.length > k &&
      decoded.codewordRoot !== undefined &&
      !equalBytes(decoded.codewordRoot, candidate.erasureRoot)
        ? work.decode({ ...question, wantsRoot: false })
        : of(decoded),
    ),
    map((decoded) => ({ ...decoded, type: 'decoded' as const })),
    catchError((cause: unknown) => {
      const code = codewordFault(cause);
      return code === undefined
        ? throwError(() => cause)
        : of<Mismatch>({ type: 'mismatch', evidence: { reason: 'not_decodable', code } });
    }),
  );
}

/**
 * Whether an error proves something about the chunks. Too few chunks or an index out of range cannot
 * come from verified chunks that were counted: those are faults of ours.
 */
function codewordFault(cause: unknown): string | undefined {
  if (!isErrorOf(cause, 'ErasureError')) {
    return undefined;
  }
  const { code } = cause;
  const isAboutChunks =
    code === 'uneven_length' || code === 'unknown_reconstruction' || code === 'non_uniform_chunks';
  return isAboutChunks ? code : undefined;
}

function conclude(
  context: RecoveryContext,
  job: DecodeJob,
  outcome: CheckOutcome,
): Observable<StrategyOutput> {
  if (outcome.type === 'checked') {
    return defer(() =>
      from([
        ...job.onSuccess(),
        strategyEnded(context, job.strategy, 'recovered'),
        found(outcome.data),
      ]),
    );
  }
  const evidence = {
    ...outcome.evidence,
    chunkIndices: job.chunks.map((chunk) => chunk.chunkIndex),
    validatorCount: context.session.validators.length,
  };
  const reason = evidence.reason === 'not_decodable' ? 'not_decodable' : 'check_failed';
  const end = of<StrategyOutput>(strategyEnded(context, job.strategy, reason));
  switch (job.onFailure) {
    case 'next_strategy':
      return end;
    case 'verdict':
      return concat(
        end,
        defer(() => confirm(context, job, evidence)),
      );
  }
}

function found(data: CheckedData): StrategyOutput {
  return { type: 'data', data };
}

function invalid(evidence: InvalidEvidence): RecoveryError {
  return new RecoveryError(
    'invalid',
    `the data is not what the candidate committed to: ${evidence.reason}`,
    { reason: evidence.reason },
    { evidence },
  );
}

/**
 * Before `invalid`: every proof is verified again and the plain engine decodes and checks again. Only
 * when both agree is it about the candidate; otherwise something of ours is broken.
 */
function confirm(
  context: RecoveryContext,
  job: DecodeJob,
  evidence: InvalidEvidence,
): Observable<never> {
  const { coding } = context;
  const { erasureRoot } = context.request.candidate;
  const validatorCount = context.session.validators.length;
  const hasBadProof = job.chunks.some(
    (chunk) =>
      coding.plain.commitment.verifyChunk({
        erasureRoot,
        chunk,
        validatorCount,
      }).type === 'invalid',
  );
  if (hasBadProof) {
    return throwError(() => localFault('proofs_changed'));
  }
  const oracle = plainWork().open({ coding, erasureRoot, validatorCount });
  return decode(context, job, oracle).pipe(
    concatMap((decoded) =>
      decoded.type === 'decoded'
        ? checkDecoded(decoded, checkSubject(context), oracle)
        : of<CheckOutcome>(decoded),
    ),
    map((outcome) => {
      throw outcome.type === 'mismatch' && outcome.evidence.reason === evidence.reason
        ? invalid(evidence)
        : localFault('engines_disagree');
    }),
  );
}
