/**
 * @module
 * Whether a stored entry still is what was stored: a chunk by its proof under the candidate's root, full
 * data by the hash kept with it. Asked before serving, and before anything is dropped as corrupt.
 */

import { verifyChunk } from '../commitment/verify-chunk.ts';
import { equalBytes } from '../primitives/bytes.ts';
import type { Chunk } from '../primitives/chunk.ts';
import { CodecError } from '../primitives/errors.ts';
import { blake2b256 } from '../primitives/hash.ts';
import { decodeChunkEntry } from './chunk-entry.ts';
import type { Metadata } from './metadata.ts';

/** The chunk of an entry, not verified; `undefined` when it cannot be read. */
export function readEntry(entry: Uint8Array): Chunk | undefined {
  try {
    return decodeChunkEntry(entry);
  } catch (error: unknown) {
    if (error instanceof CodecError) {
      return undefined;
    }
    throw error;
  }
}

/** The chunk of an entry, if its proof holds. */
export function soundChunk(metadata: Metadata, entry: Uint8Array): Chunk | undefined {
  const { erasureRoot, validatorCount } = metadata;
  const chunk = readEntry(entry);
  return chunk !== undefined &&
    verifyChunk({ erasureRoot, chunk, validatorCount }).type === 'verified'
    ? chunk
    : undefined;
}

/** Whether full data has the hash that was kept when it was stored. */
export function isSoundData({ dataHash }: Metadata, data: Uint8Array): boolean {
  return dataHash !== undefined && equalBytes(blake2b256(data), dataHash);
}
