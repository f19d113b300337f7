import { of } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashReady } from '../../src/primitives/hash.ts';
import { MAX_RESPONSE_BYTES } from '../../src/primitives/limits.ts';
import type { RecoveryEvent } from '../../src/recovery/events.ts';
import type { DataReply } from '../../src/recovery/ports.ts';
import type { TestCandidate } from '../support/candidate-world.ts';
import { FakeStore } from '../support/fake-store.ts';
import {
  codeOf,
  type Outcome,
  RecoveryWorld,
  type WorldOptions,
} from '../support/recovery-world.ts';

beforeAll(hashReady);

/** The scenario fixture: 7 validators, of which V0, V1, V3 and V4 backed the candidate. */
const GROUP = [1, 0, 3, 4];

function open(options: Partial<WorldOptions> = {}): Promise<RecoveryWorld> {
  return RecoveryWorld.open({ validatorCount: 7, groups: [GROUP], ...options });
}

/** How the first strategy ended. */
function endOf({ events }: Outcome): RecoveryEvent | undefined {
  return events.find((event) => event.type === 'strategy_ended');
}

/** Answers to the questions for full data: what, and finer why. */
function dataAnswers({ events }: Outcome): readonly string[] {
  const ids = new Set(
    events.flatMap((event) =>
      event.type === 'attempt_started' && event.kind === 'available_data' ? [event.attemptId] : [],
    ),
  );
  return events.flatMap((event) =>
    event.type === 'attempt_finished' && ids.has(event.attemptId)
      ? [event.code === undefined ? event.answer : `${event.answer}/${event.code}`]
      : [],
  );
}

/** A store that holds V6's chunk, which tells the size. */
function storeWithChunk(candidate: TestCandidate): FakeStore {
  const chunk = candidate.chunks[candidate.mapping.chunkOf(6 as never)];
  return chunk === undefined
    ? new FakeStore()
    : new FakeStore().putChunk(candidate.candidateHash, 6, chunk);
}

describe('fullFromBackers', () => {
  it('R7: asks one backer after the other until one has the data', async () => {
    const world = await open({
      kind: 'wrong_pov_hash',
      behaviour: ({ index }) => ({ behaviour: index === 3 ? 'good' : 'no_such', delayMs: 10 }),
    });
    const outcome = world.run({ backingGroup: 0 });
    expect(outcome.recovered?.from).toBe('full_from_backers');
    expect(outcome.recovered?.data).toEqual(world.candidate.data);
    expect(world.network.mostOpen).toBe(1);
    expect(world.network.dataAsked().at(-1)).toBe('v3');
    expect(
      dataAnswers(outcome)
        .slice(0, -1)
        .every((answer) => answer === 'no_such_data'),
    ).toBe(true);
  });

  it.each([
    ['nothing', undefined],
    ['no type', {}],
    ['a type of its own', { type: 'other' }],
    ['no data', { type: 'available_data' }],
    [
      'data that has no encoding',
      {
        type: 'available_data',
        data: {
          pov: { blockData: new Uint8Array(3) },
          validationData: {
            parentHead: new Uint8Array(),
            relayParentNumber: Number.NaN,
            relayParentStorageRoot: new Uint8Array(31),
            maxPovSize: -1,
          },
        },
      },
    ],
  ])('counts a source that answers with %s as failed, and goes on', async (_what, reply) => {
    const world = await open({
      ports: () => ({ dataSource: { askData: () => of(reply as DataReply) } }),
    });
    const outcome = world.run({ backingGroup: 0 });
    expect(dataAnswers(outcome)).toEqual(Array(4).fill('error/source_failed'));
    expect(outcome.recovered?.from).toBe('systematic_chunks');
  });

  it('asks each backer once, in an order drawn from the seed', async () => {
    const orders = new Set<string>();
    for (let seed = 1; seed <= 20; seed += 1) {
      const world = await open({ seed, behaviour: () => 'no_such' });
      world.run({ backingGroup: 0 });
      const order = world.network.dataAsked();
      expect(order.toSorted(), `seed ${seed}`).toEqual(['v0', 'v1', 'v3', 'v4']);
      orders.add(order.join());
    }
    expect(orders.size).toBeGreaterThan(5);
  });

  it('R10: goes on to chunks, from the same validators, when no backer has the data', async () => {
    const world = await open({
      behaviour: ({ kind, index }) =>
        kind === 'chunk' ? 'good' : index === 0 || index === 3 ? 'no_such' : 'timeout',
    });
    const outcome = world.run({ backingGroup: 0 });
    expect(world.network.dataAsked()).toHaveLength(4);
    expect(outcome.recovered?.from).toBe('systematic_chunks');
    expect(world.network.chunksAsked()).toEqual([4, 3]);
    expect(endOf(outcome)).toMatchObject({ reason: 'sources_exhausted' });
  });

  it('X5: takes wrong data for a broken backer, never for a verdict', async () => {
    const world = await open({ behaviour: ({ kind }) => (kind === 'chunk' ? 'good' : 'flipped') });
    const outcome = world.run({ backingGroup: 0 });
    expect(dataAnswers(outcome)).toEqual(Array(4).fill('invalid/root_mismatch'));
    expect(outcome.recovered?.from).toBe('systematic_chunks');
  });

  it('X5: ends in unavailable when backers lie and chunks are gone', async () => {
    const world = await open({
      behaviour: ({ kind }) => (kind === 'chunk' ? 'no_such' : 'flipped'),
    });
    expect(codeOf(world.run({ backingGroup: 0 }).error)).toBe('unavailable');
  });

  it('holds the PoV against its hash in PoV-hash mode', async () => {
    let asked = 0;
    const world = await open({
      behaviour: () => {
        asked += 1;
        return asked === 1 ? 'flipped' : 'good';
      },
    });
    const outcome = world.run({ backingGroup: 0, checkMode: 'pov_hash' });
    expect(outcome.recovered?.from).toBe('full_from_backers');
    expect(dataAnswers(outcome)).toEqual(['invalid/pov_hash_mismatch', 'success']);
  });

  it.each([
    ['undecodable', 'invalid/unexpected_end'],
    ['timeout', 'timeout/first_byte'],
    ['refused', 'error/refused'],
    ['not_connected', 'error/not_connected'],
    ['cancelled', 'canceled/cancelled'],
    ['too_large', 'error/too_large'],
  ] as const)('tries the next backer after %s', async (behaviour, answer) => {
    const world = await open({
      behaviour: ({ kind }) => (kind === 'available_data' ? behaviour : 'good'),
    });
    expect(dataAnswers(world.run({ backingGroup: 0 }))).toEqual(Array(4).fill(answer));
  });

  it('never asks ourselves', async () => {
    const world = await open({ ownValidatorIndex: 3, behaviour: () => 'no_such' });
    world.run({ backingGroup: 0 });
    expect(world.network.dataAsked().toSorted()).toEqual(['v0', 'v1', 'v4']);
    expect(world.network.asked.map(({ authority }) => authority)).not.toContain('v3');
  });

  it('askSelf on: asks ourselves like anybody', async () => {
    const world = await open({
      ownValidatorIndex: 3,
      behaviour: () => 'no_such',
      settings: { askSelf: true },
    });
    world.run({ backingGroup: 0 });
    expect(world.network.dataAsked()).toContain('v3');
  });

  it('passes over a backer whom nobody knows', async () => {
    const world = await open({ unknown: [1], behaviour: () => 'no_such' });
    world.run({ backingGroup: 0 });
    expect(world.network.dataAsked().toSorted()).toEqual(['v0', 'v3', 'v4']);
  });

  it('has nobody to ask when we are the only backer', async () => {
    const world = await open({ groups: [[3]], ownValidatorIndex: 3 });
    const outcome = world.run({ backingGroup: 0 });
    expect(endOf(outcome)).toMatchObject({ reason: 'nobody_to_ask' });
    expect(outcome.recovered?.from).not.toBe('full_from_backers');
  });

  it.each([true, false])('dialBackers %s: is what the request says', async (dialBackers) => {
    const world = await open({ settings: { dialBackers } });
    world.run({ backingGroup: 0 });
    expect(world.network.asked.map((question) => question.dial)).toEqual([dialBackers]);
  });

  it('takes back what was still on the way for chunks when it has the data', async () => {
    const world = await open({
      groups: [[1]],
      behaviour: ({ kind, index }) =>
        kind === 'available_data' ? 'good' : index === 3 ? 'hang' : 'no_such',
    });
    const outcome = world.run({
      backingGroup: 0,
      strategies: ['systematic_chunks', 'full_from_backers'],
    });
    expect(outcome.recovered?.from).toBe('full_from_backers');
    expect(outcome.events.filter(({ type }) => type === 'attempt_finished')).toHaveLength(4);
    expect(outcome.recovered?.account.totals).toMatchObject({ issued: 4, canceled: 1, running: 0 });
    expect(world.network.open).toBe(0);
  });
});

describe('fullFromBackers, size', () => {
  it('asks with the limit as cap when nothing tells the size', async () => {
    const world = await open({ settings: { sizeLimitBytes: 100 } });
    world.run({ backingGroup: 0 });
    expect(world.network.asked[0]).toMatchObject({ kind: 'available_data', maxBytes: 100 });
  });

  it('takes an answer as large as the cap', async () => {
    const world = await open({ povBytes: 64, settings: { sizeLimitBytes: 64 } });
    expect(world.run({ backingGroup: 0 }).recovered?.from).toBe('full_from_backers');
  });

  it('ends when a backer announces more than the cap, and holds nothing against it', async () => {
    const world = await open({ povBytes: 64, settings: { sizeLimitBytes: 63 } });
    const outcome = world.run({ backingGroup: 0 });
    expect(world.network.dataAsked()).toHaveLength(1);
    expect(endOf(outcome)).toMatchObject({
      strategy: 'full_from_backers',
      reason: 'too_large',
      announcedBytes: 64,
    });
    expect(outcome.recovered?.from).toBe('systematic_chunks');
    expect(outcome.recovered?.account.strategies[0]).toMatchObject({ announcedBytes: 64 });
    const holders = world.network.chunksAsked();
    expect(holders).toEqual([4, 3]);
  });

  it('takes nothing above the cap from a source that brings it all the same', async () => {
    const world = await open({
      povBytes: 2_000,
      ports: ({ candidate }) => ({
        dataSource: {
          askData: () =>
            of({ type: 'available_data', data: candidate.data, protocol: 'p', bytes: 1 }),
        },
      }),
    });
    const { recovered } = world.run({ backingGroup: 0, sizeLimitBytes: 1_999 });
    expect(recovered?.account.strategies[0]).toMatchObject({
      strategy: 'full_from_backers',
      reason: 'too_large',
      announcedBytes: 2_000,
    });
    expect(world.run({ backingGroup: 0, sizeLimitBytes: 2_000 }).recovered).toBeDefined();
  });

  it('tries the next backer after too_large when the size is known', async () => {
    const world = await open({
      store: storeWithChunk,
      behaviour: ({ kind }) => (kind === 'available_data' ? 'too_large' : 'good'),
    });
    const outcome = world.run({ backingGroup: 0 });
    expect(world.network.dataAsked()).toHaveLength(4);
    expect(endOf(outcome)).toMatchObject({ reason: 'sources_exhausted' });
  });

  it('X4: counts a known estimate equal to the limit as large', async () => {
    const probe = await open();
    const estimate = (probe.candidate.chunks[0]?.bytes.length ?? 0) * 2;
    const large = await open({ store: storeWithChunk, settings: { sizeLimitBytes: estimate } });
    expect(large.run({ backingGroup: 0 }).recovered?.from).toBe('systematic_chunks');
    expect(large.network.dataAsked()).toEqual([]);
    const small = await open({ store: storeWithChunk, settings: { sizeLimitBytes: estimate + 1 } });
    expect(small.run({ backingGroup: 0 }).recovered?.from).toBe('full_from_backers');
    expect(small.network.asked[0]).toMatchObject({ maxBytes: MAX_RESPONSE_BYTES });
  });

  it.each([
    ['capped_request', 'full_from_backers'],
    ['large', 'systematic_chunks'],
  ] as const)('sizeUnknown %s: begins with %s', async (sizeUnknown, from) => {
    const world = await open({ settings: { sizeUnknown } });
    expect(world.run({ backingGroup: 0 }).recovered?.from).toBe(from);
  });

  it('takes the limit of the request before that of the settings', async () => {
    const world = await open({ settings: { sizeLimitBytes: 63 } });
    const outcome = world.run({ backingGroup: 0, sizeLimitBytes: 64 });
    expect(outcome.recovered?.from).toBe('full_from_backers');
  });

  it.each([
    [['re_encode', 'pov_hash'], 'full_from_backers'],
    [['re_encode'], 'systematic_chunks'],
  ] as const)('fastPathFor %j: a collator begins with %s', async (fastPathFor, from) => {
    const world = await open({ settings: { fastPathFor } });
    const outcome = world.run({ backingGroup: 0, checkMode: 'pov_hash' });
    expect(outcome.events.find((event) => event.type === 'strategy_started')).toMatchObject({
      strategy: from,
    });
  });
});

describe('fullFromBackers, time', () => {
  /** Five backers, each of which says nothing for 2 s. */
  function slow(totalBackerTimeMs: number | null): Promise<RecoveryWorld> {
    return RecoveryWorld.open({
      validatorCount: 7,
      groups: [[0, 1, 2, 5, 6]],
      settings: { totalBackerTimeMs },
      behaviour: ({ kind }) =>
        kind === 'chunk' ? 'good' : { behaviour: 'timeout', delayMs: 2_000 },
    });
  }

  it('totalBackerTimeMs 3,000: goes on to chunks after 3 s', async () => {
    const world = await slow(3_000);
    const outcome = world.run({ backingGroup: 0 });
    expect(dataAnswers(outcome)).toEqual(['timeout/first_byte', 'canceled/out_of_time']);
    expect(endOf(outcome)).toMatchObject({ reason: 'out_of_time', atMs: 3_000 });
    expect(outcome.recovered).toMatchObject({ from: 'systematic_chunks', atMs: 3_000 });
    expect(world.network.open).toBe(0);
  });

  it('totalBackerTimeMs null: waits for every backer', async () => {
    const world = await slow(null);
    const outcome = world.run({ backingGroup: 0 });
    expect(dataAnswers(outcome)).toEqual(Array(5).fill('timeout/first_byte'));
    expect(outcome.recovered).toMatchObject({ from: 'systematic_chunks', atMs: 10_000 });
  });

  it('asks nobody once its time is over', async () => {
    const world = await slow(2_000);
    const outcome = world.run({ backingGroup: 0 });
    expect(world.network.dataAsked()).toHaveLength(1);
    expect(endOf(outcome)).toMatchObject({ reason: 'out_of_time', atMs: 2_000 });
  });
});
