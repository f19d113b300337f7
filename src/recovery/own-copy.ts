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
  assertBytes(bytes);
  // Not `slice`: that of a Node `Buffer` is a view.
  return new Uint8Array(bytes);
}

/** A copy of a chunk from a port, proof included. Throws as {@link ownBytes}. */
export function ownChunk({ bytes, chunkIndex, proof }: Chunk): Chunk {
  return { bytes: ownBytes(bytes), chunkIndex, proof: proof.map(ownBytes) };
}

/** Throws as {@link ownChunk}, for a chunk that is copied by whoever verifies it. */
export function assertChunk({ bytes, proof }: Chunk): void {
  for (const part of [bytes, ...proof]) {
    assertBytes(part);
  }
}

/** How many bytes {@link copyOfData} copies. */
export function copiedBytesOf({ pov, validationData }: AvailableData): number {
  const { parentHead, relayParentStorageRoot } = validationData;
  return pov.blockData.length + parentHead.length + relayParentStorageRoot.length;
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

function assertBytes(bytes: Uint8Array): void {
  if (!(bytes instanceof Uint8Array)) {
    throw new TypeError(`bytes: expected a Uint8Array, got ${typeof bytes}`);
  }
}
