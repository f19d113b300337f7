import { beforeAll, describe, expect, it } from 'vitest';
import { hashReady } from '../../src/primitives/hash.ts';
import { chunkIndex, validatorIndex } from '../../src/primitives/ids.ts';
import type { TestCandidate } from '../support/candidate-world.ts';
import type { FakeNetwork } from '../support/fake-network.ts';
import { FakeStore } from '../support/fake-store.ts';
import {
  codeOf,
  type Outcome,
  RecoveryWorld,
  type WorldOptions,
} from '../support/recovery-world.ts';
import { goodReply } from './support.ts';

beforeAll(hashReady);

/** The scenario fixture: 7 validators on core 2; V3 holds chunk 0, V4 chunk 1; 2 are needed. */
function open(options: Partial<WorldOptions> = {}): Promise<RecoveryWorld> {
  return RecoveryWorld.open({ validatorCount: 7, ...options });
}

/** Who was asked for whose chunk, as `v4:4`. */
function asked({ asked: questions }: FakeNetwork): readonly string[] {
  return questions.map(({ authority, validatorIndex: index }) => `${authority}:${index}`);
}

/** How the systematic strategy ended. */
function reasonOf({ events }: Outcome): string | undefined {
  const end = events.find(
    (event) => event.type === 'strategy_ended' && event.strategy === 'systematic_chunks',
  );
  return end?.type === 'strategy_ended' ? end.reason : undefined;
}

/** A store with a validator's chunk, spoiled or not. */
function storeOf(validator: number, isCorrupt: boolean): (candidate: TestCandidate) => FakeStore {
  return (candidate) => {
    const store = new FakeStore();
    const reply = goodReply(candidate, validator);
    if (reply.type === 'chunk') {
      store.putChunk(candidate.candidateHash, validator, reply.chunk);
    }
    return isCorrupt
      ? store.corrupt(candidate.candidateHash, {
          type: 'chunk',
          validatorIndex: validatorIndex(validator),
        })
      : store;
  };
}

describe('systematicChunks, whom it asks', () => {
  it('R1: asks the holders of the systematic chunks alone, the highest validator first', async () => {
    const world = await open();
    const outcome = world.run();
    expect(outcome.recovered?.from).toBe('systematic_chunks');
    expect(outcome.recovered?.data).toEqual(world.candidate.data);
    expect(asked(world.network)).toEqual(['v4:4', 'v3:3']);
  });

  it('asks in descending validator order whatever the core', async () => {
    // n = 20: 4 systematic chunks; on core 4 the holders are V4 to V7.
    const world = await open({ validatorCount: 20, coreIndex: 4 });
    world.run();
    expect(asked(world.network)).toEqual(['v7:7', 'v6:6', 'v5:5', 'v4:4']);
  });

  it('R12, X8: asks a holder that times out twice, and the regular strategy three times more', async () => {
    const world = await open({
      behaviour: () => ({ behaviour: 'timeout', delayMs: 10 }),
      settings: { stopAt: 'recovery_threshold' },
    });
    const outcome = world.run();
    const tries = (index: number, strategy: string): number =>
      outcome.events.filter(
        (event) =>
          event.type === 'attempt_started' &&
          event.validatorIndex === index &&
          event.strategy === strategy,
      ).length;
    expect([3, 4].map((index) => tries(index, 'systematic_chunks'))).toEqual([2, 2]);
    // The last answer makes it impossible: nobody is asked in vain after that.
    expect([3, 4, 0].map((index) => tries(index, 'regular_chunks')).every((n) => n <= 5)).toBe(
      true,
    );
    expect(Math.max(tries(3, 'regular_chunks'), tries(4, 'regular_chunks'))).toBe(3);
    expect(codeOf(outcome.error)).toBe('unavailable');
  });

  it('R21: takes a good second answer after a time-out', async () => {
    const world = await open({
      validatorCount: 6,
      behaviour: ({ times }) => (times === 0 ? 'timeout' : 'good'),
    });
    expect(world.run().recovered?.from).toBe('systematic_chunks');
    expect(world.network.asked).toHaveLength(4);
  });

  it('R22: asks a backer in the place of a holder that failed for good', async () => {
    const world = await open({
      groups: [[2]],
      settings: { sizeLimitBytes: 0 },
      behaviour: ({ index, times }) =>
        index === 3 ? (times === 0 ? 'timeout' : 'no_such') : 'good',
    });
    const outcome = world.run({ backingGroup: 0 });
    expect(outcome.recovered?.from).toBe('systematic_chunks');
    expect(asked(world.network).toSorted()).toEqual(['v2:3', 'v3:3', 'v3:3', 'v4:4']);
  });

  it('R2: uses each backer for one validator only', async () => {
    const world = await open({
      groups: [[5, 6]],
      settings: { sizeLimitBytes: 0 },
      behaviour: () => ({ behaviour: 'no_such', delayMs: 10 }),
    });
    const outcome = world.run({ backingGroup: 0, strategies: ['systematic_chunks'] });
    expect(asked(world.network).slice(0, 2)).toEqual(['v4:4', 'v3:3']);
    const backups = asked(world.network).slice(2);
    expect(new Set(backups.map((text) => text.split(':')[0])).size).toBe(backups.length);
    expect(backups.length).toBe(2);
    expect(codeOf(outcome.error)).toBe('unavailable');
  });

  it('asks a backer at once where nobody is known to hold the chunk', async () => {
    const world = await open({ groups: [[2]], unknown: [4], settings: { sizeLimitBytes: 0 } });
    const outcome = world.run({ backingGroup: 0 });
    expect(outcome.recovered?.from).toBe('systematic_chunks');
    expect(asked(world.network)).toEqual(['v3:3', 'v2:4']);
  });

  it('asks a backer at once where we are the holder and do not have our chunk', async () => {
    const world = await open({
      groups: [[2]],
      ownValidatorIndex: 4,
      settings: { sizeLimitBytes: 0 },
    });
    expect(world.run({ backingGroup: 0 }).recovered?.from).toBe('systematic_chunks');
    expect(asked(world.network)).toEqual(['v3:3', 'v2:4']);
  });

  it('askSelf on: asks ourselves where we are the holder', async () => {
    const world = await open({ ownValidatorIndex: 4, settings: { askSelf: true } });
    world.run();
    expect(asked(world.network)).toEqual(['v4:4', 'v3:3']);
  });

  it('asks nobody when a holder is unknown and there is no backer', async () => {
    const world = await open({ unknown: [4] });
    const outcome = world.run();
    expect(reasonOf(outcome)).toBe('sources_exhausted');
    expect(outcome.recovered?.from).toBe('regular_chunks');
    const systematic = outcome.events.filter(
      (event) => event.type === 'attempt_started' && event.strategy === 'systematic_chunks',
    );
    expect(systematic).toEqual([]);
  });

  it('asks nobody who is being asked, late or not, when it comes after the regular strategy', async () => {
    // f + 1 = 3 are needed; five refusals end the regular strategy while V3 and V4 are late.
    const world = await open({
      settings: { stopAt: 'recovery_threshold', softTimeoutMs: 20 },
      behaviour: ({ index }) =>
        index === 3 || index === 4
          ? { behaviour: 'good', delayMs: 500 }
          : { behaviour: 'no_such', delayMs: 30 },
    });
    const outcome = world.run({ strategies: ['regular_chunks', 'systematic_chunks'] });
    expect(outcome.recovered).toMatchObject({ from: 'systematic_chunks' });
    expect(world.network.doubled).toEqual([]);
    expect(new Set(asked(world.network)).size).toBe(world.network.asked.length);
  });

  it('asks a backer at once for a holder that failed in the regular strategy', async () => {
    const world = await open({
      groups: [[6, 5]],
      settings: { sizeLimitBytes: 0 },
      behaviour: ({ index, validatorIndex: place }) =>
        (index === 6 || index === 5) && place !== index ? 'good' : 'no_such',
    });
    const outcome = world.run({
      backingGroup: 0,
      strategies: ['regular_chunks', 'systematic_chunks'],
    });
    expect(outcome.recovered?.from).toBe('systematic_chunks');
    expect(new Set(asked(world.network)).size).toBe(world.network.asked.length);
  });

  it('neither repeats nor replaces an attempt of the regular strategy for another chunk', async () => {
    // V0 times out when the systematic strategy waits, with a slot free, for V4 and V3's backer.
    const world = await open({
      groups: [[6]],
      settings: { stopAt: 'recovery_threshold', sizeLimitBytes: 0, softTimeoutMs: 200 },
      behaviour: ({ index, validatorIndex: place }) =>
        index === 4 || (index === 6 && place === 3)
          ? { behaviour: 'good', delayMs: 900 }
          : index === 0
            ? { behaviour: 'timeout', delayMs: 500 }
            : { behaviour: 'no_such', delayMs: 10 },
    });
    const outcome = world.run({
      backingGroup: 0,
      strategies: ['regular_chunks', 'systematic_chunks'],
    });
    expect(outcome.recovered).toMatchObject({ from: 'systematic_chunks' });
    const systematic = outcome.events.flatMap((event) =>
      event.type === 'attempt_started' && event.strategy === 'systematic_chunks'
        ? [`${event.source}:${event.validatorIndex}`]
        : [],
    );
    expect(systematic).toEqual(['v6:3']);
  });
});

describe('systematicChunks, own chunks', () => {
  it('R17: counts an own chunk towards regular recovery and never asks ourselves', async () => {
    const world = await open({ store: storeOf(0, false), ownValidatorIndex: 0 });
    const outcome = world.run();
    expect(outcome.recovered?.from).toBe('systematic_chunks');
    expect(asked(world.network)).toEqual(['v4:4', 'v3:3']);
    expect(outcome.recovered?.account.chunksHeld).toEqual([4, 1, 0]);
  });

  it('asks for what is missing beside an own systematic chunk', async () => {
    const world = await open({ store: storeOf(4, false) });
    expect(world.run().recovered?.from).toBe('systematic_chunks');
    expect(asked(world.network)).toEqual(['v3:3']);
  });

  it('R18, localChunk end_strategy: ends without a request when our own chunk is invalid', async () => {
    const world = await open({
      store: storeOf(3, true),
      settings: { localChunk: 'end_strategy', stopAt: 'recovery_threshold' },
    });
    const outcome = world.run();
    expect(reasonOf(outcome)).toBe('sources_exhausted');
    expect(outcome.recovered?.from).toBe('regular_chunks');
    expect(world.network.chunksAsked()).toHaveLength(3);
    expect(world.network.chunksAsked()).not.toContain(3);
  });

  it('R18, localChunk end_strategy: ends too when the regular strategy has read the store before', async () => {
    const world = await open({
      store: storeOf(3, true),
      settings: { localChunk: 'end_strategy', askSelf: true, stopAt: 'recovery_threshold' },
      behaviour: ({ index }) => (index === 3 || index === 4 ? 'good' : 'no_such'),
    });
    const { error } = world.run({ strategies: ['regular_chunks', 'systematic_chunks'] });
    expect(codeOf(error)).toBe('unavailable');
    expect(world.network.chunksAsked()).not.toContain(3);
  });

  it('R18, localChunk from_backers: asks a backer for an own chunk that is invalid', async () => {
    const world = await open({
      store: storeOf(3, true),
      groups: [[5]],
      settings: { sizeLimitBytes: 0 },
    });
    expect(world.run({ backingGroup: 0 }).recovered?.from).toBe('systematic_chunks');
    expect(asked(world.network)).toEqual(['v4:4', 'v5:3']);
  });

  it('R18, localChunk from_backers: ends without a backer, and V3 is never asked', async () => {
    const world = await open({ store: storeOf(3, true) });
    const outcome = world.run();
    expect(reasonOf(outcome)).toBe('sources_exhausted');
    expect(outcome.recovered?.from).toBe('regular_chunks');
    expect(world.network.chunksAsked()).not.toContain(3);
  });
});

describe('systematicChunks, positions of the reference', () => {
  it.each([
    ['off', false, ['v1:1', 'v0:0', 'v0:0']],
    ['on', true, ['v1:1', 'v0:0']],
  ] as const)(
    'carryInFlight %s: a holder whose chunk came from elsewhere is asked again or not',
    async (_name, carryInFlight, expected) => {
      // On core 0 V1 is asked first; it sends the chunk of V0, who then times out.
      const world = await open({
        coreIndex: 0,
        settings: { carryInFlight },
        behaviour: ({ index }) => (index === 1 ? 'other_chunk' : 'timeout'),
      });
      const { events } = world.run();
      const ofPhase = events.filter(
        (event) => event.type === 'attempt_started' && event.strategy === 'systematic_chunks',
      );
      expect(asked(world.network).slice(0, ofPhase.length)).toEqual(expected);
    },
  );

  it.each([
    ['on', true, ['v4:4', 'v3:3']],
    ['off', false, ['v3:3', 'v5:4']],
  ] as const)(
    'askSelf %s: a holder whose entry in our store is bad and not the mapped chunk',
    async (_name, askSelf, expected) => {
      const world = await open({
        groups: [[5]],
        settings: { askSelf, sizeLimitBytes: 0 },
        store: ({ candidateHash, chunks: [chunk] }) =>
          new FakeStore().putChunk(candidateHash, 4, {
            ...(chunk as NonNullable<typeof chunk>),
            chunkIndex: chunkIndex(6),
          }),
      });
      expect(world.run({ backingGroup: 0 }).recovered?.from).toBe('systematic_chunks');
      expect(asked(world.network)).toEqual(expected);
    },
  );
});

describe('systematicChunks, verdicts', () => {
  const WRONG = ['no_codeword', 'trailing_garbage', 'long_chunks', 'undecodable'] as const;

  it.each(WRONG)(
    'R5, systematicFailure confirm: %s is invalid after the systematic chunks',
    async (kind) => {
      const world = await open({ kind });
      const { error } = world.run();
      expect(error).toMatchObject({ code: 'invalid', evidence: { chunkIndices: [0, 1] } });
      expect(world.network.asked).toHaveLength(2);
    },
  );

  it.each(WRONG)('systematicFailure invalid: %s is invalid at once', async (kind) => {
    const world = await open({ kind, settings: { systematicFailure: 'invalid' } });
    expect(codeOf(world.run().error)).toBe('invalid');
    expect(world.network.asked).toHaveLength(2);
  });

  it('does not look at the PoV hash in re-encode mode', async () => {
    const world = await open({ kind: 'wrong_pov_hash' });
    expect(world.run().recovered?.from).toBe('systematic_chunks');
  });

  it('PoV-hash mode: goes on to the regular strategy, whose failure is the verdict', async () => {
    const world = await open({ kind: 'wrong_pov_hash' });
    const outcome = world.run({ checkMode: 'pov_hash' });
    expect(reasonOf(outcome)).toBe('check_failed');
    expect(outcome.error).toMatchObject({
      code: 'invalid',
      evidence: { reason: 'pov_hash_mismatch' },
    });
    expect(world.network.asked).toHaveLength(3);
  });

  it.each(['wrong_pov_hash', 'no_codeword'] as const)(
    'PoV-hash mode: %s is unavailable when the regular strategy finds too few',
    async (kind) => {
      const world = await open({
        kind,
        behaviour: ({ validatorIndex: index }) => (index === 3 || index === 4 ? 'good' : 'no_such'),
      });
      expect(codeOf(world.run({ checkMode: 'pov_hash' }).error)).toBe('unavailable');
    },
  );

  it('PoV-hash mode, systematicFailure invalid: is invalid at once', async () => {
    const world = await open({
      kind: 'wrong_pov_hash',
      settings: { systematicFailure: 'invalid' },
    });
    expect(codeOf(world.run({ checkMode: 'pov_hash' }).error)).toBe('invalid');
    expect(world.network.asked).toHaveLength(2);
  });

  it.each(['trailing_garbage', 'long_chunks'] as const)(
    'PoV-hash mode: %s is fine, as the root is not looked at',
    async (kind) => {
      const world = await open({ kind });
      const outcome = world.run({ checkMode: 'pov_hash' });
      expect(outcome.recovered?.data).toEqual(world.candidate.data);
    },
  );
});
