/**
 * @module
 * Reading: raw for recovery, which checks against the candidate itself; checked for serving. No read
 * takes a lock or waits for a writer.
 */

import type { Chunk } from '../primitives/chunk.ts';
import type { CandidateHash, ValidatorIndex } from '../primitives/ids.ts';
import type { StoredChunk } from '../recovery/ports.ts';
import { bitIndices, hasBit } from './bitfield.ts';
import type { StoreContext } from './context.ts';
import { dropEntry, loadMetadata } from './corruption.ts';
import { chunkKey, chunkPrefix, dataKey, validatorOfKey } from './layout.ts';
import type { CandidateState } from './lifecycle.ts';
import { isSoundData, readEntry, soundChunk } from './soundness.ts';

/** What the store knows about one candidate. */
export type CandidateRecord = {
  readonly state: CandidateState;
  readonly erasureRoot: Uint8Array;
  readonly validatorCount: number;
  readonly hasAvailableData: boolean;
  /** Validators whose chunk is held, ascending. */
  readonly heldChunks: readonly number[];
};

/** What the store knows about a candidate; `undefined` when it was never seen, or was pruned. */
export async function loadRecord(
  context: StoreContext,
  hash: CandidateHash,
  signal: AbortSignal,
): Promise<CandidateRecord | undefined> {
  const metadata = await loadMetadata(context, hash, signal);
  return (
    metadata && {
      state: metadata.state,
      erasureRoot: metadata.erasureRoot,
      validatorCount: metadata.validatorCount,
      hasAvailableData: metadata.dataHash !== undefined,
      heldChunks: bitIndices(metadata.heldChunks),
    }
  );
}

/**
 * All chunks held of a candidate, as of one moment, not verified. Entries without a readable chunk are
 * dropped.
 *
 * @param limit - Stops after this many.
 */
export async function loadStoredChunks(
  context: StoreContext,
  hash: CandidateHash,
  signal: AbortSignal,
  limit: number = Number.POSITIVE_INFINITY,
): Promise<readonly StoredChunk[]> {
  const chunks: StoredChunk[] = [];
  const unreadable: { validatorIndex: ValidatorIndex; found: Uint8Array }[] = [];
  for await (const { key, value } of context.database.entries(chunkPrefix(hash), signal)) {
    const validatorIndex = validatorOfKey(key);
    const chunk = readEntry(value);
    if (chunk === undefined) {
      unreadable.push({ validatorIndex, found: value });
    } else if (chunks.push({ validatorIndex, chunk }) >= limit) {
      break;
    }
  }
  for (const { validatorIndex, found } of unreadable) {
    await dropEntry(context, hash, { type: 'chunk', validatorIndex }, { found });
  }
  return chunks;
}

/** One validator's chunk, after its proof held; a chunk that fails is dropped and not held. */
export async function loadServedChunk(
  context: StoreContext,
  hash: CandidateHash,
  validatorIndex: ValidatorIndex,
  signal: AbortSignal,
): Promise<Chunk | undefined> {
  const metadata = await loadMetadata(context, hash, signal);
  if (metadata === undefined || !hasBit(metadata.heldChunks, validatorIndex)) {
    return undefined;
  }
  const found = await context.database.get(chunkKey(hash, validatorIndex), signal);
  const chunk = found && soundChunk(metadata, found);
  if (chunk !== undefined) {
    return chunk;
  }
  await dropEntry(context, hash, { type: 'chunk', validatorIndex }, { found });
  return undefined;
}

/** The full data, after its hash was compared; data that fails is dropped and not held. */
export async function loadServedData(
  context: StoreContext,
  hash: CandidateHash,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const metadata = await loadMetadata(context, hash, signal);
  if (metadata?.dataHash === undefined) {
    return undefined;
  }
  const found = await context.database.get(dataKey(hash), signal);
  if (found !== undefined && isSoundData(metadata, found)) {
    return found;
  }
  await dropEntry(context, hash, { type: 'available_data' }, { found });
  return undefined;
}
