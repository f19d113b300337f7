/**
 * @module
 * What the erasure work of one recovery was: which engine did it, by which path, and how many bytes were
 * copied where. Read when an account is made.
 */

import type { RecoveryWork, WorkDescription } from '../coding/erasure-work.ts';
import type { WorkRecord } from './account.ts';

/** The work of one recovery, followed from its beginning. */
export class WorkLog {
  private describe: (() => WorkDescription) | undefined;
  private work: Pick<RecoveryWork, 'tally'> | undefined;
  private checkedBytes = 0;

  /** The work begins. `describe` is asked again for each record: a hash kernel is chosen on the way. */
  open(describe: () => WorkDescription, work: Pick<RecoveryWork, 'tally'>): void {
    this.describe = describe;
    this.work = work;
  }

  /** So many bytes were copied by a check. */
  copied(bytes: number): void {
    this.checkedBytes += bytes;
  }

  /** As of now; undefined before the work began. */
  record(): WorkRecord | undefined {
    if (this.describe === undefined || this.work === undefined) {
      return undefined;
    }
    const { engine, reason, threads, hash } = this.describe();
    const { copiedBytes, hashedChunks, reusedHashes, path } = this.work.tally;
    return {
      engine,
      reason,
      threads,
      ...(hash === undefined ? {} : { hash }),
      ...(path === undefined ? {} : { path }),
      hashedChunks,
      reusedHashes,
      copiedBytes: {
        load: copiedBytes.load,
        result: copiedBytes.result,
        check: this.checkedBytes,
        caller: 0,
      },
    };
  }
}

/** The record of a caller who was given a copy of the result of so many bytes. */
export function withCallerCopy(record: WorkRecord, bytes: number): WorkRecord {
  return { ...record, copiedBytes: { ...record.copiedBytes, caller: bytes } };
}
