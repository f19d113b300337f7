/**
 * @module
 * The rules of the request window that need no stream: which sources the next batch asks, and what an
 * answer changes (recovery spec §4.6).
 */

import type { AuthorityId, ValidatorIndex } from '../src/primitives/ids.ts';
import type { NetworkRetries } from '../src/recovery/settings.ts';
import type { FailureAnswer } from './ask-chunk.ts';
import { retryRule } from './network-retries.ts';
import type { QueueEntry, RequestQueue } from './request-queue.ts';
import type { RetryTable, SourceKey } from './retry-table.ts';

/** Takes from the queue's back as many ready sources as live slots are wanted. */
export function takeBatch(
  queue: RequestQueue,
  live: number,
  desired: number,
  nowMs: number,
): readonly QueueEntry[] {
  const batch: QueueEntry[] = [];
  while (live + batch.length < desired) {
    const entry = queue.popReady(nowMs);
    if (entry === undefined) {
      break;
    }
    batch.push(entry);
  }
  return batch;
}

/** A failed attempt and what it is judged by. */
export type FailureCase = {
  readonly source: SourceKey;
  readonly answer: FailureAnswer | { readonly type: 'no_such_chunk' };
  readonly networkRetries: NetworkRetries;
};

/**
 * Files a failure. `no_such_chunk` and `invalid` are fatal for the source; a network error is what its
 * rule says.
 *
 * @returns How long the source has to be left alone, in ms.
 */
export function recordFailure(retries: RetryTable, failure: FailureCase): number {
  const { source, answer, networkRetries } = failure;
  if (answer.type === 'no_such_chunk' || answer.type === 'invalid') {
    retries.recordFatal(source);
    return 0;
  }
  // A timeout carries its stage as the code; its rule is that of `timeout`.
  const rule = retryRule(answer.type === 'timeout' ? 'timeout' : answer.code, networkRetries);
  if (rule.type === 'never') {
    retries.recordFatal(source);
    return 0;
  }
  retries.recordNonFatal(source);
  return rule.delayMs;
}

/**
 * Takes the first backup of which nothing is on record for this validator's chunk. It is used for one
 * validator only. The order of the others is not kept.
 */
export function takeBackup(
  backups: AuthorityId[],
  validatorIndex: ValidatorIndex,
  retries: RetryTable,
): AuthorityId | undefined {
  const place = backups.findIndex((authority) => !retries.has({ authority, validatorIndex }));
  const last = backups.pop();
  if (place < 0 || last === undefined) {
    if (last !== undefined) {
      backups.push(last);
    }
    return undefined;
  }
  if (place === backups.length) {
    return last;
  }
  const taken = backups[place];
  backups[place] = last;
  return taken;
}
