/**
 * @module
 * A store for tests of recovery: in memory, answers in the turn of the subscription, records what it is
 * asked, and fails or lies when told to. Checks nothing.
 */

import { defer, EMPTY, from, ignoreElements, type Observable, of, throwError } from 'rxjs';
import type { Chunk } from '../../src/primitives/chunk.ts';
import type { CandidateHash } from '../../src/primitives/ids.ts';
import { validatorIndex } from '../../src/primitives/ids.ts';
import type { ChunkStore, StoredChunk, StoredEntry } from '../../src/recovery/ports.ts';

/** One call of a port method, recorded when it was subscribed to. */
export type StoreCall = {
  readonly method: 'loadChunks' | 'loadAvailableData' | 'loadChunkBytes' | 'dropCorrupt';
  readonly candidateHash: CandidateHash;
  readonly entry?: StoredEntry;
};

/** What the fake holds of one candidate. */
type Held = { readonly chunks: Map<number, Chunk>; data?: Uint8Array };

/** See the module. */
export class FakeStore implements ChunkStore {
  /** Calls in order of subscription. */
  readonly calls: StoreCall[] = [];
  /** Entries that were held and then dropped as corrupt. */
  readonly dropped: StoredEntry[] = [];
  readonly #held = new Map<CandidateHash, Held>();
  #failure: unknown;

  /** Holds one validator's chunk, whatever it is. */
  putChunk(hash: CandidateHash, validator: number, chunk: Chunk): this {
    this.#of(hash).chunks.set(validator, chunk);
    return this;
  }

  /** Holds full data, whatever the bytes are. */
  putAvailableData(hash: CandidateHash, bytes: Uint8Array): this {
    this.#of(hash).data = bytes;
    return this;
  }

  /** Flips the lowest bit of the first byte of an entry that is held. */
  corrupt(hash: CandidateHash, entry: StoredEntry): this {
    const held = this.#of(hash);
    if (entry.type === 'chunk') {
      const chunk = held.chunks.get(entry.validatorIndex);
      if (chunk !== undefined) {
        held.chunks.set(entry.validatorIndex, { ...chunk, bytes: flipped(chunk.bytes) });
      }
    } else if (held.data !== undefined) {
      held.data = flipped(held.data);
    }
    return this;
  }

  /** Fails every call from now on; `undefined` ends that. */
  failWith(error: unknown): this {
    this.#failure = error;
    return this;
  }

  loadChunks(candidateHash: CandidateHash): Observable<StoredChunk> {
    return this.#answer({ method: 'loadChunks', candidateHash }, (held) =>
      from(storedChunks(held)),
    );
  }

  loadAvailableData(candidateHash: CandidateHash): Observable<Uint8Array> {
    return this.#answer({ method: 'loadAvailableData', candidateHash }, ({ data }) =>
      data === undefined ? EMPTY : of(data),
    );
  }

  loadChunkBytes(candidateHash: CandidateHash): Observable<number> {
    return this.#answer({ method: 'loadChunkBytes', candidateHash }, (held) =>
      from(
        storedChunks(held)
          .slice(0, 1)
          .map(({ chunk }) => chunk.bytes.length),
      ),
    );
  }

  dropCorrupt(candidateHash: CandidateHash, entry: StoredEntry): Observable<never> {
    return this.#answer({ method: 'dropCorrupt', candidateHash, entry }, (held) => {
      const wasHeld =
        entry.type === 'chunk' ? held.chunks.delete(entry.validatorIndex) : 'data' in held;
      if (entry.type === 'available_data') {
        delete held.data;
      }
      if (wasHeld) {
        this.dropped.push(entry);
      }
      return EMPTY;
    }).pipe(ignoreElements());
  }

  #answer<T>(call: StoreCall, read: (held: Held) => Observable<T>): Observable<T> {
    return defer(() => {
      this.calls.push(call);
      return this.#failure === undefined
        ? read(this.#of(call.candidateHash))
        : throwError(() => this.#failure);
    });
  }

  #of(hash: CandidateHash): Held {
    const held = this.#held.get(hash) ?? { chunks: new Map<number, Chunk>() };
    this.#held.set(hash, held);
    return held;
  }
}

function storedChunks({ chunks }: Held): StoredChunk[] {
  return [...chunks]
    .sort(([a], [b]) => a - b)
    .map(([validator, chunk]) => ({ validatorIndex: validatorIndex(validator), chunk }));
}

function flipped(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  copy[0] = (copy[0] ?? 0) ^ 1;
  return copy;
}
