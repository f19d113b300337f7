/**
 * @module
 * The erasure code and the commitment of a session, and the work they do as Observables, so that the
 * same calls can run elsewhere (a worker pool) later.
 */

import { catchError, defer, type Observable, of, take, tap, throwError, throwIfEmpty } from 'rxjs';
import { type Commitment, HEX_TRIE_COMMITMENT } from '../commitment/commitment.ts';
import { CODEC_V1, type ErasureCodec } from '../erasure/index.ts';
import type { TrieProof, VerifiedChunk } from '../primitives/chunk.ts';
import { isErrorOf } from '../primitives/errors.ts';
import type { NodeFeatures } from '../primitives/node-features.ts';
import { localFault } from './errors.ts';

/** How the chunks of a session are made and proven. */
export type Coding = {
  readonly codec: ErasureCodec;
  readonly commitment: Commitment<TrieProof>;
};

/** Picks the coding of a session. */
export type CodingChoice = (features: NodeFeatures) => Coding;

/** The one coding that live networks have, whatever their features. */
export const CODING_V1: CodingChoice = () => ({
  codec: CODEC_V1,
  commitment: HEX_TRIE_COMMITMENT,
});

/**
 * The heavy part of a recovery.
 *
 * **Guarantees.** Cold; one value each. An {@link ErasureError} is about the chunks; any other error
 * is a local fault and says nothing about the candidate.
 */
export interface ErasureWork {
  /** Payload from any chunks, zero-padded to a multiple of 2k bytes. */
  reconstruct(chunks: readonly VerifiedChunk[], validatorCount: number): Observable<Uint8Array>;
  /** Payload from the systematic chunks, zero-padded likewise. */
  reassemble(chunks: readonly VerifiedChunk[], validatorCount: number): Observable<Uint8Array>;
  /** Erasure root of a payload. */
  erasureRoot(payload: Uint8Array, validatorCount: number): Observable<Uint8Array>;
}

/** Does the work on the calling thread, when subscribed to. */
export function inlineWork({ codec, commitment }: Coding): ErasureWork {
  return {
    reconstruct: (chunks, n) => defer(() => of(codec.reconstruct(chunks, n))),
    reassemble: (chunks, n) => defer(() => of(codec.reassemble(chunks, n))),
    erasureRoot: (payload, n) => defer(() => of(commitment.root(codec.encodeChunks(payload, n)))),
  };
}

/**
 * Holds a port to its guarantees. Silence would look like a strategy that found nothing, and end in
 * `unavailable`, where it is a fault of ours; so is a value that is no bytes, and every error but an
 * {@link ErasureError}, even one that calls itself a verdict.
 */
export function oneValueEach(work: ErasureWork): ErasureWork {
  const one = (start: () => Observable<Uint8Array>): Observable<Uint8Array> =>
    defer(start).pipe(
      take(1),
      tap((value) => assertBytes(value)),
      catchError((cause: unknown) =>
        throwError(() =>
          isErrorOf(cause, 'ErasureError') ? cause : localFault('work_failed', cause),
        ),
      ),
      throwIfEmpty(() => localFault('work_gave_nothing')),
    );
  return {
    reconstruct: (chunks, n) => one(() => work.reconstruct(chunks, n)),
    reassemble: (chunks, n) => one(() => work.reassemble(chunks, n)),
    erasureRoot: (payload, n) => one(() => work.erasureRoot(payload, n)),
  };
}

function assertBytes(value: unknown): void {
  if (!(value instanceof Uint8Array)) {
    throw new TypeError(`work: expected a Uint8Array, got ${typeof value}`);
  }
}
