import { lastValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/store/errors.ts';
import { FakeStore } from '../support/fake-store.ts';
import { storeCandidate } from '../support/store-candidate.ts';
import {
  all,
  chunkStoreContract,
  type StoreUnderTest,
  servedStoreContract,
} from '../support/store-contract.ts';
import { openStore } from './support.ts';

for (const kind of ['memory', 'level'] as const) {
  chunkStoreContract(kind, () => openStore(kind));
  servedStoreContract(kind, () => openStore(kind));
}

chunkStoreContract('fake', async (): Promise<StoreUnderTest<FakeStore>> => {
  const store = new FakeStore();
  return {
    store,
    hold: async (candidate, { validators, data }) => {
      for (const v of validators) {
        store.putChunk(candidate.candidateHash, v, candidate.chunkOf(v));
      }
      if (data) {
        store.putAvailableData(candidate.candidateHash, candidate.dataBytes);
      }
    },
    damage: async (hash, entry) => {
      store.corrupt(hash, entry);
    },
    corruptions: () => store.dropped.length,
    [Symbol.asyncDispose]: async () => {},
  };
});

describe('FakeStore', () => {
  const candidate = storeCandidate({ seed: 4 });
  const hash = candidate.candidateHash;

  it('answers in the turn of the subscription and records it', () => {
    const store = new FakeStore().putChunk(hash, 1, candidate.chunkOf(1));
    const seen: number[] = [];
    store.loadChunks(hash).subscribe({
      next: ({ validatorIndex }) => seen.push(validatorIndex),
      error: expect.unreachable,
    });
    expect(seen).toEqual([1]);
    expect(store.calls).toEqual([{ method: 'loadChunks', candidateHash: hash }]);
  });

  it('fails while it is told to', async () => {
    const store = new FakeStore().failWith(new StoreError('read_failed', 'told to'));
    await expect(lastValueFrom(store.loadChunks(hash))).rejects.toMatchObject({
      code: 'read_failed',
    });
    store.failWith(undefined);
    expect(await all(store.loadChunks(hash))).toEqual([]);
  });
});
