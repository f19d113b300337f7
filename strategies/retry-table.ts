/**
 * @module
 * What went wrong with whom in one recovery, and who may be asked again (recovery spec §4.4).
 */

import type { AuthorityId, ValidatorIndex } from '../src/primitives/ids.ts';

/** Who is asked for whose chunk. */
export type SourceKey = {
  readonly authority: AuthorityId;
  readonly validatorIndex: ValidatorIndex;
};

/** Counts failures per source key. A fatal record never becomes milder. */
export class RetryTable {
  private readonly failures = new Map<string, number | 'fatal'>();

  /** Absent -> 1; count -> count + 1; fatal stays. */
  recordNonFatal(key: SourceKey): void {
    const text = keyText(key);
    const record = this.failures.get(text);
    if (record !== 'fatal') {
      this.failures.set(text, (record ?? 0) + 1);
    }
  }

  /** Anything -> fatal. */
  recordFatal(key: SourceKey): void {
    this.failures.set(keyText(key), 'fatal');
  }

  /** Whether the key may be asked when `attempts` are allowed in all. Without a record: always. */
  canRetry(key: SourceKey, attempts: number): boolean {
    const record = this.failures.get(keyText(key));
    return record === undefined || (record !== 'fatal' && record < attempts);
  }

  /** Whether there is any record. */
  has(key: SourceKey): boolean {
    return this.failures.has(keyText(key));
  }
}

/** The key as text, for maps. */
export function keyText({ authority, validatorIndex }: SourceKey): string {
  return `${validatorIndex}:${authority}`;
}
