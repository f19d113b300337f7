import { EMPTY, Observable, of, throwError, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import { ErasureError } from '../../src/primitives/errors.ts';
import { validatorIndex } from '../../src/primitives/ids.ts';
import { RecoveryError } from '../../src/recovery/errors.ts';
import type { ChunkStore, SessionInfo } from '../../src/recovery/ports.ts';
import type { RecoveryRequest } from '../../src/recovery/request.ts';
import {
  type CandidateKind,
  type TestCandidate,
  testCandidate,
} from '../support/candidate-world.ts';
import { authorityAt } from '../support/fake-network.ts';
import { FakeStore } from '../support/fake-store.ts';
import { slowWork, workWith } from '../support/fake-work.ts';
import { codeOf, RecoveryWorld, record, type WorldOptions } from '../support/recovery-world.ts';

const session: SessionInfo = {
  index: 10,
  validators: Array.from({ length: 7 }, (_, i) => authorityAt(i)),
  groups: [],
  nodeFeatures: [false, false, true],
};

/** A directory that answers every session with this. */
function sessions(answer$: Observable<SessionInfo>): NonNullable<WorldOptions['directory']> {
  return { session: () => answer$ };
}

/** Puts one validator's genuine chunk in. */
function putOwn(store: FakeStore, candidate: TestCandidate, validator: number): FakeStore {
  const chunk = candidate.chunks[candidate.mapping.chunkOf(validatorIndex(validator))];
  return store.putChunk(candidate.candidateHash, validator, chunk!);
}

describe('the session', () => {
  it.each<[string, Observable<SessionInfo>, string]>([
    ['is unknown', EMPTY, 'session_missing'],
    ['cannot be read', throwError(() => new Error('offline')), 'directory_failed'],
    ['cannot be read (misuse inside)', throwError(() => new RangeError('x')), 'directory_failed'],
    ['is not even one', of(null as unknown as SessionInfo), 'directory_failed'],
    ['has no validators', of({ ...session, validators: [] }), 'session_unusable'],
    ['has one validator', of({ ...session, validators: [authorityAt(0)] }), 'session_unusable'],
    [
      'has too many validators',
      of({ ...session, validators: Array(65_537).fill(null) as null[] }),
      'session_unusable',
    ],
    ['is another one', of({ ...session, index: 11 }), 'session_unusable'],
    [
      'has no groups',
      of({ ...session, groups: undefined } as unknown as SessionInfo),
      'directory_failed',
    ],
    [
      'another recovery calls invalid',
      throwError(() => new RecoveryError('invalid', 'of another candidate')),
      'directory_failed',
    ],
  ])('that %s ends in local_fault, uncounted and unkept', async (_name, answer$, reason) => {
    const world = await RecoveryWorld.open({ validatorCount: 7, directory: sessions(answer$) });
    for (let i = 0; i < 2; i += 1) {
      const { events, error } = world.run();
      expect(events.map(({ type }) => type)).toEqual(['started']);
      expect(error).toMatchObject({
        name: 'RecoveryError',
        code: 'local_fault',
        details: { reason },
        account: { totals: { issued: 0 }, strategies: [] },
        evidence: undefined,
      });
    }
    expect(world.metrics.counts.size).toBe(0);
    expect(world.network.asked).toEqual([]);
  });

  it('that throws synchronously is a local fault with the cause', async () => {
    const fault = new Error('thrown');
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      directory: {
        session: () => {
          throw fault;
        },
      },
    });
    expect(world.run().error).toMatchObject({ code: 'local_fault', cause: fault });
  });

  it('that is unknown ends in unavailable where the settings say so, uncounted too', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      directory: sessions(EMPTY),
      settings: { sessionMissing: 'unavailable' },
    });
    expect(world.run().error).toMatchObject({
      code: 'unavailable',
      details: { reason: 'session_missing' },
    });
    expect(world.metrics.counts.size).toBe(0);
  });

  it('is asked once, and a second answer is not waited for', async () => {
    let subscriptions = 0;
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      directory: {
        session: () =>
          new Observable((subscriber) => {
            subscriptions += 1;
            subscriber.next(session);
          }),
      },
    });
    expect(world.run().recovered).toBeDefined();
    expect(subscriptions).toBe(1);
  });

  it('is that of the moment when it came, whatever the directory does with it', async () => {
    const validators = [...session.validators];
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      directory: sessions(of({ ...session, validators })),
      behaviour: () => ({ behaviour: 'good', delayMs: 10 }),
    });
    // An eighth validator after the first seven were asked: with n = 8 every root is another one.
    world.scheduler.schedule(() => validators.push(authorityAt(7)), 5);
    expect(world.run().recovered?.data).toEqual(world.candidate.data);
  });

  it('with two validators is enough', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 2 });
    const { recovered } = world.run();
    expect(recovered?.data).toEqual(world.candidate.data);
    expect(recovered?.account.totals.issued).toBe(1);
  });

  it('of which nobody is known is unavailable', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 4,
      unknown: [0, 1, 2, 3],
      groups: [[1]],
    });
    expect(world.run({ backingGroup: 0 }).error).toMatchObject({ code: 'unavailable' });
    expect(world.network.asked).toEqual([]);
  });

  it.each([7, -1, 1.5])(
    'whose named group has the member %d is a misuse, uncounted',
    async (member) => {
      const world = await RecoveryWorld.open({ validatorCount: 7, groups: [[1, member]] });
      const { error } = world.run({ backingGroup: 0 });
      expect(error).toMatchObject({
        name: 'RangeError',
        message: expect.stringMatching(/^groups\[0\]: /),
      });
      expect(world.metrics.counts.size).toBe(0);
    },
  );

  it('that lacks the named group is used as if none was named', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7, groups: [[1]] });
    const { recovered } = world.run({ backingGroup: 1 });
    expect(recovered?.from).toBe('systematic_chunks');
    expect(world.network.dataAsked()).toEqual([]);
  });

  it('with a broken member in a group that was not named is fine', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7, groups: [[1], [99]] });
    expect(world.run({ backingGroup: 0 }).recovered?.from).toBe('full_from_backers');
  });

  it('that maps by a shuffle without a seed is a misuse', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      directory: sessions(of({ ...session, mapping: { scheme: 'chacha8' } })),
    });
    expect(world.run().error).toBeInstanceOf(TypeError);
  });

  it('maps as the request says, else as the session says, else by its features', async () => {
    const seed = new Uint8Array(32).fill(7);
    const shuffled = { validatorCount: 7, scheme: 'chacha8' } as const;
    const bySession = await RecoveryWorld.open({
      ...shuffled,
      directory: sessions(of({ ...session, mapping: { scheme: 'chacha8', seed } })),
    });
    expect(bySession.run().recovered?.from).toBe('systematic_chunks');
    const byRequest = await RecoveryWorld.open({
      ...shuffled,
      directory: sessions(of({ ...session, mapping: { scheme: 'rfc47' } })),
    });
    const outcome = byRequest.run({ mapping: { scheme: 'chacha8', seed } });
    expect(outcome.recovered?.from).toBe('systematic_chunks');
    const { systematicThreshold } = byRequest.candidate.mapping;
    expect(outcome.recovered?.account.totals.issued).toBe(systematicThreshold);
  });

  it('that maps, in a request without a core, leaves the systematic strategy out', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7 });
    const { receipt } = world.candidate;
    const outcome = record(world.recovery.recover({ receipt, sessionIndex: 10 }));
    expect(outcome.recovered?.from).toBe('regular_chunks');
  });
});

describe('the own store', () => {
  const withData = ({ candidateHash, data }: TestCandidate): FakeStore =>
    new FakeStore().putAvailableData(candidateHash, encodeAvailableData(data));

  it('that has the full data answers alone: no attempt, nothing counted', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7, store: withData, groups: [[1]] });
    const { events, recovered } = world.run({ backingGroup: 0 });
    expect(events.map(({ type }) => type)).toEqual(['started', 'recovered']);
    expect(recovered).toMatchObject({ from: 'store', account: { totals: { issued: 0 } } });
    expect(recovered?.data).toEqual(world.candidate.data);
    expect(world.network.asked).toEqual([]);
    expect(world.metrics.counts.size).toBe(0);
    expect(world.run().recovered?.from).toBe('cache');
  });

  it('is not read when the request bypasses it, but for the size of a chunk', async () => {
    const stores: FakeStore[] = [];
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      groups: [[1]],
      store: (candidate) => {
        const store = putOwn(withData(candidate), candidate, 2);
        stores.push(store);
        return store;
      },
    });
    const byHash = { useStore: false, checkMode: 'pov_hash' } as const;
    expect(world.run(byHash).recovered?.from).toBe('systematic_chunks');
    expect(stores[0]?.calls).toEqual([]);
    expect(world.run({ useStore: false, backingGroup: 0 }).recovered?.from).toBe(
      'full_from_backers',
    );
    expect(stores[0]?.calls.map(({ method }) => method)).toEqual(['loadChunkBytes']);
  });

  it('tells the size only where a valid group was named, before the question for full data', async () => {
    const calls = async (request: Partial<RecoveryRequest>): Promise<readonly string[]> => {
      const store = new FakeStore();
      const world = await RecoveryWorld.open({
        validatorCount: 7,
        groups: [[1]],
        store: () => store,
      });
      world.run(request);
      return store.calls.map(({ method }) => method);
    };
    expect(await calls({ backingGroup: 0 })).toEqual(['loadChunkBytes', 'loadAvailableData']);
    expect((await calls({ backingGroup: 9 }))[0]).toBe('loadAvailableData');
    expect((await calls({}))[0]).toBe('loadAvailableData');
    expect((await calls({ backingGroup: 0, strategies: ['regular_chunks'] }))[0]).toBe(
      'loadAvailableData',
    );
  });

  it('uses an own chunk and never asks for it', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      ownValidatorIndex: 4,
      store: (candidate) => putOwn(new FakeStore(), candidate, 4),
    });
    const { events, recovered } = world.run();
    expect(events.find(({ type }) => type === 'chunk_held')).toMatchObject({ from: 'store' });
    expect(recovered?.data).toEqual(world.candidate.data);
    expect(world.network.chunksAsked()).toEqual([3]);
  });

  it('with corrupt full data loses it, and the network gives the right result', async () => {
    const store = new FakeStore();
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      store: ({ candidateHash, data }) =>
        store
          .putAvailableData(candidateHash, encodeAvailableData(data))
          .corrupt(candidateHash, { type: 'available_data' }),
    });
    const { recovered } = world.run();
    expect(recovered?.from).toBe('systematic_chunks');
    expect(recovered?.data).toEqual(world.candidate.data);
    expect(store.dropped).toEqual([{ type: 'available_data' }]);
    expect(world.log.names()).toContain('stored_data_invalid');
  });

  it('with the data of another candidate loses it, and the network gives the right result', async () => {
    const store = new FakeStore();
    const other = testCandidate({ validatorCount: 7, seed: 9 });
    for (const checkMode of ['re_encode', 'pov_hash'] as const) {
      const world = await RecoveryWorld.open({
        validatorCount: 7,
        store: ({ candidateHash }) =>
          store.putAvailableData(candidateHash, encodeAvailableData(other.data)),
      });
      const { recovered } = world.run({ checkMode });
      expect(recovered?.from).toBe('systematic_chunks');
      expect(recovered?.data).toEqual(world.candidate.data);
    }
    expect(store.dropped).toHaveLength(2);
  });

  it.each([new Uint8Array(), Uint8Array.of(0xff), new Uint8Array(64).fill(0xff)])(
    'with bytes that are no value loses them: %j',
    async (bytes) => {
      const store = new FakeStore();
      const world = await RecoveryWorld.open({
        validatorCount: 7,
        store: ({ candidateHash }) => store.putAvailableData(candidateHash, bytes),
      });
      expect(world.run().recovered?.from).toBe('systematic_chunks');
      expect(store.dropped).toEqual([{ type: 'available_data' }]);
    },
  );

  it.each([null, undefined, 'text', 5, {}, [1, 2]])(
    'whose data is %o and no bytes is not used, and the network gives the right result',
    async (answer) => {
      const world = await RecoveryWorld.open({
        validatorCount: 7,
        store: () =>
          Object.assign(new FakeStore(), { loadAvailableData: () => of(answer as Uint8Array) }),
      });
      expect(world.run().recovered?.data).toEqual(world.candidate.data);
      expect(world.log.names()).toContain('store_read_failed');
    },
  );

  it.each([undefined, { data: { pov: { blockData: Uint8Array.of(1) } }, scaleBytes: 1 }])(
    'that emits %o when it drops data has not thereby found some',
    async (emitted) => {
      const world = await RecoveryWorld.open({
        validatorCount: 7,
        store: ({ candidateHash }) =>
          Object.assign(new FakeStore().putAvailableData(candidateHash, Uint8Array.of(9)), {
            dropCorrupt: () => of(emitted as never),
          }),
      });
      const { recovered } = world.run();
      expect(recovered?.from).toBe('systematic_chunks');
      expect(recovered?.data).toEqual(world.candidate.data);
    },
  );

  it('with corrupt chunks loses those, and the network gives the right result', async () => {
    const store = new FakeStore();
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      store: (candidate) => {
        putOwn(store, candidate, 4);
        putOwn(store, candidate, 1);
        const { candidateHash } = candidate;
        return store.corrupt(candidateHash, { type: 'chunk', validatorIndex: validatorIndex(4) });
      },
    });
    const { recovered } = world.run();
    expect(recovered?.data).toEqual(world.candidate.data);
    expect(store.dropped).toEqual([{ type: 'chunk', validatorIndex: 4 }]);
  });

  it('with chunks of another candidate loses those', async () => {
    const store = new FakeStore();
    const other = testCandidate({ validatorCount: 7, seed: 9 });
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      store: ({ candidateHash }) => store.putChunk(candidateHash, 1, other.chunks[0]!),
    });
    const { recovered } = world.run();
    expect(recovered?.data).toEqual(world.candidate.data);
    expect(store.dropped).toEqual([{ type: 'chunk', validatorIndex: 1 }]);
  });

  const never: ChunkStore = {
    loadChunks: () => new Observable(),
    loadAvailableData: () => new Observable(),
    loadChunkBytes: () => new Observable(),
    dropCorrupt: () => new Observable(),
  };
  const fault = new Error('disk on fire');
  const failing = new FakeStore().failWith(fault);
  const throwing: ChunkStore = {
    loadChunks: () => {
      throw fault;
    },
    loadAvailableData: () => {
      throw fault;
    },
    loadChunkBytes: () => {
      throw fault;
    },
    dropCorrupt: () => {
      throw fault;
    },
  };
  it.each<[string, ChunkStore, number]>([
    ['errors', failing, 0],
    ['throws', throwing, 0],
    // Size, data, chunks: three reads of `storeTimeoutMs` each.
    ['hangs', never, 300],
  ])('that %s costs its reads alone, each logged', async (_name, store, atMs) => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      groups: [[1]],
      behaviour: ({ kind }) => (kind === 'available_data' ? 'no_such' : 'good'),
      settings: { storeTimeoutMs: 100 },
      store: () => store,
    });
    const { recovered } = world.run({ backingGroup: 0 });
    expect(recovered).toMatchObject({ from: 'systematic_chunks', atMs });
    const failed = world.log.lines.filter(({ event }) => event === 'store_read_failed');
    expect(failed.map(({ fields }) => fields['what'])).toEqual([
      'chunk_bytes',
      'available_data',
      'chunks',
    ]);
    expect(world.timers).toBe(0);
  });

  it.each<[string, Pick<ChunkStore, 'dropCorrupt'>]>([
    ['errors', failing],
    ['throws', throwing],
    ['hangs', never],
  ])('whose drop %s does not end the recovery', async (_name, { dropCorrupt }) => {
    const inner = new FakeStore();
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      settings: { storeTimeoutMs: 100 },
      store: (candidate) => {
        putOwn(inner, candidate, 4)
          .putAvailableData(candidate.candidateHash, Uint8Array.of(1))
          .corrupt(candidate.candidateHash, { type: 'chunk', validatorIndex: validatorIndex(4) });
        return {
          loadChunks: (hash) => inner.loadChunks(hash),
          loadAvailableData: (hash) => inner.loadAvailableData(hash),
          loadChunkBytes: (hash) => inner.loadChunkBytes(hash),
          dropCorrupt: (...drop) => dropCorrupt.call(failing, ...drop),
        };
      },
    });
    const { recovered } = world.run();
    expect(recovered?.data).toEqual(world.candidate.data);
    expect(world.timers).toBe(0);
  });

  it('that answers late is not waited for, and its answer is not used', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      settings: { storeTimeoutMs: 100 },
      ports: ({ candidate, runtime }) => {
        const store = withData(candidate);
        return {
          store: {
            loadChunks: (hash) => store.loadChunks(hash),
            loadAvailableData: () =>
              timer(150, runtime.scheduler).pipe(() =>
                store.loadAvailableData(candidate.candidateHash),
              ),
            loadChunkBytes: (hash) => store.loadChunkBytes(hash),
            dropCorrupt: () => EMPTY,
          },
        };
      },
    });
    expect(world.run().recovered).toBeDefined();
  });
});

describe('the check mode', () => {
  it.each<[CandidateKind, string | undefined, string | undefined]>([
    ['honest', undefined, undefined],
    ['no_codeword', 'invalid', 'invalid'],
    ['undecodable', 'invalid', 'invalid'],
    ['trailing_garbage', 'invalid', undefined],
    ['long_chunks', 'invalid', undefined],
    ['wrong_pov_hash', undefined, 'invalid'],
  ])('of a candidate that is %s: re_encode %s, pov_hash %s', async (kind, reEncode, povHash) => {
    for (const [checkMode, expected] of [
      ['re_encode', reEncode],
      ['pov_hash', povHash],
    ] as const) {
      const world = await RecoveryWorld.open({ validatorCount: 7, kind });
      const { error, recovered } = world.run({ checkMode });
      expect(codeOf(error), checkMode).toBe(expected);
      if (expected === undefined) {
        expect(recovered?.data).toEqual(world.candidate.data);
      } else {
        const { account, evidence } = error as RecoveryError;
        expect(account?.totals.running).toBe(0);
        expect(evidence?.chunkIndices.length).toBeGreaterThan(0);
        expect(evidence?.reason).toBe((error as RecoveryError).details['reason']);
      }
      expect(world.network.open).toBe(0);
    }
  });
});

describe('the work port', () => {
  it('may take its time: answers that come meanwhile are kept in the account', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 13,
      isMapped: false,
      scheme: 'identity',
      // A quick refusal first, so that more are asked than needed.
      behaviour: ({ index }) => ({
        behaviour: index < 6 ? 'no_such' : 'good',
        delayMs: index < 6 ? 1 : 10 + index,
      }),
      ports: ({ runtime }) => ({ work: slowWork(runtime, 50) }),
    });
    const { events, recovered } = world.run();
    expect(recovered?.data).toEqual(world.candidate.data);
    const at = (type: string): number => events.find((event) => event.type === type)!.atMs;
    expect(at('checking') - at('decoding')).toBe(50);
    expect(recovered!.atMs - at('checking')).toBe(50);
    const { totals, attempts } = recovered!.account;
    expect(totals.running).toBe(0);
    expect(totals.issued).toBe(totals.succeeded + totals.failed + totals.canceled);
    expect(attempts.filter(({ answer }) => answer === 'success').length).toBeGreaterThanOrEqual(
      world.candidate.mapping.systematicThreshold,
    );
  });

  it.each(['decoding', 'checking'])(
    'stops in the turn its caller leaves during %s',
    async (stage) => {
      const world = await RecoveryWorld.open({
        validatorCount: 7,
        ports: ({ runtime }) => ({ work: slowWork(runtime, 50) }),
      });
      const outcome = record(world.recovery.recover(world.request()));
      world.passUntil(stage === 'decoding' ? 25 : 75);
      expect(outcome.events.at(-1)?.type).toBe(stage);
      outcome.subscription.unsubscribe();
      expect(world.timers).toBe(0);
      expect(world.network.open).toBe(0);
    },
  );

  const broken = new Error('a worker died');
  it.each(['reconstruct', 'reassemble', 'erasureRoot'] as const)(
    'that fails in %s is a local fault with its cause, never a verdict',
    async (method) => {
      const world = await RecoveryWorld.open({
        validatorCount: 7,
        ports: () => ({
          work: workWith({ [method]: () => throwError(() => broken) }),
        }),
      });
      const strategies = [
        method === 'reassemble' ? 'systematic_chunks' : 'regular_chunks',
      ] as const;
      const { error } = world.run({ strategies });
      expect(error).toMatchObject({
        code: 'local_fault',
        cause: broken,
        details: { reason: 'work_failed' },
        evidence: undefined,
      });
      expect(world.network.open).toBe(0);
      expect(codeOf(world.run({ strategies }).error)).toBe('local_fault');
    },
  );

  it('that fails while stored data is checked is a local fault, and the data stays', async () => {
    const store = new FakeStore();
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      store: ({ candidateHash, data }) =>
        store.putAvailableData(candidateHash, encodeAvailableData(data)),
      ports: () => ({
        work: workWith({ erasureRoot: () => throwError(() => broken) }),
      }),
    });
    expect(world.run().error).toMatchObject({ code: 'local_fault', cause: broken });
    expect(store.dropped).toEqual([]);
  });

  it.each([
    [
      'calls good chunks no codeword',
      () => throwError(() => new ErasureError('uneven_length', 'x')),
    ],
    ['gives another payload', () => of(new Uint8Array(64).fill(0xff))],
  ])('that %s is overruled by the plain engine: local_fault', async (_name, reassemble) => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      ports: () => ({ work: workWith({ reassemble }) }),
    });
    expect(world.run().error).toMatchObject({
      code: 'local_fault',
      details: { reason: 'engines_disagree' },
    });
  });

  it.each(['reconstruct', 'reassemble', 'erasureRoot'] as const)(
    'that gives nothing in %s is a local fault, not a silence',
    async (method) => {
      const world = await RecoveryWorld.open({
        validatorCount: 7,
        ports: () => ({ work: workWith({ [method]: () => EMPTY }) }),
      });
      const strategies = [
        method === 'reassemble' ? 'systematic_chunks' : 'regular_chunks',
      ] as const;
      expect(world.run({ strategies }).error).toMatchObject({
        code: 'local_fault',
        details: { reason: 'work_gave_nothing' },
      });
    },
  );
});

describe('no strategy', () => {
  it('is unavailable at once, and counted as a failure of all', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7 });
    const { events, error } = world.run({ strategies: [] });
    expect(events.map(({ type }) => type)).toEqual(['started']);
    expect(codeOf(error)).toBe('unavailable');
  });

  it('for a strategy that needs a core is a misuse that names the core', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7 });
    const { receipt } = world.candidate;
    const strategies = ['systematic_chunks'] as const;
    const { error } = record(world.recovery.recover({ receipt, sessionIndex: 10, strategies }));
    expect(error).toMatchObject({
      name: 'TypeError',
      message: expect.stringMatching(/^coreIndex: /),
    });
  });
});
