import { map as mapValues } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashReady } from '../../src/primitives/hash.ts';
import { chunkIndex } from '../../src/primitives/ids.ts';
import type { ChunkReply } from '../../src/recovery/ports.ts';
import type { TestCandidate } from '../support/candidate-world.ts';
import { FakeStore } from '../support/fake-store.ts';
import {
  codeOf,
  type Outcome,
  RecoveryWorld,
  type WorldOptions,
} from '../support/recovery-world.ts';
import { goodReply } from './support.ts';

beforeAll(hashReady);

/** The scenario fixture: 7 validators; 2 chunks decode, the reference waits for 3. */
function open(options: Partial<WorldOptions> = {}): Promise<RecoveryWorld> {
  return RecoveryWorld.open({ validatorCount: 7, ...options });
}

const REGULAR = { strategies: ['regular_chunks'] } as const;

/** How often each validator's chunk was asked for. */
function triesOf(world: RecoveryWorld): readonly number[] {
  return Array.from(
    { length: world.candidate.chunks.length },
    (_, i) => world.network.chunksAsked().filter((index) => index === i).length,
  );
}

/** How many chunks were decoded. */
function decodedOf({ events }: Outcome): number | undefined {
  const event = events.find(({ type }) => type === 'decoding');
  return event?.type === 'decoding' ? event.chunkCount : undefined;
}

describe('regularChunks, how many', () => {
  it.each([
    ['systematic_threshold', 2],
    ['recovery_threshold', 3],
  ] as const)('stopAt %s: collects %i of 7 in re-encode mode', async (stopAt, count) => {
    const world = await open({ settings: { stopAt } });
    const outcome = world.run(REGULAR);
    expect(outcome.recovered?.data).toEqual(world.candidate.data);
    expect([world.network.asked.length, decodedOf(outcome)]).toEqual([count, count]);
  });

  it.each(['systematic_threshold', 'recovery_threshold'] as const)(
    'stopAt %s: collects 3 of 7 in PoV-hash mode',
    async (stopAt) => {
      const world = await open({ settings: { stopAt } });
      const outcome = world.run({ ...REGULAR, checkMode: 'pov_hash' });
      expect([world.network.asked.length, decodedOf(outcome)]).toEqual([3, 3]);
    },
  );

  /** Holds the chunks of V0 to V4, all before anybody is asked: 4, 5, 6, 0 and 1. */
  function fiveStored(candidate: TestCandidate): FakeStore {
    const store = new FakeStore();
    for (const validator of [0, 1, 2, 3, 4]) {
      const reply = goodReply(candidate, validator);
      if (reply.type === 'chunk') {
        store.putChunk(candidate.candidateHash, validator, reply.chunk);
      }
    }
    return store;
  }

  it('stopAt systematic_threshold: decodes exactly the lowest chunks of all that are held', async () => {
    const world = await open({ store: fiveStored, kind: 'trailing_garbage' });
    const { error } = world.run(REGULAR);
    expect(error).toMatchObject({ code: 'invalid', evidence: { chunkIndices: [0, 1] } });
    expect(world.network.asked).toEqual([]);
  });

  it('stopAt recovery_threshold: decodes all that are held', async () => {
    const settings = { stopAt: 'recovery_threshold' } as const;
    const world = await open({ store: fiveStored, kind: 'trailing_garbage', settings });
    expect(world.run(REGULAR).error).toMatchObject({ evidence: { chunkIndices: [0, 1, 4, 5, 6] } });
  });

  it('decodes all that are held in PoV-hash mode', async () => {
    const world = await open({ store: fiveStored });
    const outcome = world.run({ ...REGULAR, checkMode: 'pov_hash' });
    expect(decodedOf(outcome)).toBe(5);
    expect(outcome.recovered?.data).toEqual(world.candidate.data);
  });

  it.each([
    { validatorCount: 7, parallelAttempts: 50, most: 2 },
    { validatorCount: 300, parallelAttempts: 50, most: 50 },
    { validatorCount: 300, parallelAttempts: 5, most: 5 },
  ])(
    'R45: has at most $most of $validatorCount on the way, of $parallelAttempts allowed',
    async (row) => {
      const { validatorCount, parallelAttempts, most } = row;
      const world = await open({
        validatorCount,
        settings: { parallelAttempts },
        behaviour: ({ index }) => ({ behaviour: 'good', delayMs: 10 + (index % 7) }),
      });
      const { events } = world.run(REGULAR);
      let live = 0;
      let mostLive = 0;
      for (const { type } of events) {
        live += type === 'attempt_started' ? 1 : type === 'attempt_finished' ? -1 : 0;
        mostLive = Math.max(mostLive, live);
      }
      expect([mostLive, live]).toEqual([most, 0]);
    },
  );
});

describe('regularChunks, whom it asks', () => {
  it('asks in an order drawn from the seed', async () => {
    const orders = new Set<string>();
    for (let seed = 1; seed <= 20; seed += 1) {
      const world = await open({ seed, behaviour: () => 'no_such' });
      world.run(REGULAR);
      orders.add(world.network.chunksAsked().join());
    }
    expect(orders.size).toBeGreaterThan(15);
  });

  it('R21: asks everybody five times through time-outs, and then no more', async () => {
    const world = await open({
      validatorCount: 6,
      behaviour: () => ({ behaviour: 'timeout', delayMs: 10 }),
    });
    expect(codeOf(world.run(REGULAR).error)).toBe('unavailable');
    // One is left when the last but one fails for good: fewer than two can then be had.
    expect(triesOf(world).toSorted()).toEqual([5, 5, 5, 5, 5, 5]);
  });

  it('R21: recovers on the fifth try', async () => {
    const world = await open({
      validatorCount: 6,
      behaviour: ({ times }) => (times < 4 ? 'timeout' : 'good'),
    });
    expect(world.run(REGULAR).recovered?.from).toBe('regular_chunks');
    expect(world.network.asked).toHaveLength(26);
  });

  it('X8: leaves three tries after two failures in the systematic strategy', async () => {
    // Of the two chunks needed one is there: V3 is worth every try that it has left.
    const world = await open({
      behaviour: ({ index }) => (index === 3 ? 'timeout' : index === 4 ? 'good' : 'no_such'),
    });
    const { events } = world.run();
    expect(triesOf(world)).toEqual([1, 1, 1, 5, 1, 1, 1]);
    const byStrategy = events.flatMap((event) =>
      event.type === 'attempt_started' && event.validatorIndex === 3 ? [event.strategy] : [],
    );
    expect(byStrategy).toEqual([
      'systematic_chunks',
      'systematic_chunks',
      'regular_chunks',
      'regular_chunks',
      'regular_chunks',
    ]);
  });

  it('R19: asks neither who delivered nor who has nothing again, and reuses the chunk', async () => {
    for (const [stopAt, more] of [
      ['recovery_threshold', 2],
      ['systematic_threshold', 1],
    ] as const) {
      const world = await open({
        settings: { stopAt },
        behaviour: ({ index }) => (index === 3 ? 'no_such' : 'good'),
      });
      const outcome = world.run();
      expect(outcome.recovered?.from, stopAt).toBe('regular_chunks');
      expect(triesOf(world)[3], stopAt).toBe(1);
      expect(triesOf(world)[4], stopAt).toBe(1);
      expect(world.network.asked, stopAt).toHaveLength(2 + more);
    }
  });

  it('R3: rejects chunks whose bytes were changed, without a verdict', async () => {
    const world = await open({ behaviour: () => 'flipped' });
    expect(codeOf(world.run(REGULAR).error)).toBe('unavailable');
    expect(Math.max(...triesOf(world))).toBe(1);
  });

  it('R4: makes no progress with one genuine chunk from everybody', async () => {
    const world = await open({ behaviour: () => 'other_chunk' });
    const outcome = world.run();
    expect(codeOf(outcome.error)).toBe('unavailable');
    expect(outcome.events.filter(({ type }) => type === 'chunk_held')).toHaveLength(1);
    expect(Math.max(...triesOf(world))).toBe(1);
  });

  it('R17: uses our own chunk and never asks ourselves', async () => {
    const world = await open({
      ownValidatorIndex: 0,
      settings: { stopAt: 'recovery_threshold' },
      store: (candidate) => {
        const reply = goodReply(candidate, 0);
        const store = new FakeStore();
        return reply.type === 'chunk'
          ? store.putChunk(candidate.candidateHash, 0, reply.chunk)
          : store;
      },
    });
    const outcome = world.run(REGULAR);
    expect(outcome.recovered?.from).toBe('regular_chunks');
    expect(world.network.asked).toHaveLength(2);
    expect(triesOf(world)[0]).toBe(0);
  });

  it('never asks ourselves, even when nothing else is left', async () => {
    const world = await open({ ownValidatorIndex: 2, behaviour: () => 'timeout' });
    world.run();
    expect(triesOf(world)[2]).toBe(0);
  });

  it('R20: asks the validator whose index is the chunk index where the session does not map', async () => {
    const world = await open({ isMapped: false, scheme: 'identity' });
    const { recovered } = world.run();
    expect(recovered?.from).toBe('regular_chunks');
    expect(recovered?.account.chunksHeld).toEqual(world.network.chunksAsked());
  });

  it('R24: rejects chunks under the validator index, as old peers label them, under a mapping', async () => {
    const world = await open({
      ports: ({ network }) => ({
        chunkSource: {
          askChunk: (question) =>
            network.askChunk(question).pipe(
              mapValues(
                (reply): ChunkReply =>
                  reply.type === 'chunk'
                    ? {
                        ...reply,
                        protocol: 'test/req_chunk/1',
                        chunk: { ...reply.chunk, chunkIndex: chunkIndex(question.validatorIndex) },
                      }
                    : reply,
              ),
            ),
        },
      }),
    });
    expect(codeOf(world.run().error)).toBe('unavailable');
    // Both holders and everybody else, but nobody twice.
    expect(Math.max(...triesOf(world))).toBe(1);
  });
});

describe('regularChunks, network errors', () => {
  it.each([
    ['by_code', 1],
    ['alike', 5],
  ] as const)(
    'networkRetries %s: repeats dial_failed %i times at most',
    async (networkRetries, tries) => {
      const world = await open({ settings: { networkRetries }, behaviour: () => 'dial_failed' });
      world.run(REGULAR);
      expect(Math.max(...triesOf(world))).toBe(tries);
    },
  );

  it.each([
    ['by_code', 250],
    ['alike', 0],
  ] as const)(
    'networkRetries %s: repeats a refused request after %i ms',
    async (networkRetries, ms) => {
      const world = await open({ settings: { networkRetries }, behaviour: () => 'refused' });
      world.run(REGULAR);
      for (const index of [0, 1, 2, 3, 4, 5, 6]) {
        const times = world.network.asked
          .filter(({ validatorIndex }) => validatorIndex === index)
          .map(({ atMs }) => atMs);
        const gaps = times.slice(1).map((at, i) => at - (times[i] ?? 0));
        expect(
          gaps.every((gap) => gap >= ms),
          `V${index}: ${times}`,
        ).toBe(true);
        expect(Math.max(...times), `V${index}`).toBe(ms * (times.length - 1));
      }
      expect(world.scheduler.actions).toEqual([]);
    },
  );

  it('serves the others while a refused one is left alone', async () => {
    const world = await open({
      behaviour: ({ index }) => (index === 1 ? 'refused' : index === 2 ? 'timeout' : 'good'),
      settings: { stopAt: 'recovery_threshold' },
    });
    expect(world.run(REGULAR).recovered?.atMs).toBe(0);
  });
});

describe('regularChunks, time', () => {
  /** The first validator asked hangs; the others answer after 10 ms. */
  function oneHangs(settings: WorldOptions['settings'] = {}): Promise<RecoveryWorld> {
    let first: number | undefined;
    return open({
      validatorCount: 20,
      settings: { parallelAttempts: 2, ...settings },
      behaviour: ({ index }) => {
        first ??= index;
        return index === first ? 'hang' : { behaviour: 'good', delayMs: 10 };
      },
    });
  }

  it('refill on_answer: one hanging peer holds back the last chunk alone', async () => {
    const world = await oneHangs();
    const outcome = world.run(REGULAR);
    const held = outcome.events.filter(({ type }) => type === 'chunk_held').map(({ atMs }) => atMs);
    // Four are needed; the hanging one counts as the fourth until a second of silence has passed.
    expect(held).toEqual([10, 20, 30, 1_040]);
    expect(outcome.recovered?.atMs).toBe(1_040);
    expect(world.network.open).toBe(0);
  });

  it('refill after_round: one hanging peer costs a second of silence per round', async () => {
    const world = await oneHangs({ refill: 'after_round' });
    const { events } = world.run(REGULAR);
    const held = events.filter(({ type }) => type === 'chunk_held').map(({ atMs }) => atMs);
    expect(held).toEqual([10, 1_020, 1_020, 2_030]);
  });

  it('R13: counts silent attempts as late, asks others in their place, and recovers', async () => {
    const silent = new Set<number>();
    const world = await open({
      settings: { stopAt: 'recovery_threshold', softTimeoutMs: 100 },
      behaviour: ({ index }) => {
        if (silent.size < 3) {
          silent.add(index);
        }
        return silent.has(index) ? 'hang' : 'good';
      },
    });
    const outcome = world.run(REGULAR);
    expect(outcome.recovered?.atMs).toBe(100);
    const late = outcome.events.filter(({ type }) => type === 'attempt_late');
    expect(late).toHaveLength(3);
    expect(outcome.recovered?.account.attempts.filter(({ isLate }) => isLate)).toHaveLength(3);
    expect(outcome.recovered?.account.totals).toMatchObject({
      issued: 6,
      succeeded: 3,
      canceled: 3,
    });
  });

  it('counts a late answer that comes in time', async () => {
    const world = await open({
      settings: { softTimeoutMs: 100 },
      behaviour: () => ({ behaviour: 'good', delayMs: 150 }),
    });
    const outcome = world.run(REGULAR);
    expect(outcome.recovered?.atMs).toBe(150);
    const { attempts } = outcome.recovered?.account ?? { attempts: [] };
    expect(
      attempts.filter((attempt) => attempt.isLate && attempt.answer === 'success'),
    ).toHaveLength(2);
    expect(attempts.filter(({ answer }) => answer === 'canceled')).toHaveLength(2);
  });

  it('asks nobody twice while a late answer may still come', async () => {
    const world = await open({
      settings: { softTimeoutMs: 100 },
      behaviour: () => ({ behaviour: 'timeout', delayMs: 350 }),
    });
    world.run(REGULAR);
    expect(world.network.doubled).toEqual([]);
    expect(Math.max(...triesOf(world))).toBe(5);
  });
});

describe('regularChunks, after the systematic strategy', () => {
  /** V4 has nothing; V3 answers after 500 ms, the others after 1,000. */
  const SLOW: Partial<WorldOptions> = {
    behaviour: ({ index }) =>
      index === 4
        ? { behaviour: 'no_such', delayMs: 10 }
        : { behaviour: 'good', delayMs: index === 3 ? 500 : 1_000 },
  };

  it('carryInFlight on: uses what is on the way and asks nobody for it again', async () => {
    const world = await open(SLOW);
    const outcome = world.run();
    expect(outcome.recovered).toMatchObject({ from: 'regular_chunks', atMs: 1_010 });
    expect([triesOf(world)[3], triesOf(world)[4]]).toEqual([1, 1]);
    expect(world.network.doubled).toEqual([]);
    const answer = outcome.recovered?.account.attempts.find((one) => one.validatorIndex === 3);
    expect(answer).toMatchObject({ strategy: 'systematic_chunks', answer: 'success', ms: 500 });
  });

  it('carryInFlight off: drops what is on the way, and may ask again', async () => {
    const world = await open({ ...SLOW, settings: { carryInFlight: false } });
    const outcome = world.run();
    expect(outcome.recovered?.from).toBe('regular_chunks');
    const answer = outcome.recovered?.account.attempts.find((one) => one.validatorIndex === 3);
    expect(answer).toMatchObject({ strategy: 'systematic_chunks', answer: 'canceled' });
    expect(world.network.doubled).toEqual([]);
  });

  it('counts a failure on the way towards the five tries', async () => {
    const world = await open({
      behaviour: ({ index, times }) =>
        index === 3
          ? { behaviour: 'timeout', delayMs: 100 }
          : { behaviour: 'no_such', delayMs: times + 10 },
    });
    world.run();
    expect(triesOf(world)).toEqual([1, 1, 1, 1, 1, 1, 1]);
    const patient = await open({
      behaviour: ({ index }) =>
        index === 3 || index === 2
          ? { behaviour: 'timeout', delayMs: 100 }
          : { behaviour: 'no_such', delayMs: 10 },
    });
    patient.run();
    expect(triesOf(patient)[3]).toBe(5);
  });

  it('does not ask a backer again that was asked in the place of a holder', async () => {
    const world = await open({
      groups: [[6]],
      settings: { sizeLimitBytes: 0 },
      behaviour: ({ index, validatorIndex }) =>
        index === 6 && validatorIndex === 4
          ? { behaviour: 'timeout', delayMs: 200 }
          : index === 1 || index === 2
            ? { behaviour: 'timeout', delayMs: 300 }
            : { behaviour: 'no_such', delayMs: validatorIndex === 4 ? 10 : 20 },
    });
    world.run({ backingGroup: 0 });
    const backed = world.network.asked.filter(
      ({ authority, validatorIndex }) => authority === 'v6' && validatorIndex === 4,
    );
    expect(backed).toHaveLength(1);
  });
});
