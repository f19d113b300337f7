import { take } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { RecoveryEvent } from '../../src/recovery/events.ts';
import type { StrategyType } from '../../src/recovery/labels.ts';
import type { Runtime } from '../../src/recovery/ports.ts';
import type { RecoveryRequest } from '../../src/recovery/request.ts';
import { FakeStore } from '../support/fake-store.ts';
import { slowWork } from '../support/fake-work.ts';
import { RecoveryWorld, type WorldOptions } from '../support/recovery-world.ts';

/** One recovery to cancel at every event. */
type Recorded = {
  readonly options: WorldOptions;
  readonly request: Partial<RecoveryRequest>;
  readonly strategies: readonly StrategyType[];
};

const slow = { ports: ({ runtime }: { runtime: Runtime }) => ({ work: slowWork(runtime, 30, 5) }) };

const recordings: Readonly<Record<string, Recorded>> = {
  'full data after two faulty backers': {
    options: {
      validatorCount: 7,
      groups: [[1, 2, 5]],
      behaviour: ({ index }) => ({
        behaviour: index === 1 ? 'good' : index === 2 ? 'flipped' : 'no_such',
        delayMs: 40 + index,
      }),
    },
    request: { backingGroup: 0 },
    strategies: ['full_from_backers'],
  },
  'systematic chunks with a retry and a late answer': {
    options: {
      validatorCount: 7,
      behaviour: ({ index, times }) =>
        times === 0
          ? { behaviour: 'timeout', delayMs: 20 }
          : { behaviour: 'good', delayMs: index === 4 ? 1_100 : 20 },
    },
    request: {},
    strategies: ['systematic_chunks'],
  },
  'regular chunks with errors of every kind, refused peers waiting, late ones at the end': {
    options: {
      validatorCount: 13,
      isMapped: false,
      scheme: 'identity',
      behaviour: ({ index, times }) => ({
        behaviour:
          times > 0
            ? 'good'
            : ((['refused', 'flipped', 'no_such', 'timeout', 'undecodable'] as const)[index % 6] ??
              'good'),
        delayMs: index === 5 ? 1_300 : 10 * (index + 1),
      }),
    },
    request: {},
    strategies: ['regular_chunks'],
  },
  'a store with a corrupt and a good chunk, then all three strategies': {
    options: {
      validatorCount: 7,
      groups: [[5, 6]],
      ownValidatorIndex: 3,
      store: ({ candidateHash, chunks, mapping }) => {
        const store = new FakeStore();
        for (const v of [3, 0]) {
          store.putChunk(candidateHash, v, chunks[mapping.chunkByValidator()[v]!]!);
        }
        return store.corrupt(candidateHash, { type: 'chunk', validatorIndex: 3 as never });
      },
      behaviour: ({ kind, index, validatorIndex }) => ({
        behaviour: kind === 'available_data' || validatorIndex === 4 ? 'timeout' : 'good',
        delayMs: 500 + index,
      }),
    },
    request: { backingGroup: 0 },
    strategies: ['full_from_backers', 'systematic_chunks', 'regular_chunks'],
  },
};

const variants = Object.entries(recordings).flatMap(([name, recorded]) => [
  { name, recorded },
  {
    name: `${name}; slow work`,
    recorded: { ...recorded, options: { ...recorded.options, ...slow } },
  },
  {
    name: `${name}; synchronous answers`,
    recorded: { ...recorded, options: { ...recorded.options, behaviour: atOnce(recorded) } },
  },
]);

function atOnce({ options }: Recorded): NonNullable<WorldOptions['behaviour']> {
  return (question) => {
    const answer = options.behaviour!(question);
    return typeof answer === 'string' ? answer : answer.behaviour;
  };
}

/** Subscribes and leaves inside the event at `place`. */
function leaveAt(
  world: RecoveryWorld,
  request: Partial<RecoveryRequest>,
  place: number,
): readonly RecoveryEvent[] {
  const events: RecoveryEvent[] = [];
  // `take` unsubscribes in the turn of its last event, also from a stream that is still subscribing.
  world.recovery
    .recover(world.request(request))
    .pipe(take(place + 1))
    .subscribe((event) => events.push(event));
  return events;
}

describe.each(variants)('a recovery: $name', ({ recorded: { options, request, strategies } }) => {
  it('runs through these strategies and leaves nothing alive', async () => {
    const world = await RecoveryWorld.open(options);
    const { events, error } = world.run(request);
    expect(error).toBeUndefined();
    const started = events.filter((event) => event.type === 'strategy_started');
    expect(started.map(({ strategy }) => strategy)).toEqual(strategies);
    expect(world.network.open).toBe(0);
    expect(world.timers).toBe(0);
  });

  it('leaves nothing alive when it is left at any event, and the next starts from scratch', async () => {
    const { events: whole } = (await RecoveryWorld.open(options)).run(request);
    for (let place = 0; place < whole.length; place += 1) {
      const world = await RecoveryWorld.open(options);
      const events = leaveAt(world, request, place);
      const message = `at ${place}, ${whole[place]?.type}`;
      world.passUntil(whole[place]!.atMs);
      expect(events, message).toHaveLength(place + 1);
      expect(world.network.open, message).toBe(0);
      expect(world.timers, message).toBe(0);
      const asked = world.network.asked.length;
      world.scheduler.flush();
      expect(world.network.asked, message).toHaveLength(asked);
      expect(events, message).toHaveLength(place + 1);
    }
  });

  it('ends in stopped, with an account and nothing alive, when it is stopped inside any event', async () => {
    const { events: whole } = (await RecoveryWorld.open(options)).run(request);
    for (let place = 0; place < whole.length - 1; place += 1) {
      const world = await RecoveryWorld.open(options);
      const events: RecoveryEvent[] = [];
      const errors: unknown[] = [];
      world.recovery.recover(world.request(request)).subscribe({
        next: (event) => {
          events.push(event);
          if (events.length === place + 1) {
            void world.recovery.stop();
          }
        },
        error: (error: unknown) => errors.push(error),
      });
      world.passUntil(whole[place]!.atMs);
      const message = `at ${place}, ${whole[place]?.type}`;
      expect(events, message).toHaveLength(place + 1);
      expect(errors, message).toEqual([
        expect.objectContaining({
          code: 'stopped',
          account: expect.objectContaining({ totals: expect.objectContaining({ running: 0 }) }),
        }),
      ]);
      expect(world.network.open, message).toBe(0);
      expect(world.timers, message).toBe(0);
    }
  });

  it('ends like this for every caller when one of two leaves at any event', async () => {
    const whole = (await RecoveryWorld.open(options)).run(request);
    for (let place = 0; place < whole.events.length; place += 5) {
      const world = await RecoveryWorld.open(options);
      const staying = world.recovery.recover(world.request(request));
      const events: RecoveryEvent[] = [];
      staying.subscribe((event) => events.push(event));
      leaveAt(world, request, place);
      world.scheduler.flush();
      expect(events.length, `at ${place}`).toBe(whole.events.length);
    }
  });
});
