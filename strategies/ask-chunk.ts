/**
 * @module
 * One question to one chunk source: the reply is verified here, and every failure becomes a value, so
 * that one bad peer cannot end the window.
 */

import { catchError, concatMap, defaultIfEmpty, defer, map, type Observable, of, take } from 'rxjs';
import type { Chunk, VerifiedChunk } from '../src/primitives/chunk.ts';
import { type AvailabilityError, isErrorOf } from '../src/primitives/errors.ts';
import { assertChunk } from '../src/recovery/own-copy.ts';
import type { ChunkQuestion, ChunkReply } from '../src/recovery/ports.ts';
import type { RecoveryContext } from '../src/recovery/strategy.ts';

/** What came with an answer, where one came. */
export type AnswerOrigin = { readonly protocol?: string; readonly bytes: number };

/** An answer that brought nothing; `code` is a proof fault, a codec code, a request code or a stage. */
export type FailureAnswer = AnswerOrigin & {
  readonly type: 'invalid' | 'timeout' | 'error' | 'canceled';
  readonly code: string;
};

/** What one attempt for a chunk brought; `type` is also the metric label. */
export type ChunkAnswer =
  | (AnswerOrigin & { readonly type: 'success'; readonly chunk: VerifiedChunk })
  | (AnswerOrigin & { readonly type: 'no_such_chunk' })
  | FailureAnswer;

/** A chunk that came and fits, not yet verified. */
type Arrived = {
  readonly type: 'arrived';
  readonly chunk: Chunk;
  readonly origin: AnswerOrigin & { readonly protocol: string };
};

/**
 * Asks once and verifies what comes. Emits exactly one answer, whatever the source does; errors only
 * with the `local_fault` of work that fails to verify. Unsubscribing gives up the question or the
 * verification, whichever is on the way.
 */
export function askChunk(
  context: RecoveryContext,
  question: ChunkQuestion,
): Observable<ChunkAnswer> {
  return defer(() => context.chunkSource.askChunk(question)).pipe(
    take(1),
    map((reply) => admitReply(question, reply)),
    catchError((cause: unknown) => of(failureAnswer(cause))),
    defaultIfEmpty<ChunkAnswer | Arrived, ChunkAnswer>({
      type: 'error',
      code: 'no_answer',
      bytes: 0,
    }),
    concatMap((step) => (step.type === 'arrived' ? verifyChunk(context, step) : of(step))),
  );
}

/** Lets pass what is small enough to be hashed, and is a chunk at all: else it throws. */
function admitReply({ maxBytes }: ChunkQuestion, reply: ChunkReply): ChunkAnswer | Arrived {
  const origin = { protocol: reply.protocol, bytes: reply.bytes };
  if (reply.type === 'no_such_chunk') {
    return { type: 'no_such_chunk', ...origin };
  }
  if (reply.chunk.bytes.length > maxBytes) {
    // A source should have stopped reading; what it brought all the same is not hashed.
    return { type: 'invalid', code: 'too_large', ...origin };
  }
  assertChunk(reply.chunk);
  return { type: 'arrived', chunk: reply.chunk, origin };
}

function verifyChunk(
  context: RecoveryContext,
  { chunk, origin }: Arrived,
): Observable<ChunkAnswer> {
  return context.work
    .verify(chunk)
    .pipe(
      map(
        (verdict): ChunkAnswer =>
          verdict.type === 'verified'
            ? { type: 'success', chunk: verdict.chunk, ...origin }
            : { type: 'invalid', code: verdict.reason, ...origin },
      ),
    );
}

/** The answer that stands for an error of a source. */
export function failureAnswer(cause: unknown): FailureAnswer {
  if (isErrorOf(cause, 'CodecError')) {
    return { type: 'invalid', code: cause.code, bytes: wireBytes(cause) };
  }
  if (isErrorOf(cause, 'RequestError')) {
    const stage = cause.details['stage'];
    return {
      type: failureType(cause.code),
      code: cause.code === 'timeout' && typeof stage === 'string' ? stage : cause.code,
      bytes: wireBytes(cause),
    };
  }
  return { type: 'error', code: 'source_failed', bytes: 0 };
}

function failureType(code: string): 'timeout' | 'canceled' | 'error' {
  return code === 'timeout' ? 'timeout' : code === 'cancelled' ? 'canceled' : 'error';
}

function wireBytes({ details }: AvailabilityError<string>): number {
  return typeof details['bytes'] === 'number' ? details['bytes'] : 0;
}
