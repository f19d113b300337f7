/**
 * @module
 * One pruning pass: walks the index of times, oldest first, and removes the candidates that expired,
 * each in one batch. Looks at nothing that is not due.
 */

import type { CandidateHash } from '../primitives/ids.ts';
import { validatorIndex } from '../primitives/ids.ts';
import { bitIndices } from './bitfield.ts';
import type { StoreContext } from './context.ts';
import { metadataWhileLocked } from './corruption.ts';
import type { DatabaseChange } from './database.ts';
import type { IndexEntry, IndexedState } from './layout.ts';
import { chunkKey, dataKey, indexKey, indexPrefix, metadataKey, parseIndexKey } from './layout.ts';
import { isExpired } from './lifecycle.ts';
import { CANDIDATES_PRUNED } from './metrics.ts';

/**
 * Entries removed before the event loop gets a turn. A database in memory settles its promises without
 * one, so that reads would wait for the whole pass; removing this many takes about a millisecond.
 */
const ENTRIES_PER_TURN = 1_000;

/** Removes one half of what expired. How many candidates went. Stops between two when aborted. */
export async function pruneExpired(
  context: StoreContext,
  type: IndexedState,
  signal: AbortSignal,
): Promise<number> {
  const nowMs = context.nowMs();
  let pruned = 0;
  let entriesThisTurn = 0;
  for await (const key of context.database.keys(indexPrefix(type), signal)) {
    const entry = parseIndexKey(key);
    if (entry === undefined) {
      continue;
    }
    if (!isDue(context, entry, nowMs)) {
      break;
    }
    const removed = await pruneCandidate(context, entry.candidateHash, key, nowMs);
    pruned += removed.isPruned ? 1 : 0;
    entriesThisTurn += removed.entries;
    if (entriesThisTurn >= ENTRIES_PER_TURN) {
      entriesThisTurn = 0;
      await context.nextTurn();
    }
    signal.throwIfAborted();
  }
  if (pruned > 0) {
    context.metrics.increment(CANDIDATES_PRUNED, { state: type }, pruned);
    context.logger.info('store_pruned', { state: type, candidates: pruned });
  }
  return pruned;
}

function isDue(context: StoreContext, { type, atMs }: IndexEntry, nowMs: number): boolean {
  const state =
    type === 'finalized'
      ? ({ type, sinceMs: atMs, finalizedAtMs: atMs } as const)
      : ({ type, sinceMs: atMs } as const);
  return isExpired(state, context.retention, nowMs);
}

/** The index may be older than the state: only the metadata, read under the lock, decides. */
async function pruneCandidate(
  context: StoreContext,
  hash: CandidateHash,
  seenKey: ReturnType<typeof metadataKey>,
  nowMs: number,
): Promise<{ readonly isPruned: boolean; readonly entries: number }> {
  return await context.locks.run(hash, async () => {
    const metadata = await metadataWhileLocked(context, hash);
    const ownKey = metadata && indexKey(hash, metadata.state);
    const changes: DatabaseChange[] = [{ type: 'delete', key: seenKey }];
    const isPruned =
      metadata !== undefined &&
      ownKey?.toString() === seenKey.toString() &&
      isExpired(metadata.state, context.retention, nowMs);
    if (isPruned) {
      const chunks = bitIndices(metadata.heldChunks).map((v) => chunkKey(hash, validatorIndex(v)));
      for (const key of [metadataKey(hash), dataKey(hash), ...chunks]) {
        changes.push({ type: 'delete', key });
      }
    }
    await context.database.commit(changes);
    return { isPruned, entries: changes.length };
  });
}
