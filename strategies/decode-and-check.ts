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
import type { VerifiedChunk } from '../src/primitives/chunk.ts';
import { isErrorOf } from '../src/primitives/errors.ts';
import { type ErasureWork, inlineWork } from '../src/recovery/coding.ts';
import {
  asRecoveryError,
  type InvalidEvidence,
  localFault,
  RecoveryError,
} from '../src/recovery/errors.ts';
import type { StrategyType } from '../src/recovery/labels.ts';
import {
  type CheckedData,
  type CheckOutcome,
  checkPayload,
  checkSubject,
} from '../src/recovery/result-check.ts';
import type { RecoveryContext, StrategyOutput } from '../src/recovery/strategy.ts';
import { strategyEnded } from './strategy-ended.ts';

/** How proven chunks become the payload: systematic ones by transposition, any by decoding. */
export type DecodeMethod = 'reassemble' | 'reconstruct';

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
      decode(context, job, context.work).pipe(
        concatMap((decoded) =>
          decoded instanceof Uint8Array
            ? concat(
                of<StrategyOutput>({ type: 'checking', atMs: now() }),
                checkPayload(decoded, checkSubject(context), context.work).pipe(
                  concatMap((outcome) => conclude(context, job, outcome)),
                ),
              )
            : conclude(context, job, decoded),
        ),
      ),
    ),
  ).pipe(catchError((cause: unknown) => throwError(() => asRecoveryError(cause, 'work_failed'))));
}

type Mismatch = CheckOutcome & { readonly type: 'mismatch' };

/** The padded payload, or the mismatch that stands for chunks that are no codeword's. */
function decode(
  { session }: RecoveryContext,
  { method, chunks }: DecodeJob,
  work: ErasureWork,
): Observable<Uint8Array | Mismatch> {
  return work[method](chunks, session.validators.length).pipe(
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
  const { coding, request, session } = context;
  const hasBadProof = job.chunks.some(
    (chunk) =>
      coding.commitment.verifyChunk({
        erasureRoot: request.candidate.erasureRoot,
        chunk,
        validatorCount: session.validators.length,
      }).type === 'invalid',
  );
  if (hasBadProof) {
    return throwError(() => localFault('proofs_changed'));
  }
  const oracle = inlineWork(coding);
  return decode(context, job, oracle).pipe(
    concatMap((decoded) =>
      decoded instanceof Uint8Array
        ? checkPayload(decoded, checkSubject(context), oracle)
        : of<CheckOutcome>(decoded),
    ),
    map((outcome) => {
      throw outcome.type === 'mismatch' && outcome.evidence.reason === evidence.reason
        ? invalid(evidence)
        : localFault('engines_disagree');
    }),
  );
}
