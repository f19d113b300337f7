/**
 * @module
 * One recovery with everything a command shows of it: its events as they come, its end as a value.
 */

import { hashPov } from '../codec/available-data.ts';
import type { RecoveryAccount } from '../recovery/account.ts';
import {
  type InvalidEvidence,
  isRecoveryError,
  type RecoveryError,
  type RecoveryErrorCode,
} from '../recovery/errors.ts';
import type { RecoveryEvent } from '../recovery/events.ts';
import type { AnswerType, RecoveredFrom } from '../recovery/labels.ts';
import type { Recovered, Recovery } from '../recovery/orchestrator.ts';
import type { RecoveryRequest } from '../recovery/request.ts';
import { hexOf } from './hex.ts';
import { byName } from './source-names.ts';

/** How a recovery ended. */
export type RecoveryOutcome =
  | { readonly type: 'recovered'; readonly result: Recovered }
  | { readonly type: 'failed'; readonly error: RecoveryError };

/** The end of a recovery as plain data, as far as a report and an explanation read it. */
export type ReportedOutcome = {
  readonly outcome: 'recovered' | RecoveryErrorCode;
  /** With `recovered`. */
  readonly from?: RecoveredFrom;
  /** With a failure: its fixed words and numbers. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** With `invalid`. */
  readonly evidence?: Pick<InvalidEvidence, 'reason' | 'chunkIndices'>;
  /** Absent when nothing had begun. */
  readonly account?: RecoveryAccount;
};

/** What {@link followRecovery} is told to watch. */
export type Following = {
  readonly recovery: Recovery;
  readonly request: RecoveryRequest;
  /** Aborting it ends the recovery with `cancelled`. */
  readonly signal: AbortSignal;
  /** Told every event, in order. */
  readonly onEvent: (event: RecoveryEvent) => void;
};

/**
 * Runs one recovery to its end. The events and the result are two callers of one run, which the
 * recovery merges.
 *
 * @throws Misuse (`TypeError`, `RangeError`, `CodecError`); every end of a recovery is a value.
 */
export async function followRecovery(following: Following): Promise<RecoveryOutcome> {
  const { recovery, request, signal, onEvent } = following;
  const events = recovery.recover(request).subscribe({
    next: onEvent,
    // The same error reaches the caller below.
    error: () => {},
  });
  try {
    return { type: 'recovered', result: await recovery.recoverData(request, { signal }) };
  } catch (error: unknown) {
    if (isRecoveryError(error)) {
      return { type: 'failed', error };
    }
    throw error;
  } finally {
    events.unsubscribe();
  }
}

/** An event as one JSON object: the data itself is replaced by its size and hash. */
export function eventJson(event: RecoveryEvent): Readonly<Record<string, unknown>> {
  if (event.type !== 'recovered') {
    return event;
  }
  const { data, ...rest } = event;
  return { ...rest, povBytes: data.pov.blockData.length, povHash: hexOf(hashPov(data.pov)) };
}

/** The end of a recovery as one JSON object: for `--report`, and after the events of a failure. */
export function outcomeJson(
  outcome: RecoveryOutcome,
): ReportedOutcome & Readonly<Record<string, unknown>> {
  if (outcome.type === 'recovered') {
    const { data, from, account } = outcome.result;
    return {
      outcome: 'recovered',
      from,
      povBytes: data.pov.blockData.length,
      povHash: hexOf(hashPov(data.pov)),
      account,
    };
  }
  const { code, message, details, account, evidence } = outcome.error;
  return {
    outcome: code,
    message,
    details,
    ...(account === undefined ? {} : { account }),
    ...(evidence === undefined ? {} : { evidence }),
  };
}

/** An answer in one word: of what can go wrong in many ways, the finer reason. */
export function reasonOf(answer: AnswerType, code: string | undefined): string {
  return answer === 'error' || answer === 'invalid' ? (code ?? answer) : answer;
}

/**
 * Who did not deliver, by reason; `given_up` is for those whose every attempt was cut short by the end
 * of the recovery. Sources in natural order.
 */
export function failuresOf(account: RecoveryAccount): ReadonlyMap<string, readonly string[]> {
  const reasons = new Map<string, Set<string>>();
  const settled = new Set<string>();
  for (const { source, answer, code } of account.attempts) {
    if (answer === undefined || answer === 'canceled') {
      continue;
    }
    settled.add(source);
    if (answer !== 'success') {
      const reason = reasonOf(answer, code);
      reasons.set(reason, (reasons.get(reason) ?? new Set()).add(source));
    }
  }
  const unsettled = account.attempts
    .map(({ source }) => source)
    .filter((source) => !settled.has(source));
  if (unsettled.length > 0) {
    reasons.set('given_up', new Set(unsettled));
  }
  return new Map([...reasons].map(([reason, sources]) => [reason, [...sources].sort(byName)]));
}
