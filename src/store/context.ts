/**
 * @module
 * What every operation of the store works with, and the two steps that all writes share: reading a
 * candidate's metadata, and turning a change of it into a batch.
 */

import type { ErasureCodec } from '../erasure/index.ts';
import type { CandidateHash } from '../primitives/ids.ts';
import type { Logger, MetricsSink } from '../recovery/ports.ts';
import { emptyBitfield } from './bitfield.ts';
import type { CandidateLocks } from './candidate-locks.ts';
import type { Database, DatabaseChange } from './database.ts';
import { indexKey, metadataKey } from './layout.ts';
import type { Retention } from './lifecycle.ts';
import { firstSeen } from './lifecycle.ts';
import type { Metadata } from './metadata.ts';
import { encodeMetadata, MAX_TIME_MS } from './metadata.ts';

/** What every operation of the store works with. */
export type StoreContext = {
  readonly database: Database;
  readonly locks: CandidateLocks;
  readonly codec: ErasureCodec;
  readonly retention: Retention;
  readonly metrics: MetricsSink;
  readonly logger: Logger;
  /** Milliseconds of the injected clock, an integer that metadata can hold. */
  nowMs(): number;
  /** Resolves in a later turn of the event loop. */
  nextTurn(): Promise<void>;
};

/** What makes two writes speak of the same candidate. */
export type CandidateIdentity = {
  readonly candidateHash: CandidateHash;
  /** 32 bytes; from the receipt. */
  readonly erasureRoot: Uint8Array;
  /** n of the candidate's session. */
  readonly validatorCount: number;
};

/** Makes a clock reading fit for metadata: whole milliseconds, not negative. */
export function toStoredTime(timeMs: number): number {
  return Math.min(Math.max(Math.floor(timeMs), 0), MAX_TIME_MS);
}

/** Metadata of a candidate of which nothing is held: unavailable since now. */
export function newMetadata(context: StoreContext, candidate: CandidateIdentity): Metadata {
  return {
    state: firstSeen(context.nowMs()),
    erasureRoot: candidate.erasureRoot.slice(),
    validatorCount: candidate.validatorCount,
    heldChunks: emptyBitfield(candidate.validatorCount),
  };
}

/** The changes that replace a candidate's metadata and keep the pruning index in step with it. */
export function replaceMetadata(
  hash: CandidateHash,
  before: Metadata | undefined,
  after: Metadata,
): DatabaseChange[] {
  const changes: DatabaseChange[] = [
    { type: 'put', key: metadataKey(hash), value: encodeMetadata(after) },
  ];
  const oldKey = before === undefined ? undefined : indexKey(hash, before.state);
  const newKey = indexKey(hash, after.state);
  if (oldKey?.toString() !== newKey?.toString()) {
    if (oldKey !== undefined) {
      changes.push({ type: 'delete', key: oldKey });
    }
    if (newKey !== undefined) {
      changes.push({ type: 'put', key: newKey, value: new Uint8Array() });
    }
  }
  return changes;
}
