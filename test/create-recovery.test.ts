import { asyncScheduler } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { engine } from '../src/coding/engine.ts';
import { plainWork } from '../src/coding/plain-work.ts';
import { createRecovery, type RecoveryPorts, realRuntime } from '../src/create-recovery.ts';
import type { EngineId } from '../src/erasure/kernel/index.ts';
import {
  chunkSourceFrom,
  dataSourceFrom,
  sessionDirectoryFrom,
} from '../src/recovery/from-abortable.ts';
import { RequestError } from '../src/recovery/ports.ts';
import type { RecoverySettings } from '../src/recovery/settings.ts';
import { STANDARD } from '../src/recovery/settings.ts';
import { testCandidate } from './support/candidate-world.ts';
import { authorityAt, type Behaviour } from './support/fake-network.ts';
import { codeOf, RecoveryWorld } from './support/recovery-world.ts';

describe('createRecovery', () => {
  it('emits these events, in full, for a systematic recovery of four validators', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 4,
      behaviour: ({ index }) => ({ behaviour: 'good', delayMs: 10 * (index + 1) }),
    });
    const { candidate } = world;
    // Core 2 of n = 4, k = 2: chunk 0 is V0's and chunk 1 is V1's; the highest V is asked first.
    const { events, recovered } = world.run();
    const bytes = candidate.chunks[0]?.bytes.length;
    const attempt = {
      kind: 'chunk',
      strategy: 'systematic_chunks',
      type: 'attempt_started',
      atMs: 0,
    };
    const finished = {
      type: 'attempt_finished',
      answer: 'success',
      protocol: 'test/req_chunk/2',
      bytes,
    };
    expect(events).toEqual([
      { type: 'started', atMs: 0, candidateHash: candidate.candidateHash, sessionIndex: 10 },
      { type: 'strategy_started', atMs: 0, strategy: 'systematic_chunks', chunksNeeded: 2 },
      { ...attempt, attemptId: 0, source: 'v1', validatorIndex: 1 },
      { ...attempt, attemptId: 1, source: 'v0', validatorIndex: 0 },
      { ...finished, atMs: 10, attemptId: 1, ms: 10 },
      { type: 'chunk_held', atMs: 10, chunkIndex: 0, from: 'v0', attemptId: 1 },
      { ...finished, atMs: 20, attemptId: 0, ms: 20 },
      { type: 'chunk_held', atMs: 20, chunkIndex: 1, from: 'v1', attemptId: 0 },
      { type: 'decoding', atMs: 20, chunkCount: 2 },
      { type: 'checking', atMs: 20 },
      { type: 'strategy_ended', atMs: 20, strategy: 'systematic_chunks', reason: 'recovered' },
      {
        type: 'recovered',
        atMs: 20,
        data: candidate.data,
        from: 'systematic_chunks',
        account: recovered?.account,
      },
    ]);
    expect(recovered?.account).toEqual({
      candidateHash: candidate.candidateHash,
      sessionIndex: 10,
      startedAtMs: 0,
      endedAtMs: 20,
      strategies: [
        {
          strategy: 'systematic_chunks',
          startedAtMs: 0,
          chunksNeeded: 2,
          endedAtMs: 20,
          reason: 'recovered',
        },
      ],
      attempts: [
        {
          attemptId: 0,
          kind: 'chunk',
          strategy: 'systematic_chunks',
          source: 'v1',
          validatorIndex: 1,
          startedAtMs: 0,
          isLate: false,
          isUseful: true,
          answer: 'success',
          protocol: 'test/req_chunk/2',
          ms: 20,
          bytes,
        },
        {
          attemptId: 1,
          kind: 'chunk',
          strategy: 'systematic_chunks',
          source: 'v0',
          validatorIndex: 0,
          startedAtMs: 0,
          isLate: false,
          isUseful: true,
          answer: 'success',
          protocol: 'test/req_chunk/2',
          ms: 10,
          bytes,
        },
      ],
      chunksHeld: [0, 1],
      totals: {
        issued: 2,
        succeeded: 2,
        failed: 0,
        canceled: 0,
        running: 0,
        bytes: 2 * (bytes ?? 0),
      },
      work: expect.any(Object),
    });
  });

  it('emits the full data of a backer as one attempt', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 4, groups: [[3]] });
    const { events } = world.run({ backingGroup: 0 });
    expect(events.slice(1, -1)).toEqual([
      { type: 'strategy_started', atMs: 0, strategy: 'full_from_backers' },
      {
        type: 'attempt_started',
        atMs: 0,
        attemptId: 0,
        kind: 'available_data',
        strategy: 'full_from_backers',
        source: 'v3',
        validatorIndex: 3,
      },
      {
        type: 'attempt_finished',
        atMs: 0,
        attemptId: 0,
        answer: 'success',
        protocol: 'test/req_available_data/1',
        ms: 0,
        bytes: 64,
      },
      { type: 'strategy_ended', atMs: 0, strategy: 'full_from_backers', reason: 'recovered' },
    ]);
  });

  it('says when attempts become late, and takes their answers', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 4,
      isMapped: false,
      scheme: 'identity',
      behaviour: () => ({ behaviour: 'good', delayMs: 1_500 }),
    });
    const { events, recovered } = world.run();
    expect(events.filter(({ type }) => type === 'attempt_late')).toEqual([
      { type: 'attempt_late', atMs: 1_000, attemptId: 0 },
      { type: 'attempt_late', atMs: 1_000, attemptId: 1 },
    ]);
    expect(recovered?.atMs).toBe(1_500);
    const { attempts, totals } = recovered!.account;
    expect(
      attempts.map(({ attemptId, isLate, answer }) => ({ attemptId, isLate, answer })),
    ).toEqual([
      { attemptId: 0, isLate: true, answer: 'success' },
      { attemptId: 1, isLate: true, answer: 'success' },
      { attemptId: 2, isLate: false, answer: 'canceled' },
      { attemptId: 3, isLate: false, answer: 'canceled' },
    ]);
    expect(totals).toMatchObject({ issued: 4, succeeded: 2, canceled: 2, failed: 0, running: 0 });
    expect(world.network.open).toBe(0);
  });

  it('falls back from strategy to strategy, each with its reason, when answers come late', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      groups: [[6]],
      behaviour: ({ kind, index }) => ({
        behaviour: kind === 'available_data' || index === 3 ? 'no_such' : 'good',
        delayMs: 10 - index,
      }),
    });
    const { recovered, error } = world.run({ backingGroup: 0 });
    expect(error).toBeUndefined();
    expect(recovered?.data).toEqual(world.candidate.data);
    expect(recovered?.account.strategies.map(({ strategy, reason }) => [strategy, reason])).toEqual(
      [
        ['full_from_backers', 'sources_exhausted'],
        ['systematic_chunks', 'recovered'],
      ],
    );
  });

  it('goes on to the next strategy when the last answer of the one before is its end', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      // V4 delivers at 6 ms, V3 fails at 7 ms: nothing is on the way when systematic ends.
      behaviour: ({ index }) => ({
        behaviour: index === 3 ? 'no_such' : 'good',
        delayMs: 10 - index,
      }),
    });
    const { recovered } = world.run();
    expect(recovered?.from).toBe('regular_chunks');
    expect(recovered?.data).toEqual(world.candidate.data);
  });

  it.each<[string, Behaviour, string]>([
    ['everybody is silent', 'timeout', 'unavailable'],
    ['nobody has it', 'no_such', 'unavailable'],
    ['everybody lies', 'flipped', 'unavailable'],
    ['everybody sends what does not decode', 'undecodable', 'unavailable'],
    ['nobody can be reached', 'dial_failed', 'unavailable'],
  ])('ends in one verdict when %s, at once or later', async (_name, behaviour, code) => {
    for (const delayMs of [undefined, 7]) {
      const world = await RecoveryWorld.open({
        validatorCount: 7,
        groups: [[1, 2, 5]],
        behaviour: () => (delayMs === undefined ? behaviour : { behaviour, delayMs }),
      });
      const { error } = world.run({ backingGroup: 0 });
      expect(codeOf(error), `delay ${delayMs}`).toBe(code);
      expect(error).toMatchObject({ details: { reason: 'sources_exhausted' } });
      expect(world.network.open).toBe(0);
      expect(world.timers).toBe(0);
    }
  });

  it('gives equal event logs for equal seeds', async () => {
    const logOf = async (seed: number): Promise<string> => {
      const world = await RecoveryWorld.open({
        validatorCount: 20,
        seed,
        groups: [[1, 2, 5]],
        behaviour: ({ index, times }) => ({
          behaviour: index % 3 === times % 3 ? 'timeout' : 'good',
          delayMs: (index * 7) % 13,
        }),
      });
      return JSON.stringify(world.run({ backingGroup: 0 }).events, (_key, value: unknown) =>
        value instanceof Uint8Array ? [...value] : value,
      );
    };
    expect(await logOf(3)).toBe(await logOf(3));
    expect(await logOf(3)).not.toBe(await logOf(4));
  });

  it('works on ports made of promises, on the real clock', async () => {
    const candidate = testCandidate({ validatorCount: 4 });
    const protocol = '/req_chunk/2';
    await using recovery = createRecovery({
      directory: sessionDirectoryFrom({
        session: async (index) => ({
          index,
          validators: [0, 1, 2, 3].map(authorityAt),
          groups: [],
          nodeFeatures: [false, false, true],
        }),
        locate: async () => undefined,
      }),
      chunkSource: chunkSourceFrom({
        askChunk: async ({ validatorIndex }) => {
          const chunk = candidate.chunks[candidate.mapping.chunkOf(validatorIndex)];
          return chunk === undefined
            ? { type: 'no_such_chunk', protocol, bytes: 1 }
            : { type: 'chunk', chunk, protocol, bytes: chunk.bytes.length };
        },
      }),
      dataSource: dataSourceFrom({
        askData: async () => {
          throw new RequestError('refused', 'nobody has it');
        },
      }),
    });
    await recovery.start();
    const { receipt, coreIndex } = candidate;
    const recovered = await recovery.recoverData({ receipt, sessionIndex: 10, coreIndex });
    expect(recovered.data).toEqual(candidate.data);
    expect(recovered.from).toBe('systematic_chunks');
  });

  it.each<[string, Partial<RecoverySettings>]>([
    ['attempts.systematic', { attempts: { systematic: 0, regular: 5 } }],
    ['attempts.regular', { attempts: { systematic: 2, regular: 1.5 } }],
    ['parallelAttempts', { parallelAttempts: 0 }],
    ['softTimeoutMs', { softTimeoutMs: Number.NaN }],
    ['storeTimeoutMs', { storeTimeoutMs: -1 }],
    ['cacheEntries', { cacheEntries: Number.POSITIVE_INFINITY }],
    ['sizeLimitBytes', { sizeLimitBytes: -1 }],
    ['totalBackerTimeMs', { totalBackerTimeMs: -1 }],
  ])('refuses a setting out of its range by name: %s', async (name, settings) => {
    await expect(RecoveryWorld.open({ validatorCount: 4, settings })).rejects.toThrow(
      expect.objectContaining({
        name: 'RangeError',
        message: expect.stringMatching(new RegExp(`^${name}: `)),
      }),
    );
  });

  it('takes the standard preset where no setting is given', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 4,
      settings: { attempts: STANDARD.attempts },
    });
    expect(world.run().error).toBeUndefined();
  });
});

describe('createRecovery, the work', () => {
  /** Everybody has their chunk, and says so at once. */
  const candidate = testCandidate({ validatorCount: 4 });
  const { receipt, coreIndex } = candidate;
  const request = { receipt, sessionIndex: 10, coreIndex };
  const PORTS = {
    directory: sessionDirectoryFrom({
      session: async (index) => ({
        index,
        validators: [0, 1, 2, 3].map(authorityAt),
        groups: [],
        nodeFeatures: [false, false, true],
      }),
      locate: async () => undefined,
    }),
    chunkSource: chunkSourceFrom({
      askChunk: async ({ validatorIndex }) => {
        const chunk = candidate.chunks[candidate.mapping.chunkOf(validatorIndex)]!;
        return { type: 'chunk', chunk, protocol: 'test', bytes: chunk.bytes.length } as const;
      },
    }),
    dataSource: dataSourceFrom({
      askData: async () => {
        throw new RequestError('refused', 'nobody has it');
      },
    }),
  };

  it('is done on the calling thread, in the turn, where the caller has a runtime', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 4,
      ports: () => ({ workers: 3, engine: 'scalar' }),
    });
    expect(world.run().recovered?.account.work).toMatchObject({
      engine: 'scalar',
      reason: 'option',
      threads: 0,
    });
  });

  it('is done with the workers asked for, and anew after a stop', async () => {
    const recovery = createRecovery({ ...PORTS, workers: 1 });
    for (let round = 0; round < 2; round += 1) {
      await recovery.start();
      const { data, account } = await recovery.recoverData({
        ...request,
        checkMode: round === 0 ? 're_encode' : 'pov_hash',
        useStore: round === 0,
      });
      expect(data).toEqual(candidate.data);
      expect(account.work?.engine ?? engine().id).toBe(engine().id);
      await recovery.stop();
    }
  });

  it('that a caller passed in stays open; that of its own is closed', async () => {
    let closed = 0;
    const work = { ...plainWork(), close: () => (closed += 1) };
    await using recovery = createRecovery({ ...PORTS, work });
    await recovery.start();
    await recovery.recoverData(request);
    await recovery.stop();
    expect(closed).toBe(0);
  });

  it.each<[string, Partial<RecoveryPorts>]>([
    ['engine', { engine: 'gpu' as EngineId }],
    ['workers', { workers: -1 }],
    ['workers', { workers: 1.5 }],
    ['arenaBytes', { arenaBytes: 0 }],
  ])('refuses an option out of its range by name: %s', (name, options) => {
    expect(() => createRecovery({ ...PORTS, ...options })).toThrow(
      expect.objectContaining({
        name: 'RangeError',
        message: expect.stringMatching(new RegExp(`^${name}: `)),
      }),
    );
  });
});

describe('realRuntime', () => {
  it('has the real clock, and equal chance for equal seeds', () => {
    const draws = (seed?: Uint8Array): number[] => {
      const { scheduler, random } = realRuntime(seed);
      expect(scheduler).toBe(asyncScheduler);
      return [random.nextU32(), random.nextU32(), random.nextU32()];
    };
    const seed = new Uint8Array(32).fill(9);
    expect(draws(seed)).toEqual(draws(seed.slice()));
    expect(draws()).not.toEqual(draws());
  });

  it('refuses a seed of another size', () => {
    expect(() => realRuntime(new Uint8Array(31))).toThrow(RangeError);
  });
});
