import { of } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashReady } from '../../src/primitives/hash.ts';
import type { StrategyType } from '../../src/recovery/labels.ts';
import type { RecoveryRequest } from '../../src/recovery/request.ts';
import { STANDARD } from '../../src/recovery/settings.ts';
import { FakeStore } from '../support/fake-store.ts';
import {
  type Outcome,
  RecoveryWorld,
  record,
  type WorldOptions,
} from '../support/recovery-world.ts';

beforeAll(hashReady);

/** A world in which nobody has anything, so that every strategy of the plan runs. */
async function plan(
  request: Partial<RecoveryRequest>,
  { hasCore = true, ...options }: Partial<WorldOptions> & { readonly hasCore?: boolean } = {},
): Promise<{ readonly strategies: readonly StrategyType[]; readonly outcome: Outcome }> {
  const world = await RecoveryWorld.open({
    validatorCount: 7,
    groups: [[1, 0, 3, 4], [9]],
    behaviour: () => 'no_such',
    ...options,
  });
  const { coreIndex, ...withoutCore } = world.request(request);
  const outcome = record(
    world.recovery.recover(
      hasCore && coreIndex !== undefined ? { ...withoutCore, coreIndex } : withoutCore,
    ),
  );
  world.scheduler.flush();
  const strategies = outcome.events.flatMap((event) =>
    event.type === 'strategy_started' ? [event.strategy] : [],
  );
  return { strategies, outcome };
}

describe('strategyPlanner', () => {
  it('tries backers, then systematic chunks, then any chunks', async () => {
    const { strategies } = await plan({ backingGroup: 0 });
    expect(strategies).toEqual(['full_from_backers', 'systematic_chunks', 'regular_chunks']);
  });

  it('leaves out the backers when no group is named', async () => {
    expect((await plan({})).strategies).toEqual(['systematic_chunks', 'regular_chunks']);
  });

  it('takes a group that does not exist for none', async () => {
    const { strategies } = await plan({ backingGroup: 7 });
    expect(strategies).toEqual(['systematic_chunks', 'regular_chunks']);
  });

  it('R25: leaves out systematic chunks without a core', async () => {
    const { strategies } = await plan({}, { hasCore: false });
    expect(strategies).toEqual(['regular_chunks']);
  });

  it('R26: leaves out systematic chunks where the session does not map', async () => {
    const { strategies } = await plan({}, { isMapped: false, scheme: 'identity' });
    expect(strategies).toEqual(['regular_chunks']);
  });

  it('does what the request names, in its order', async () => {
    const strategies: readonly StrategyType[] = ['regular_chunks', 'full_from_backers'];
    const run = await plan({ backingGroup: 0, strategies }, { settings: { sizeLimitBytes: 0 } });
    expect(run.strategies).toEqual(strategies);
  });

  it('runs systematic chunks without a mapping when the request names them', async () => {
    const { strategies } = await plan(
      { strategies: ['systematic_chunks'] },
      { isMapped: false, scheme: 'identity' },
    );
    expect(strategies).toEqual(['systematic_chunks']);
  });

  it('is misuse to name systematic chunks without a core', async () => {
    const { outcome } = await plan({ strategies: ['systematic_chunks'] }, { hasCore: false });
    expect(outcome.error).toBeInstanceOf(TypeError);
    expect(String(outcome.error)).toMatch(/coreIndex/);
  });

  it.each([
    {},
    { strategies: ['systematic_chunks'] as const },
    { strategies: ['regular_chunks'] as const },
  ])('is misuse to name a group with a member beyond the session (%j)', async (request) => {
    const { outcome, strategies } = await plan({ backingGroup: 1, ...request });
    expect(outcome.error).toBeInstanceOf(RangeError);
    expect(strategies).toEqual([]);
  });

  it('leaves the backers alone where the data is too large for them, also at the end', async () => {
    const store = (): FakeStore =>
      Object.assign(new FakeStore(), { loadChunkBytes: () => of(STANDARD.sizeLimitBytes) });
    const { strategies } = await plan({ backingGroup: 0 }, { store });
    expect(strategies).toEqual(['systematic_chunks', 'regular_chunks']);
  });

  it('is unavailable when the request names no strategy at all', async () => {
    const { outcome } = await plan({ strategies: [] });
    expect(outcome.error).toMatchObject({ code: 'unavailable' });
  });
});
