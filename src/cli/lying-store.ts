/**
 * @module
 * A store that lies, for demos and tests: whatever it serves has one bit flipped, so that the proof
 * taken with it fails. What it gives to our own recovery is untouched.
 */

import { map, type Observable } from 'rxjs';
import type { Chunk } from '../primitives/chunk.ts';
import type { CandidateHash, ValidatorIndex } from '../primitives/ids.ts';
import { AvailabilityStore } from '../store/availability-store.ts';

/** Serves what it holds with the lowest bit of the byte in the middle flipped. */
export class LyingStore extends AvailabilityStore {
  /** A chunk that does not fit its proof. */
  override serveChunk(
    candidateHash: CandidateHash,
    validatorIndex: ValidatorIndex,
  ): Observable<Chunk> {
    return super
      .serveChunk(candidateHash, validatorIndex)
      .pipe(map((chunk) => ({ ...chunk, bytes: flipMiddle(chunk.bytes) })));
  }

  /** Data that does not fit its erasure root. */
  override serveAvailableData(candidateHash: CandidateHash): Observable<Uint8Array> {
    return super.serveAvailableData(candidateHash).pipe(map(flipMiddle));
  }
}

/** A copy with the lowest bit of the byte in the middle flipped. */
export function flipMiddle(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const middle = copy.length >> 1;
  copy[middle] = (copy[middle] ?? 0) ^ 1;
  return copy;
}
