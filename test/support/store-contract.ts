/**
 * @module
 * What every {@link ChunkStore} and {@link ServedStore} guarantees, tested by name. A test calls the
 * suite with a factory.
 */

import { firstValueFrom, lastValueFrom, type Observable, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { CandidateHash } from '../../src/primitives/ids.ts';
import { candidateHash, validatorIndex } from '../../src/primitives/ids.ts';
import type { ChunkStore, ServedStore, StoredEntry } from '../../src/recovery/ports.ts';
import { allValidators, type StoreCandidate, storeCandidate } from './store-candidate.ts';

/** A store with the levers that the suites pull. Disposing closes it. */
export type StoreUnderTest<Store> = AsyncDisposable & {
  readonly store: Store;
  /** Puts genuine entries in. */
  hold(candidate: StoreCandidate, held: HeldEntries): Promise<void>;
  /** Changes a held entry so that it no longer passes its check. */
  damage(hash: CandidateHash, entry: StoredEntry): Promise<void>;
  /** Local corruptions counted so far. */
  corruptions(): number;
};

/** What a store holds of a candidate. */
export type HeldEntries = { readonly validators: readonly number[]; readonly data: boolean };

const UNKNOWN = candidateHash('00'.repeat(32));
const chunkOf = (validator: number): StoredEntry => ({
  type: 'chunk',
  validatorIndex: validatorIndex(validator),
});
const DATA: StoredEntry = { type: 'available_data' };

/** The suite for stores that recovery reads. */
export function chunkStoreContract(
  name: string,
  open: () => Promise<StoreUnderTest<ChunkStore>>,
): void {
  describe(`ChunkStore: ${name}`, () => {
    const candidate = storeCandidate({ seed: 1 });
    const other = storeCandidate({ seed: 2 });
    const hash = candidate.candidateHash;

    it('completes without a value when nothing is held', async () => {
      await using opened = await open();
      const { store } = opened;
      expect(await all(store.loadChunks(UNKNOWN))).toEqual([]);
      expect(await all(store.loadAvailableData(UNKNOWN))).toEqual([]);
      expect(await all(store.loadChunkBytes(UNKNOWN))).toEqual([]);
    });

    it('emits every chunk held, in ascending validator order', async () => {
      await using opened = await open();
      await opened.hold(candidate, { validators: [5, 0, 3], data: false });
      const chunks = await all(opened.store.loadChunks(hash));
      expect(chunks.map(({ validatorIndex: v }) => v)).toEqual([0, 3, 5]);
      expect(chunks.map(({ chunk }) => plain(chunk))).toEqual(
        [0, 3, 5].map((v) => plain(candidate.chunkOf(v))),
      );
    });

    it('emits the SCALE bytes of the full data', async () => {
      await using opened = await open();
      await opened.hold(candidate, { validators: [], data: true });
      expect(await all(opened.store.loadAvailableData(hash))).toEqual([candidate.dataBytes]);
      expect(await all(opened.store.loadChunks(hash))).toEqual([]);
    });

    it('tells the size of a chunk', async () => {
      await using opened = await open();
      await opened.hold(candidate, { validators: [6, 2], data: false });
      expect(await all(opened.store.loadChunkBytes(hash))).toEqual([
        candidate.chunkOf(2).bytes.length,
      ]);
    });

    it('keeps candidates apart', async () => {
      await using opened = await open();
      await opened.hold(candidate, { validators: [1], data: true });
      await opened.hold(other, { validators: [2], data: false });
      expect(await validatorsHeld(opened.store, hash)).toEqual([1]);
      expect(await validatorsHeld(opened.store, other.candidateHash)).toEqual([2]);
      expect(await all(opened.store.loadAvailableData(other.candidateHash))).toEqual([]);
    });

    it('is cold: a call alone neither reads nor drops, each subscription reads anew', async () => {
      await using opened = await open();
      const chunks = opened.store.loadChunks(hash);
      await opened.hold(candidate, { validators: [1, 2], data: false });
      await opened.damage(hash, chunkOf(1));
      opened.store.dropCorrupt(hash, chunkOf(1));
      expect(await all(chunks)).toHaveLength(2);
      await all(opened.store.dropCorrupt(hash, chunkOf(1)));
      expect(await all(chunks)).toHaveLength(1);
    });

    it('emits nothing after an unsubscribe', async () => {
      await using opened = await open();
      await opened.hold(candidate, { validators: [1, 2], data: false });
      let emitted = 0;
      const reading = opened.store.loadChunks(hash).subscribe({
        next: () => {
          emitted += 1;
        },
        error: expect.unreachable,
      });
      reading.unsubscribe();
      const before = emitted;
      await all(opened.store.loadChunks(hash));
      expect(emitted).toBe(before);
    });

    it('returns entries for recovery unchecked', async () => {
      await using opened = await open();
      await opened.hold(candidate, { validators: [1], data: true });
      await opened.damage(hash, DATA);
      const [data] = await all(opened.store.loadAvailableData(hash));
      expect(data).toBeDefined();
      expect(data).not.toEqual(candidate.dataBytes);
      expect(opened.corruptions()).toBe(0);
    });

    it('counts a corrupt chunk once and forgets it alone', async () => {
      await using opened = await open();
      await opened.hold(candidate, { validators: [1, 2], data: true });
      await opened.damage(hash, chunkOf(1));
      expect(await all(opened.store.dropCorrupt(hash, chunkOf(1)))).toEqual([]);
      await all(opened.store.dropCorrupt(hash, chunkOf(1)));
      expect(await validatorsHeld(opened.store, hash)).toEqual([2]);
      expect(await all(opened.store.loadAvailableData(hash))).toHaveLength(1);
      expect(opened.corruptions()).toBe(1);
    });

    it('counts corrupt full data once and forgets it alone', async () => {
      await using opened = await open();
      await opened.hold(candidate, { validators: [1, 2], data: true });
      await opened.damage(hash, DATA);
      await all(opened.store.dropCorrupt(hash, DATA));
      await all(opened.store.dropCorrupt(hash, DATA));
      expect(await all(opened.store.loadAvailableData(hash))).toEqual([]);
      expect(await validatorsHeld(opened.store, hash)).toEqual([1, 2]);
      expect(opened.corruptions()).toBe(1);
    });

    it('completes when what is dropped was never held', async () => {
      await using opened = await open();
      await all(opened.store.dropCorrupt(UNKNOWN, chunkOf(1)));
      await all(opened.store.dropCorrupt(UNKNOWN, DATA));
      expect(opened.corruptions()).toBe(0);
    });
  });
}

/** The suite for stores that are served to others. */
export function servedStoreContract(
  name: string,
  open: () => Promise<StoreUnderTest<ServedStore>>,
): void {
  describe(`ServedStore: ${name}`, () => {
    const candidate = storeCandidate({ seed: 3 });
    const hash = candidate.candidateHash;

    it('completes without a value when nothing is held', async () => {
      await using opened = await open();
      expect(await all(opened.store.serveChunk(UNKNOWN, validatorIndex(0)))).toEqual([]);
      expect(await all(opened.store.serveAvailableData(UNKNOWN))).toEqual([]);
    });

    it('serves each chunk held with its own chunk index, and no other', async () => {
      await using opened = await open();
      await opened.hold(candidate, { validators: [0, 4], data: false });
      for (const validator of allValidators(candidate)) {
        const served = await all(opened.store.serveChunk(hash, validator));
        const isHeld = validator === 0 || validator === 4;
        const expected = isHeld ? [plain(candidate.chunkOf(validator))] : [];
        expect(served.map(plain), `V ${validator}`).toEqual(expected);
      }
    });

    it.each([7, 8, 65_536, 2 ** 32, -1, 1.5, Number.NaN])('holds nothing for V %d', async (v) => {
      await using opened = await open();
      await opened.hold(candidate, { validators: [0, 1, 2, 3, 4, 5, 6], data: true });
      expect(await all(opened.store.serveChunk(hash, validatorIndex(v)))).toEqual([]);
      expect(opened.corruptions()).toBe(0);
    });

    it('serves the full data as stored', async () => {
      await using opened = await open();
      await opened.hold(candidate, { validators: [], data: true });
      expect(await all(opened.store.serveAvailableData(hash))).toEqual([candidate.dataBytes]);
    });

    it('finds a corrupt chunk before serving it: counted once, forgotten, others served', async () => {
      await using opened = await open();
      await opened.hold(candidate, { validators: [1, 2], data: true });
      await opened.damage(hash, chunkOf(1));
      expect(await all(opened.store.serveChunk(hash, validatorIndex(1)))).toEqual([]);
      expect(await all(opened.store.serveChunk(hash, validatorIndex(1)))).toEqual([]);
      expect(opened.corruptions()).toBe(1);
      expect(await all(opened.store.serveChunk(hash, validatorIndex(2)))).toHaveLength(1);
      expect(await all(opened.store.serveAvailableData(hash))).toHaveLength(1);
    });

    it('finds corrupt full data before serving it: counted once, forgotten, chunks served', async () => {
      await using opened = await open();
      await opened.hold(candidate, { validators: [1], data: true });
      await opened.damage(hash, DATA);
      expect(await all(opened.store.serveAvailableData(hash))).toEqual([]);
      expect(await all(opened.store.serveAvailableData(hash))).toEqual([]);
      expect(opened.corruptions()).toBe(1);
      expect(await all(opened.store.serveChunk(hash, validatorIndex(1)))).toHaveLength(1);
    });

    it('answers many questions at once', async () => {
      await using opened = await open();
      await opened.hold(candidate, { validators: [0, 1, 2, 3, 4, 5, 6], data: true });
      const served = await Promise.all(
        allValidators(candidate).map((v) => firstValueFrom(opened.store.serveChunk(hash, v))),
      );
      expect(served.map(plain)).toEqual(
        allValidators(candidate).map((v) => plain(candidate.chunkOf(v))),
      );
    });
  });
}

/** Everything that a stream emits. */
export async function all<T>(stream: Observable<T>): Promise<T[]> {
  return await lastValueFrom(stream.pipe(toArray()));
}

async function validatorsHeld(store: ChunkStore, hash: CandidateHash): Promise<number[]> {
  return (await all(store.loadChunks(hash))).map(({ validatorIndex: v }) => v);
}

/** Bytes as plain arrays: a stored chunk may hold views or buffers of another class. */
function plain(chunk: { bytes: Uint8Array; chunkIndex: number; proof: readonly Uint8Array[] }): {
  bytes: number[];
  chunkIndex: number;
  proof: number[][];
} {
  return {
    bytes: [...chunk.bytes],
    chunkIndex: chunk.chunkIndex,
    proof: chunk.proof.map((node) => [...node]),
  };
}
