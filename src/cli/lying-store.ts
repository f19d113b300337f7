/**
 * @module
 * A peer that lies, for demos and tests: whatever it serves has one bit flipped, so that a proof
 * taken with it fails.
 */

import { map } from 'rxjs';
import type { ServedStore } from '../recovery/ports.ts';

/** Serves what `store` holds, with the lowest bit of the byte in the middle flipped. */
export function lyingStore(store: ServedStore): ServedStore {
  return {
    serveChunk: (hash, validator) =>
      store
        .serveChunk(hash, validator)
        .pipe(map((chunk) => ({ ...chunk, bytes: flipMiddle(chunk.bytes) }))),
    serveAvailableData: (hash) => store.serveAvailableData(hash).pipe(map(flipMiddle)),
  };
}

/** A copy with the lowest bit of the byte in the middle flipped. */
export function flipMiddle(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const middle = copy.length >> 1;
  copy[middle] = (copy[middle] ?? 0) ^ 1;
  return copy;
}
