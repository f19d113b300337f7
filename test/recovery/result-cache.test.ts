import { describe, expect, it } from 'vitest';
import type { ChunkQuestion, DataQuestion } from '../../src/recovery/ports.ts';
import { checkRequest, type RecoveryRequest } from '../../src/recovery/request.ts';
import { recoveryKey, resultCache } from '../../src/recovery/result-cache.ts';
import { STANDARD } from '../../src/recovery/settings.ts';
import { type TestCandidate, testCandidate } from '../support/candidate-world.ts';
import { FakeNetwork } from '../support/fake-network.ts';
import { codeOf, RecoveryWorld, type WorldOptions } from '../support/recovery-world.ts';

describe('recoveryKey', () => {
  const { receipt } = testCandidate({ validatorCount: 4 });
  const base: RecoveryRequest = { receipt, sessionIndex: 1 };
  const keyOf = (fields: Partial<RecoveryRequest>): string =>
    recoveryKey(checkRequest({ ...base, ...fields }));

  it.each<[string, Partial<RecoveryRequest>]>([
    ['candidate', { receipt: testCandidate({ validatorCount: 4, seed: 2 }).receipt }],
    ['session', { sessionIndex: 11 }],
    ['check mode', { checkMode: 'pov_hash' }],
    ['store use', { useStore: false }],
  ])('differs with the %s', (_name, fields) => {
    expect(keyOf(fields)).not.toBe(keyOf({}));
  });

  it.each<[string, Partial<RecoveryRequest>]>([
    ['group', { backingGroup: 1 }],
    ['core', { coreIndex: 1 }],
    ['strategies', { strategies: [] }],
    ['mapping', { mapping: { scheme: 'identity' } }],
    ['size limit', { sizeLimitBytes: 1 }],
    ['time limit', { timeoutMs: 1 }],
    ['spelled-out defaults', { checkMode: 're_encode', useStore: true }],
  ])('does not differ with the %s', (_name, fields) => {
    expect(keyOf(fields)).toBe(keyOf({}));
  });
});

describe('resultCache', () => {
  it('holds as many results as it is told', () => {
    const cache = resultCache(2);
    for (const key of ['a', 'b', 'c']) {
      cache.set(key, { type: 'invalid', error: undefined as never });
    }
    expect([...cache.keys()].toSorted()).toEqual(['b', 'c']);
  });
});

/** A world that serves many candidates of two validators each. */
async function openMany(
  count: number,
  options: Partial<WorldOptions> = {},
): Promise<{ world: RecoveryWorld; candidates: readonly TestCandidate[]; asked: () => number }> {
  const candidates = Array.from({ length: count }, (_, i) =>
    testCandidate({ validatorCount: 2, seed: i + 1, povBytes: 8 }),
  );
  const networks = new Map<string, FakeNetwork>();
  const of = ({ candidateHash }: ChunkQuestion | DataQuestion): FakeNetwork =>
    networks.get(candidateHash)!;
  const world = await RecoveryWorld.open({
    validatorCount: 2,
    ...options,
    ports: ({ runtime }) => {
      for (const candidate of candidates) {
        const behaviour = options.behaviour ?? ((): 'good' => 'good');
        networks.set(candidate.candidateHash, new FakeNetwork(candidate, runtime, behaviour));
      }
      return {
        chunkSource: { askChunk: (question) => of(question).askChunk(question) },
        dataSource: { askData: (question) => of(question).askData(question) },
      };
    },
  });
  const asked = (): number =>
    [...networks.values()].reduce((sum, { asked }) => sum + asked.length, 0);
  return { world, candidates, asked };
}

describe('the results that are kept', () => {
  it('answer at once: one recovered from the cache, no session, store or network', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7, groups: [[1]] });
    const first = world.run();
    const asked = world.network.asked.length;
    const counted = new Map(world.metrics.counts);
    const { events, recovered } = world.run({ backingGroup: 0, timeoutMs: 5 });
    expect(events).toEqual([
      {
        type: 'recovered',
        atMs: world.scheduler.now(),
        data: first.recovered?.data,
        from: 'cache',
        account: {
          candidateHash: world.candidate.candidateHash,
          sessionIndex: 10,
          startedAtMs: world.scheduler.now(),
          endedAtMs: world.scheduler.now(),
          strategies: [],
          attempts: [],
          chunksHeld: [],
          totals: { issued: 0, succeeded: 0, failed: 0, canceled: 0, running: 0, bytes: 0 },
        },
      },
    ]);
    expect(recovered?.data).toEqual(first.recovered?.data);
    expect(world.network.asked).toHaveLength(asked);
    expect(world.sessionsAsked).toEqual([10]);
    expect(world.metrics.counts).toEqual(counted);
    expect(world.timers).toBe(0);
  });

  it('include invalid, with its evidence and account', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7, kind: 'no_codeword' });
    const first = world.run();
    const asked = world.network.asked.length;
    const second = world.run();
    expect(codeOf(second.error)).toBe('invalid');
    expect(second.error).toBe(first.error);
    expect(second.events).toEqual([]);
    expect(world.network.asked).toHaveLength(asked);
  });

  it('do not cross check modes, sessions and store use', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      kind: 'trailing_garbage',
      settings: { receiptSession: 'ignored' },
    });
    expect(codeOf(world.run().error)).toBe('invalid');
    expect(world.run({ checkMode: 'pov_hash' }).recovered?.from).toBe('systematic_chunks');
    expect(codeOf(world.run({ useStore: false }).error)).toBe('invalid');
    expect(codeOf(world.run({ sessionIndex: 11 }).error)).toBe('local_fault');
    expect(world.sessionsAsked).toEqual([10, 10, 10, 11]);
  });

  it('do not include unavailable', async () => {
    let isBack = false;
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      behaviour: () => (isBack ? 'good' : 'no_such'),
    });
    expect(codeOf(world.run().error)).toBe('unavailable');
    isBack = true;
    expect(world.run().recovered?.from).toBe('systematic_chunks');
  });

  it('number 16: the 17th success evicts the least recently used, and a hit counts as use', async () => {
    expect(STANDARD.cacheEntries).toBe(16);
    const { world, candidates } = await openMany(17);
    const from = (index: number): string | undefined => {
      const { receipt, coreIndex } = candidates[index]!;
      return world.run({ receipt, coreIndex }).recovered?.from;
    };
    for (let i = 0; i < 16; i += 1) {
      expect(from(i)).toBe('systematic_chunks');
    }
    expect(from(0)).toBe('cache');
    expect(from(16)).toBe('systematic_chunks');
    // 1 was the least recently used; asking for it evicts 2.
    const hits = Array.from({ length: 17 }, (_, i) => i).filter(
      (i) => i !== 1 && from(i) === 'cache',
    );
    expect(hits).toHaveLength(16);
    expect(from(1)).toBe('systematic_chunks');
    expect(from(0)).not.toBe('cache');
  });

  it('number as many as the settings say', async () => {
    const { world, candidates, asked } = await openMany(2, { settings: { cacheEntries: 1 } });
    const run = (index: number): void => {
      const { receipt, coreIndex } = candidates[index]!;
      expect(world.run({ receipt, coreIndex }).error).toBeUndefined();
    };
    run(0);
    run(1);
    const before = asked();
    run(1);
    expect(asked()).toBe(before);
    run(0);
    expect(asked()).toBeGreaterThan(before);
  });
});
