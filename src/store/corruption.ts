/**
 * @module
 * What happens to entries that turn out to be corrupt: they are counted once and dropped together with
 * what metadata says about them. Also reads metadata, where that may happen.
 */

import { equalBytes } from '../primitives/bytes.ts';
import { unreachable } from '../primitives/errors.ts';
import type { CandidateHash } from '../primitives/ids.ts';
import type { StoredEntry } from '../recovery/ports.ts';
import { hasBit, withoutBit } from './bitfield.ts';
import type { StoreContext } from './context.ts';
import { replaceMetadata } from './context.ts';
import type { DatabaseChange } from './database.ts';
import { StoreError } from './errors.ts';
import { chunkKey, chunkPrefix, dataKey, metadataKey } from './layout.ts';
import type { Metadata } from './metadata.ts';
import { decodeMetadata } from './metadata.ts';
import { CORRUPTIONS } from './metrics.ts';
import { isSoundData, soundChunk } from './soundness.ts';

/** Metadata of a candidate, for reads. Metadata that is not readable is dropped: not held. */
export async function loadMetadata(
  context: StoreContext,
  hash: CandidateHash,
  signal?: AbortSignal,
): Promise<Metadata | undefined> {
  const metadata = await tryMetadata(context, hash, signal);
  if (metadata !== 'corrupt') {
    return metadata;
  }
  return await context.locks.run(hash, () => metadataWhileLocked(context, hash));
}

/** As {@link loadMetadata}, for a caller that holds the candidate's lock. */
export async function metadataWhileLocked(
  context: StoreContext,
  hash: CandidateHash,
): Promise<Metadata | undefined> {
  const metadata = await tryMetadata(context, hash);
  if (metadata !== 'corrupt') {
    return metadata;
  }
  const changes: DatabaseChange[] = [metadataKey(hash), dataKey(hash)].map(toDelete);
  for await (const key of context.database.keys(chunkPrefix(hash))) {
    changes.push(toDelete(key));
  }
  await context.database.commit(changes);
  context.metrics.increment(CORRUPTIONS, { entry: 'metadata' });
  context.logger.warn('store_corruption', { candidateHash: hash, entry: 'metadata' });
  return undefined;
}

/**
 * Forgets an entry that was found corrupt and counts it, unless it is no longer held.
 *
 * @param seen - The bytes that were found corrupt (`undefined`: metadata promised an entry that is
 * not there). When the entry holds other bytes by now, it is left alone. Without it, an entry that is
 * as it was stored is left alone: whoever found it wrong held it against something else, such as the
 * hash of a PoV that never was, or did so with a broken engine.
 */
export async function dropEntry(
  context: StoreContext,
  hash: CandidateHash,
  entry: StoredEntry,
  seen?: { readonly found: Uint8Array | undefined },
): Promise<void> {
  await context.locks.run(hash, async () => {
    const key = entryKey(hash, entry);
    const before = await metadataWhileLocked(context, hash);
    const present = await context.database.get(key);
    const isLeft =
      seen === undefined
        ? before !== undefined && present !== undefined && isSound(before, entry, present)
        : !isSame(present, seen.found);
    if (isLeft) {
      return;
    }
    const isListed = before !== undefined && isHeld(before, entry);
    if (present === undefined && !isListed) {
      return;
    }
    const changes = isListed ? replaceMetadata(hash, before, withoutEntry(before, entry)) : [];
    await context.database.commit([...changes, toDelete(key)]);
    context.metrics.increment(CORRUPTIONS, { entry: entry.type });
    context.logger.warn('store_corruption', {
      candidateHash: hash,
      entry: entry.type,
      ...(entry.type === 'chunk' ? { validatorIndex: entry.validatorIndex } : {}),
    });
  });
}

async function tryMetadata(
  context: StoreContext,
  hash: CandidateHash,
  signal?: AbortSignal,
): Promise<Metadata | undefined | 'corrupt'> {
  const bytes = await context.database.get(metadataKey(hash), signal);
  try {
    return bytes === undefined ? undefined : decodeMetadata(bytes);
  } catch (error: unknown) {
    if (error instanceof StoreError) {
      return 'corrupt';
    }
    throw error;
  }
}

function entryKey(hash: CandidateHash, entry: StoredEntry): ReturnType<typeof dataKey> {
  switch (entry.type) {
    case 'chunk':
      return chunkKey(hash, entry.validatorIndex);
    case 'available_data':
      return dataKey(hash);
    default:
      return unreachable(entry);
  }
}

function isSound(metadata: Metadata, entry: StoredEntry, present: Uint8Array): boolean {
  return entry.type === 'chunk'
    ? soundChunk(metadata, present) !== undefined
    : isSoundData(metadata, present);
}

function isHeld(metadata: Metadata, entry: StoredEntry): boolean {
  return entry.type === 'chunk'
    ? hasBit(metadata.heldChunks, entry.validatorIndex)
    : metadata.dataHash !== undefined;
}

function withoutEntry(metadata: Metadata, entry: StoredEntry): Metadata {
  if (entry.type === 'chunk') {
    return { ...metadata, heldChunks: withoutBit(metadata.heldChunks, entry.validatorIndex) };
  }
  const { dataHash: _dropped, ...rest } = metadata;
  return rest;
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalBytes(a, b);
}

function toDelete(key: DatabaseChange['key']): DatabaseChange {
  return { type: 'delete', key };
}
