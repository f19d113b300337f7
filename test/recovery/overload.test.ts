import { describe, expect, it } from 'vitest';
import { testCandidate } from '../support/candidate-world.ts';
import { codeOf, RecoveryWorld, record } from '../support/recovery-world.ts';

const SLOW = { behaviour: 'good', delayMs: 40 } as const;

describe('createRecovery under load', () => {
  it('runs so many recoveries at once, the others by deadline, and refuses the rest', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 4,
      behaviour: () => SLOW,
      settings: { maxConcurrent: 1, maxWaiting: 2 },
    });
    const others = [2, 3, 4].map((seed) => testCandidate({ validatorCount: 4, seed }).receipt);
    const first = record(world.recovery.recover(world.request()));
    const [patient, hurried, refused] = others.map((receipt, i) =>
      record(world.recovery.recover(world.request({ receipt, timeoutMs: 5_000 - 1_000 * i }))),
    );
    expect(refused).toMatchObject({
      error: { code: 'local_fault', details: { reason: 'overloaded' } },
    });
    expect([patient, hurried].map((one) => one?.events)).toEqual([[], []]);
    world.passUntil(45);
    expect(first.recovered).toBeDefined();
    expect(hurried?.events.length).toBeGreaterThan(0);
    expect(patient?.events).toEqual([]);
  });

  it('counts equal requests as one, and lets the most hurried caller place it', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 4,
      behaviour: () => SLOW,
      settings: { maxConcurrent: 1, maxWaiting: 2 },
    });
    const [a, b] = [2, 3].map((seed) => testCandidate({ validatorCount: 4, seed }).receipt);
    record(world.recovery.recover(world.request()));
    const waiting = record(world.recovery.recover(world.request({ receipt: a!, timeoutMs: 900 })));
    const slow = record(world.recovery.recover(world.request({ receipt: b! })));
    const joined = record(world.recovery.recover(world.request({ receipt: b!, timeoutMs: 300 })));
    expect(joined.events.map(({ type }) => type)).toEqual(['joined']);
    world.passUntil(45);
    expect([slow.events.length > 0, waiting.events.length]).toEqual([true, 0]);
  });

  it('ends a recovery whose turn does not come within its deadline as unavailable', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 4,
      behaviour: () => 'hang',
      settings: { maxConcurrent: 1 },
    });
    const blocking = record(world.recovery.recover(world.request()));
    const { receipt } = testCandidate({ validatorCount: 4, seed: 2 });
    const waiting = record(world.recovery.recover(world.request({ receipt, timeoutMs: 50 })));
    world.passUntil(60);
    expect(waiting.error).toMatchObject({ code: 'unavailable', details: { reason: 'deadline' } });
    expect(waiting.events).toEqual([]);
    blocking.subscription.unsubscribe();
  });

  it('asks nobody for those that wait when it is stopped', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 4,
      behaviour: () => 'hang',
      settings: { maxConcurrent: 1 },
    });
    const blocking = record(world.recovery.recover(world.request()));
    const asked = world.network.asked.length;
    const { receipt } = testCandidate({ validatorCount: 4, seed: 2 });
    const waiting = record(world.recovery.recover(world.request({ receipt })));
    await world.recovery.stop();
    expect([codeOf(blocking.error), codeOf(waiting.error)]).toEqual(['stopped', 'stopped']);
    expect(world.network.asked.length).toBe(asked);
  });

  it('lets nobody be hurried by a caller who has left', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      settings: { maxConcurrent: 1 },
      behaviour: () => ({ behaviour: 'good', delayMs: 500 }),
    });
    record(world.recovery.recover(world.request()));
    const patient = record(world.recovery.recover(world.request({ useStore: false })));
    for (const timeoutMs of [5, 7]) {
      const hurried = world.request({ useStore: false, timeoutMs });
      record(world.recovery.recover(hurried)).subscription.unsubscribe();
    }
    const next = record(
      world.recovery.recover(world.request({ checkMode: 'pov_hash', timeoutMs: 1_200 })),
    );
    world.scheduler.flush();
    expect(next.error).toBeUndefined();
    expect(next.recovered?.atMs).toBe(1_000);
    expect(patient.recovered?.atMs).toBe(1_500);
  });
});
