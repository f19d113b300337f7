/**
 * @module
 * Holds the work of a recovery to its guarantees, whoever does it: a fault of the work is a fault of
 * ours, never a verdict about a peer or a candidate.
 */

import { catchError, defer, type Observable, take, tap, throwError, throwIfEmpty } from 'rxjs';
import type { DecodePath, RecoveryWork } from '../coding/erasure-work.ts';
import type { VerifyChunkAnswer } from '../commitment/verify-chunk.ts';
import type { Chunk } from '../primitives/chunk.ts';
import { isErrorOf } from '../primitives/errors.ts';
import { localFault } from './errors.ts';

const PATHS: readonly DecodePath[] = ['transposition', 'rows', 'blocks', 'reveal', 'plain'];

/**
 * The same work, with one value of each answer and nothing after it. Silence would look like a strategy
 * that found nothing, and end in `unavailable`, where it is a fault of ours; so is a value of another
 * shape, and every error but an {@link ErasureError} about what was decoded, even one that calls
 * itself a verdict. A verified chunk must be the one that was asked about.
 */
export function heldToGuarantees(work: RecoveryWork): RecoveryWork {
  return {
    verify: (chunk) =>
      defer(() => {
        const { length } = chunk.bytes;
        return one(
          () => work.verify(chunk),
          (answer) => assertAnswer(answer, chunk, length),
        );
      }).pipe(catchError((cause: unknown) => throwError(() => workFailed(cause)))),
    decode: (question) =>
      one(
        () => work.decode(question),
        ({ payload, codewordRoot, path }) => {
          assertBytes('payload', payload);
          assertBytes('codewordRoot', codewordRoot ?? payload);
          assert('path', PATHS.includes(path), path);
        },
      ),
    erasureRoot: (payload) =>
      one(
        () => work.erasureRoot(payload),
        (root) => assertBytes('root', root),
      ),
    get tally() {
      return work.tally;
    },
    close: () => work.close(),
  };
}

function one<T>(start: () => Observable<T>, check: (value: T) => void): Observable<T> {
  return defer(start).pipe(
    take(1),
    tap(check),
    catchError((cause: unknown) =>
      throwError(() => (isErrorOf(cause, 'ErasureError') ? cause : workFailed(cause))),
    ),
    throwIfEmpty(() => localFault('work_gave_nothing')),
  );
}

/** Leaves alone what was made above. */
function workFailed(cause: unknown): Error {
  const isOurs = isErrorOf(cause, 'RecoveryError') && cause.code === 'local_fault';
  return isOurs ? cause : localFault('work_failed', cause);
}

function assertAnswer(answer: VerifyChunkAnswer, { chunkIndex }: Chunk, length: number): void {
  if (answer.type === 'invalid') {
    assert('reason', typeof answer.reason === 'string', answer.reason);
    return;
  }
  assert('type', answer.type === 'verified', answer.type);
  assertBytes('chunk.bytes', answer.chunk.bytes);
  assert('chunkIndex', answer.chunk.chunkIndex === chunkIndex, answer.chunk.chunkIndex);
  assert('chunk.bytes.length', answer.chunk.bytes.length === length, answer.chunk.bytes.length);
}

function assertBytes(name: string, value: unknown): void {
  if (!(value instanceof Uint8Array)) {
    throw new TypeError(`${name}: expected a Uint8Array, got ${typeof value}`);
  }
}

function assert(name: string, isRight: boolean, value: unknown): void {
  if (!isRight) {
    throw new TypeError(`${name}: not what was asked for, got ${String(value)}`);
  }
}
