import { VirtualTimeScheduler } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { ChaCha8 } from '../../src/primitives/chacha8.ts';
import type { Runtime } from '../../src/recovery/ports.ts';
import { steadyRuntime } from '../../src/recovery/steady-clock.ts';
import { RecoveryWorld, record, type WorldOptions } from '../support/recovery-world.ts';

const HOUR_MS = 3_600_000;

/** A runtime whose clock, but not its timers, is set back by so much at a moment. */
function setBack(scheduler: Runtime['scheduler'], atMs: number, byMs: number): Runtime {
  let offsetMs = 0;
  scheduler.schedule(() => {
    offsetMs = byMs;
  }, atMs);
  return {
    random: new ChaCha8(new Uint8Array(32)),
    scheduler: {
      now: () => scheduler.now() - offsetMs,
      schedule: scheduler.schedule.bind(scheduler),
    },
  };
}

describe('steadyRuntime', () => {
  it('shows the time of its clock as long as that goes on', () => {
    const scheduler = new VirtualTimeScheduler();
    const steady = steadyRuntime({ scheduler, random: new ChaCha8(new Uint8Array(32)) });
    const seen: number[] = [];
    for (const at of [0, 10, 1_000]) {
      steady.scheduler.schedule(() => seen.push(steady.scheduler.now()), at);
    }
    scheduler.flush();
    expect(seen).toEqual([0, 10, 1_000]);
  });

  it('goes on from where it was when its clock is set back, as often as that happens', () => {
    let nowMs = 1_000;
    const scheduler = { now: () => nowMs, schedule: () => expect.unreachable() };
    const { now } = steadyRuntime({ scheduler, random: new ChaCha8(new Uint8Array(32)) }).scheduler;
    const seen = [1_000, 1_500, 400, 450, 0, 30].map((ms) => {
      nowMs = ms;
      return now();
    });
    expect(seen).toEqual([1_000, 1_500, 1_500, 1_550, 1_550, 1_580]);
  });
});

describe('a recovery whose clock is set back by an hour', () => {
  /** Runs one; when it was over, in ms of time that truly passed. */
  async function endOf(behaviour: NonNullable<WorldOptions['behaviour']>): Promise<number> {
    const world = await RecoveryWorld.open({
      validatorCount: 6,
      groups: [[0, 1, 2, 3, 4]],
      behaviour,
      ports: ({ runtime: { scheduler } }) => ({ runtime: setBack(scheduler, 100, HOUR_MS) }),
    });
    const recording = record(world.recovery.recover(world.request({ backingGroup: 0 })));
    let endMs = 0;
    recording.subscription.add(() => {
      endMs = world.scheduler.now();
    });
    world.scheduler.flush();
    expect(recording.recovered).toBeDefined();
    return endMs;
  }

  it('does not wait for that hour with a source that is to be left alone for a moment', async () => {
    const endMs = await endOf(({ kind, times }) => {
      if (kind !== 'chunk') {
        return 'no_such';
      }
      return times === 0 ? { behaviour: 'refused', delayMs: 40 } : 'good';
    });
    expect(endMs).toBeLessThan(1_000);
  });

  it('gives backers their share of time, plus at most the one answer in which that happened', async () => {
    const endMs = await endOf(({ kind }) =>
      kind === 'chunk' ? 'good' : { behaviour: 'timeout', delayMs: 2_000 },
    );
    expect(endMs).toBe(2_000 + 3_000);
  });
});
