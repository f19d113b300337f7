/**
 * @module
 * The event that ends an attempt, made alike for chunks and full data.
 */

import type { AttemptFinished } from '../src/recovery/events.ts';
import type { AnswerType } from '../src/recovery/labels.ts';
import type { AnswerOrigin } from './ask-chunk.ts';

/** What the event says about an answer. */
type FinishedAnswer = AnswerOrigin & { readonly type: AnswerType; readonly code?: string };

/**
 * Makes the event.
 *
 * @param cameAtMs - When the answer came; it may have waited for somebody to look at it.
 */
export function attemptFinished(
  { attemptId, startedAtMs }: { readonly attemptId: number; readonly startedAtMs: number },
  answer: FinishedAnswer,
  nowMs: number,
  cameAtMs: number = nowMs,
): AttemptFinished {
  return {
    type: 'attempt_finished',
    atMs: nowMs,
    attemptId,
    answer: answer.type,
    ...(answer.code === undefined ? {} : { code: answer.code }),
    ...(answer.protocol === undefined ? {} : { protocol: answer.protocol }),
    ms: cameAtMs - startedAtMs,
    bytes: answer.bytes,
  };
}
