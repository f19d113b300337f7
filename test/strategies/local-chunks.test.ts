import { EMPTY, type Observable, of, VirtualTimeScheduler } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashReady } from '../../src/primitives/hash.ts';
import { chunkIndex, validatorIndex } from '../../src/primitives/ids.ts';
import type { ChunkStore, StoredChunk } from '../../src/recovery/ports.ts';
import { type LocalChunks, loadLocalChunks } from '../../strategies/local-chunks.ts';
import type { TestCandidate } from '../support/candidate-world.ts';
import { FakeStore } from '../support/fake-store.ts';
import { type MarbleHelpers, marbles } from '../support/marbles.ts';
import { goodReply, type TestContext, testContext } from './support.ts';

beforeAll(hashReady);

/** What the store has of one validator. */
function stored(candidate: TestCandidate, validator: number): StoredChunk {
  const reply = goodReply(candidate, validator);
  if (reply.type !== 'chunk') {
    throw new TypeError(`reply: expected a chunk, got ${reply.type}`);
  }
  return { validatorIndex: validatorIndex(validator), chunk: reply.chunk };
}

/** Loads once in virtual time. Scenario fixture: n = 7, core 2. */
function load(fill: (store: FakeStore, candidate: TestCandidate) => void): {
  readonly test: TestContext;
  readonly store: FakeStore;
  readonly local: LocalChunks | undefined;
} {
  const scheduler = new VirtualTimeScheduler();
  const store = new FakeStore();
  const test = testContext({
    validatorCount: 7,
    scheduler,
    store: (candidate) => {
      fill(store, candidate);
      return store;
    },
  });
  let local: LocalChunks | undefined;
  loadLocalChunks(test.context).subscribe((value) => {
    local = value;
  });
  scheduler.flush();
  return { test, store, local };
}

describe('loadLocalChunks', () => {
  it('R28: holds nothing when the store cannot be reached', () => {
    const { test, local } = load((store) => store.failWith(new Error('unreachable')));
    expect(local).toEqual({ invalid: new Set(), events: [] });
    expect(test.context.known.count).toBe(0);
    expect(test.warnings).toEqual(['store_read_failed']);
  });

  it('R29: holds nothing of an invalid chunk, but knows whose place it has', () => {
    // Chunk 0's bytes under index 3, in V2's place.
    const { test, local } = load((store, candidate) => {
      const { chunk } = stored(candidate, 3);
      store.putChunk(candidate.candidateHash, 2, { ...chunk, chunkIndex: chunkIndex(3) });
    });
    expect(test.context.known.count).toBe(0);
    expect(test.context.known.isOwn(validatorIndex(2))).toBe(true);
    expect(local).toEqual({ invalid: new Set([3]), events: [] });
  });

  it('drops an invalid chunk from the store', () => {
    const { store, test } = load((fake, candidate) => {
      fake.putChunk(candidate.candidateHash, 4, stored(candidate, 4).chunk);
      fake.corrupt(candidate.candidateHash, { type: 'chunk', validatorIndex: validatorIndex(4) });
    });
    expect(store.dropped).toEqual([{ type: 'chunk', validatorIndex: 4 }]);
    expect(test.warnings).toEqual(['stored_chunk_invalid']);
  });

  it('does not take for chunks what the store emits when it drops one', () => {
    const { local } = load((fake, candidate) => {
      fake.putChunk(candidate.candidateHash, 4, stored(candidate, 4).chunk);
      fake.corrupt(candidate.candidateHash, { type: 'chunk', validatorIndex: validatorIndex(4) });
      Object.assign(fake, { dropCorrupt: () => of(undefined) });
    });
    expect(local).toEqual({ invalid: new Set([1]), events: [] });
  });

  it('R30: holds a valid chunk and knows whose place it has', () => {
    const { test, local, store } = load((fake, candidate) => {
      fake.putChunk(candidate.candidateHash, 4, stored(candidate, 4).chunk);
    });
    expect(test.context.known.has(chunkIndex(1))).toBe(true);
    expect(test.context.known.isOwn(validatorIndex(4))).toBe(true);
    expect(local?.events).toEqual([{ type: 'chunk_held', atMs: 0, chunkIndex: 1, from: 'store' }]);
    expect(store.dropped).toEqual([]);
  });

  it('says nothing about a chunk that is held already', () => {
    const scheduler = new VirtualTimeScheduler();
    const store = new FakeStore();
    const { context } = testContext({
      validatorCount: 7,
      scheduler,
      store: (candidate) => store.putChunk(candidate.candidateHash, 4, stored(candidate, 4).chunk),
    });
    const seen: LocalChunks[] = [];
    loadLocalChunks(context).subscribe((value) => seen.push(value));
    loadLocalChunks(context).subscribe((value) => seen.push(value));
    expect(seen.map(({ events }) => events.length)).toEqual([1, 0]);
  });

  it('is done at once without a store', () => {
    marbles((helpers) => {
      const { context } = testContext({ validatorCount: 7, scheduler: helpers.scheduler });
      helpers.expectObservable(loadLocalChunks(context)).toBe('(n|)', {
        n: { invalid: new Set(), events: [] },
      });
    });
  });
});

/** A load from a store that answers with the stream given; the count of chunks held. */
function loadFrom(
  helpers: MarbleHelpers,
  chunks$: Observable<StoredChunk>,
): Observable<LocalChunks> {
  const store: ChunkStore = {
    loadChunks: () => chunks$,
    loadAvailableData: () => EMPTY,
    loadChunkBytes: () => EMPTY,
    dropCorrupt: () => EMPTY,
  };
  const { context } = testContext({
    validatorCount: 7,
    scheduler: helpers.scheduler,
    store: () => store,
    settings: { storeTimeoutMs: 10 },
  });
  return loadLocalChunks(context);
}

describe('loadLocalChunks, the store read', () => {
  const nothing = { invalid: new Set(), events: [] };

  function twoChunks(helpers: MarbleHelpers): Record<'a' | 'b', StoredChunk> {
    const { candidate } = testContext({ validatorCount: 7, scheduler: helpers.scheduler });
    return { a: stored(candidate, 3), b: stored(candidate, 4) };
  }

  it('never: is given up after the store timeout', () => {
    marbles((helpers) => {
      const read = helpers.cold<StoredChunk>('-           ');
      const subs = '                           ^---------! ';
      const expected = '                       ----------(n|)';
      helpers.expectObservable(loadFrom(helpers, read)).toBe(expected, { n: nothing });
      helpers.expectSubscriptions(read.subscriptions).toBe(subs);
    });
  });

  it('empty: holds nothing', () => {
    marbles((helpers) => {
      const read = helpers.cold<StoredChunk>('--|   ');
      const subs = '                           ^-!   ';
      const expected = '                       --(n|)';
      helpers.expectObservable(loadFrom(helpers, read)).toBe(expected, { n: nothing });
      helpers.expectSubscriptions(read.subscriptions).toBe(subs);
    });
  });

  it('one and many: holds all when the store has said all', () => {
    marbles((helpers) => {
      const read = helpers.cold('-a-b-|   ', twoChunks(helpers));
      const subs = '              ^----!   ';
      const expected = '          -----(m|)';
      const held = (index: number) => ({
        type: 'chunk_held',
        atMs: 5,
        chunkIndex: index,
        from: 'store',
      });
      helpers.expectObservable(loadFrom(helpers, read)).toBe(expected, {
        m: { invalid: new Set(), events: [held(0), held(1)] },
      });
      helpers.expectSubscriptions(read.subscriptions).toBe(subs);
    });
  });

  it('error: holds nothing of what came before it', () => {
    marbles((helpers) => {
      const read = helpers.cold('-a-#   ', twoChunks(helpers));
      const subs = '              ^--!   ';
      const expected = '          ---(n|)';
      helpers.expectObservable(loadFrom(helpers, read)).toBe(expected, { n: nothing });
      helpers.expectSubscriptions(read.subscriptions).toBe(subs);
    });
  });

  it('endless: is given up after the store timeout', () => {
    marbles((helpers) => {
      const read = helpers.hot('-a-b-a-b-a-b-a-b', twoChunks(helpers));
      const subs = '             ^---------!     ';
      const expected = '         ----------(n|)  ';
      helpers.expectObservable(loadFrom(helpers, read)).toBe(expected, { n: nothing });
      helpers.expectSubscriptions(read.subscriptions).toBe(subs);
    });
  });

  it.each([
    ['nothing', () => undefined],
    ['an entry without a chunk', ({ validatorIndex: v }: StoredChunk) => ({ validatorIndex: v })],
    [
      'a chunk as text',
      (entry: StoredChunk) => ({ ...entry, chunk: { ...entry.chunk, bytes: '0x00' } }),
    ],
  ])('%s: counts as a failed read', (_what, spoil) => {
    marbles((helpers) => {
      const { a, b } = twoChunks(helpers);
      const read = helpers.cold('(ab|)', { a, b: spoil(b) as StoredChunk });
      helpers.expectObservable(loadFrom(helpers, read)).toBe('(n|)', { n: nothing });
    });
  });

  it('early unsubscribe: stops the read', () => {
    marbles((helpers) => {
      const read = helpers.cold<StoredChunk>('-----');
      const subs = '                           ^--! ';
      helpers.expectObservable(loadFrom(helpers, read), subs).toBe('-----');
      helpers.expectSubscriptions(read.subscriptions).toBe(subs);
    });
  });

  it('a callback that throws: counts as a failed read', () => {
    marbles((helpers) => {
      const { context, warnings } = testContext({
        validatorCount: 7,
        scheduler: helpers.scheduler,
        store: () =>
          ({
            ...new FakeStore(),
            loadChunks: () => {
              throw new Error('a bug of the store');
            },
          }) as unknown as ChunkStore,
      });
      helpers.expectObservable(loadLocalChunks(context)).toBe('(n|)', { n: nothing });
      helpers.flush();
      expect(warnings).toEqual(['store_read_failed']);
    });
  });
});
