import { tap } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Behaviour } from '../support/fake-network.ts';
import { codeOf, RecoveryWorld, record } from '../support/recovery-world.ts';

const later = (behaviour: Behaviour, delayMs = 10) => ({ behaviour, delayMs });

describe('callers who join', () => {
  it('get a snapshot, then live events, and the end of the one run', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 7, behaviour: () => later('good') });
    const first = record(world.recovery.recover(world.request()));
    world.passUntil(5);
    const second = record(world.recovery.recover(world.request()));
    world.scheduler.flush();
    const [joined] = second.events;
    expect(joined).toMatchObject({
      type: 'joined',
      account: { totals: { issued: 2, running: 2 } },
    });
    const places = (events: readonly { type: string }[]): string[] =>
      events.map(({ type }) => type);
    expect(places(second.events.slice(1))).toEqual(
      places(first.events).slice(-second.events.length + 1),
    );
    expect(second.recovered).toEqual(first.recovered);
  });

  it.each([
    {
      what: 'the others leave',
      act: (_world: RecoveryWorld, leave: () => void) => leave(),
      code: undefined,
    },
    {
      what: 'the run ends',
      act: (world: RecoveryWorld) => world.passUntil(50),
      code: undefined,
    },
    {
      what: 'the instance is stopped',
      act: (world: RecoveryWorld) => void world.recovery.stop(),
      code: 'stopped',
    },
  ])('stay with the one run when $what while they hear the snapshot', async ({ act, code }) => {
    const world = await RecoveryWorld.open({ validatorCount: 7, behaviour: () => later('good') });
    const first = world.recovery.recover(world.request()).subscribe({ error: () => {} });
    world.passUntil(5);
    const second = record(
      world.recovery.recover(world.request()).pipe(
        tap(({ type }) => {
          if (type === 'joined') {
            act(world, () => first.unsubscribe());
          }
        }),
      ),
    );
    world.scheduler.flush();
    expect(codeOf(second.error)).toBe(code);
    expect(second.recovered?.account.totals.issued).toBe(code === undefined ? 2 : undefined);
    expect(world.network.asked).toHaveLength(2);
    expect(world.network.open).toBe(0);
  });

  it('bring backers that stand in for holders who fail afterwards', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      groups: [[5]],
      settings: { fastPathFor: [] },
      behaviour: ({ index }) => later(index === 5 ? 'good' : index === 3 ? 'no_such' : 'hang'),
    });
    // V3 and V4 hold the systematic chunks; V3 has nothing, and only a backer can help.
    record(world.recovery.recover(world.request({ strategies: ['systematic_chunks'] })));
    world.passUntil(5);
    record(world.recovery.recover(world.request({ backingGroup: 0 })));
    world.passUntil(50);
    const asked = world.network.asked.map((q) => `${q.authority}:${q.validatorIndex}`);
    expect(asked).toEqual(['v4:4', 'v3:3', 'v5:3']);
    await world.recovery.stop();
  });

  it('bring backers who are asked for everything while that goes on', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      groups: [[1], [5]],
      behaviour: ({ kind, index }) =>
        later(kind === 'available_data' && index === 5 ? 'good' : 'no_such'),
    });
    const first = record(world.recovery.recover(world.request({ backingGroup: 0 })));
    world.passUntil(5);
    record(world.recovery.recover(world.request({ backingGroup: 1 })));
    world.scheduler.flush();
    expect(world.network.dataAsked()).toEqual(['v1', 'v5']);
    expect(first.recovered?.from).toBe('full_from_backers');
  });

  it('bring backers who are asked last where the plan had none', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      groups: [[5]],
      behaviour: ({ kind }) => later(kind === 'available_data' ? 'good' : 'no_such'),
    });
    const first = record(world.recovery.recover(world.request()));
    world.passUntil(5);
    record(world.recovery.recover(world.request({ backingGroup: 0 })));
    world.scheduler.flush();
    const { strategies } = first.recovered?.account ?? {};
    expect(strategies?.map(({ strategy }) => strategy)).toEqual([
      'systematic_chunks',
      'regular_chunks',
      'full_from_backers',
    ]);
    expect(first.recovered?.from).toBe('full_from_backers');
  });

  it('ask nobody twice for everything, and do not keep a recovery alive for ever', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      groups: [
        [1, 2],
        [2, 5],
      ],
      behaviour: () => later('no_such'),
    });
    const first = record(world.recovery.recover(world.request({ backingGroup: 0 })));
    for (const ms of [5, 15, 25, 45]) {
      world.passUntil(ms);
      record(world.recovery.recover(world.request({ backingGroup: 1, holders: [2, 5] })));
    }
    world.scheduler.flush();
    expect(codeOf(first.error)).toBe('unavailable');
    expect(world.network.dataAsked().toSorted()).toEqual(['v1', 'v2', 'v5']);
    expect(world.network.open).toBe(0);
  });

  it.each([
    { totalBackerTimeMs: 3_000, asked: ['v2', 'v3', 'v4', 'v5'] },
    { totalBackerTimeMs: 0, asked: [] },
  ])(
    'bring backers who are all asked, also where the time for backers ends between two: %o',
    async ({ totalBackerTimeMs, asked }) => {
      const world = await RecoveryWorld.open({
        validatorCount: 7,
        settings: { totalBackerTimeMs },
        behaviour: ({ kind }) => (kind === 'chunk' ? later('no_such') : later('timeout', 1_500)),
      });
      const first = record(world.recovery.recover(world.request()));
      world.passUntil(5);
      record(world.recovery.recover(world.request({ holders: [2, 3, 4, 5] })));
      world.scheduler.flush();
      expect(codeOf(first.error)).toBe('unavailable');
      expect(world.network.dataAsked().toSorted()).toEqual(asked);
    },
  );

  it('whose group names no place of the session do no harm', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      groups: [[99]],
      behaviour: () => later('good'),
    });
    const first = record(world.recovery.recover(world.request()));
    world.passUntil(5);
    record(world.recovery.recover(world.request({ backingGroup: 0, holders: [1_000_000] })));
    world.scheduler.flush();
    expect(first.recovered?.from).toBe('systematic_chunks');
  });

  it.each([0, 5])(
    'bring backers who are asked last also where the first caller forced a plan without (after %i ms)',
    async (ms) => {
      const world = await RecoveryWorld.open({
        validatorCount: 7,
        groups: [[5], [6]],
        behaviour: ({ kind }) => later(kind === 'available_data' ? 'good' : 'no_such'),
      });
      const strategies = ['regular_chunks'] as const;
      const first = record(world.recovery.recover(world.request({ strategies, backingGroup: 1 })));
      world.passUntil(ms);
      record(world.recovery.recover(world.request({ backingGroup: 0 })));
      world.scheduler.flush();
      expect(world.network.dataAsked()).toEqual(['v5']);
      expect(first.recovered?.from).toBe('full_from_backers');
    },
  );

  it('do not bring backers where the caller who forced a plan is alone', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      groups: [[5]],
      behaviour: () => later('no_such'),
    });
    const { error } = world.run({ strategies: ['regular_chunks'], backingGroup: 0 });
    expect([codeOf(error), world.network.dataAsked()]).toEqual(['unavailable', []]);
  });
});

describe('holders', () => {
  it('are asked for everything like the members of the group, and never ourselves', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      groups: [[1]],
      ownValidatorIndex: 2,
      behaviour: ({ kind, index }) => (kind === 'chunk' || index === 4 ? 'good' : 'no_such'),
    });
    const { recovered } = world.run({ backingGroup: 0, holders: [2, 4] });
    expect(recovered?.from).toBe('full_from_backers');
    expect(world.network.dataAsked()).not.toContain('v2');
  });

  it.each([{ holders: 3 }, { holders: [1.5] }, { holders: [-1] }, { holders: ['1'] }])(
    'are indices: %o',
    async (fields) => {
      const world = await RecoveryWorld.open({ validatorCount: 7 });
      const { error } = world.run(fields as never);
      expect(String(error)).toMatch(/^(Type|Range)Error: holders: expected /);
    },
  );
});
