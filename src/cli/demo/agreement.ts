/**
 * @module
 * Holds the account of a recovery against what the peers logged: both sides must tell the same story.
 */

import type { AttemptRecord, RecoveryAccount } from '../../recovery/account.ts';
import type { ServedRecord } from './troupe.ts';
import { authorityName } from './world.ts';

/**
 * What the two sides do not agree on; empty when they do.
 *
 * An attempt with an answer has exactly one line in the log of the peer that was asked, with the same
 * size and the outcome that fits. A line without such an attempt is one that we gave up on, so there
 * are no more lines than attempts.
 */
export function disagreements(
  account: RecoveryAccount,
  served: readonly ServedRecord[],
): readonly string[] {
  const complaints: string[] = [];
  const unmatched = [...served];
  for (const attempt of account.attempts.filter(hasAnswer)) {
    const at = unmatched.findIndex((record) => fits(attempt, record));
    if (at < 0) {
      complaints.push(
        `${attempt.source} did not log request ${attempt.attemptId} (${attempt.answer})`,
      );
    } else {
      unmatched.splice(at, 1);
    }
  }
  const givenUp = account.attempts.filter((attempt) => !hasAnswer(attempt));
  for (const { validator, line } of unmatched) {
    const at = givenUp.findIndex((attempt) => isSameQuestion(attempt, { validator, line }));
    if (at < 0) {
      complaints.push(`${authorityName(validator)} logged a request that we did not make`);
    } else {
      givenUp.splice(at, 1);
    }
  }
  return complaints;
}

/** Whether a reply came, whatever it was worth. */
function hasAnswer({ answer, protocol }: AttemptRecord): boolean {
  return protocol !== undefined && answer !== undefined && answer !== 'canceled';
}

function isSameQuestion(attempt: AttemptRecord, { validator, line }: ServedRecord): boolean {
  return (
    attempt.source === authorityName(validator) &&
    (attempt.kind === 'available_data' ||
      line['validatorIndex'] === undefined ||
      line['validatorIndex'] === attempt.validatorIndex)
  );
}

function fits(attempt: AttemptRecord, record: ServedRecord): boolean {
  const { line } = record;
  return (
    isSameQuestion(attempt, record) &&
    line['protocol'] === attempt.protocol &&
    line['bytes'] === attempt.bytes &&
    line['outcome'] === expectedOutcome(attempt)
  );
}

function expectedOutcome({ answer }: AttemptRecord): string {
  return answer === 'no_such_chunk' || answer === 'no_such_data' ? answer : 'answered';
}
