/**
 * @module
 * What a port hands over becomes ours here: checked to be bytes, and copied, so that nobody can change
 * it between its check and its use. What we keep is handed out as a copy for the same reason.
 */

import type { AvailableData } from '../codec/available-data.ts';
import type { Chunk } from '../primitives/chunk.ts';

/**
 * A copy of bytes from a port.
 *
 * @throws TypeError for anything else: the hash would take a hex string for the bytes it spells, the
 *   decoder would not, and a good chunk would look invalid.
 */
export function ownBytes(bytes: Uint8Array): Uint8Array {
  if (!(bytes instanceof Uint8Array)) {
    throw new TypeError(`bytes: expected a Uint8Array, got ${typeof bytes}`);
  }
  // Not `slice`: that of a Node `Buffer` is a view.
  return new Uint8Array(bytes);
}

/** A copy of a chunk from a port, proof included. Throws as {@link ownBytes}. */
export function ownChunk({ bytes, chunkIndex, proof }: Chunk): Chunk {
  return { bytes: ownBytes(bytes), chunkIndex, proof: proof.map(ownBytes) };
}

/** A copy of data, each part in memory of its own: for a caller, who may write to it or transfer it. */
export function copyOfData({ pov, validationData }: AvailableData): AvailableData {
  return {
    pov: { blockData: ownBytes(pov.blockData) },
    validationData: {
      ...validationData,
      parentHead: ownBytes(validationData.parentHead),
      relayParentStorageRoot: ownBytes(validationData.relayParentStorageRoot),
    },
  };
}
