import { describe, expect, it } from 'vitest';
import { STANDARD, UPSTREAM } from '../../src/recovery/settings.ts';
import { exactDifferences } from './compare.ts';
import { nameOf, type World, worldsOf } from './format.ts';
import { ASKED_IN_TWO_SESSIONS, DEPARTURES, RECORDED } from './recorded.ts';
import { checkWorld, runWorlds } from './run-file.ts';
import { runWorld } from './run-world.ts';

const SEED = Number(process.env['SEED'] ?? 7);
const worlds = RECORDED.worlds ?? [];
const scenarios = RECORDED.scenarios ?? [];
/** Worlds whose candidates have leaves beyond n. */
const surplus = worlds.filter(({ cands }) => cands.some(({ extra }) => extra !== undefined));
const isPlain = (world: World): boolean => !surplus.includes(world);

function titled(all: readonly World[]): readonly (readonly [string, World])[] {
  return all.map((world) => [`${nameOf(world)} (${world.kind}, n = ${world.n})`, world]);
}

describe('UPSTREAM', () => {
  it('is held against 400 worlds and 89 scenarios', () => {
    expect([worlds.length, scenarios.length]).toEqual([400, 89]);
  });

  it.each(titled(scenarios))('does as the reference did in scenario %s', async (_name, world) => {
    expect(await checkWorld(world, [SEED])).toBeUndefined();
  });

  it.each(titled(worlds.filter(isPlain)))(
    `does as the reference did in world %s, and keeps to the rules in an order of its own (seed ${SEED})`,
    async (_name, world) => {
      expect(await checkWorld(world, [SEED])).toBeUndefined();
    },
  );

  it.each(DEPARTURES)('departs in world $world, as documented', async ({ world, here }) => {
    const recorded = worlds.find(({ id }) => id === world);
    expect(recorded).toBeDefined();
    if (recorded !== undefined) {
      const { steps } = await runWorld(recorded, { order: 'recorded' });
      expect(steps[0]).toMatchObject({ v: [here.v], t: here.t, hasGivenSurplus: true });
    }
  });

  it.each(titled(surplus.filter(({ id }) => !DEPARTURES.some(({ world }) => world === id))))(
    'does as the reference did in world %s, in the recorded order',
    async (_name, world) => {
      expect(await checkWorld(world, [])).toBeUndefined();
    },
  );

  it('departs only where somebody may send a proven index of n or more', () => {
    expect(surplus.map(nameOf)).toEqual([86, 105, 295, 365]);
  });

  it('is asked under the first session where a candidate has two', () => {
    const inTwo = worlds.filter(({ steps }) => {
      const asked = new Set(steps.map(({ cand = 0, session = 10 }) => `${cand} ${session}`));
      return asked.size > new Set(steps.map(({ cand = 0 }) => cand)).size;
    });
    expect(inTwo.map(nameOf)).toEqual(ASKED_IN_TWO_SESSIONS);
  });
});

describe('each position of UPSTREAM', () => {
  /** Positions that no recording can tell apart, and why. */
  const unseen: Readonly<Record<string, string>> = {
    systematicFailure: 'no recorded kind checks the PoV hash of systematic chunks',
    totalBackerTimeMs: 'no backer of the recordings is silent',
    storeTimeoutMs: 'no store of the recordings is silent',
    sizeLimitBytes: 'every recorded kind with a limit that matters names it',
  };
  it('that no recording can tell is a difference all the same', () => {
    expect(Object.keys(unseen).filter((option) => !options.some((o) => o === option))).toEqual([]);
  });

  const options = (Object.keys(UPSTREAM) as (keyof typeof UPSTREAM)[]).filter(
    (option) => JSON.stringify(UPSTREAM[option]) !== JSON.stringify(STANDARD[option]),
  );

  it.each(options.filter((option) => !(option in unseen)))(
    'is told from that of STANDARD by a recording: %s',
    async (option) => {
      const settings = { ...UPSTREAM, [option]: STANDARD[option] };
      for (const world of worldsOf(RECORDED)) {
        const run = await runWorld(world, { order: 'recorded', settings });
        if (isPlain(world) && exactDifferences(world, run).length > 0) {
          return;
        }
      }
      expect.fail(`no recording differs with ${option} of STANDARD`);
    },
  );
});

describe('runWorlds', () => {
  const [world] = worlds.filter(({ id }) => id === 7);

  it('reports what agreed', async () => {
    expect(await runWorlds({ worlds: worlds.slice(1, 4) })).toEqual({
      worlds: 3,
      agreed: 3,
      differed: [],
    });
  });

  it('reports a verdict, a line, a count and an identity that differ', async () => {
    expect(world).toBeDefined();
    if (world === undefined) {
      return;
    }
    const [got] = world.got;
    const [id] = world.ids;
    const spoiled: readonly World[] = [
      { ...world, id: 1, got: world.got.map((each) => ({ ...each, v: 'invalid' })) },
      { ...world, id: 2, got: [{ v: 'data', t: [...(got?.t ?? []), 'qc'], count: [0, 2, 0] }] },
      { ...world, id: 3, m: { ...world.m, bytes: 1 } },
      { ...world, id: 4, ids: [[id?.[0] ?? '', 'ff'.repeat(32)]] },
    ];
    const report = await runWorlds({ worlds: spoiled });
    expect(report).toMatchObject({ worlds: 4, agreed: 0 });
    expect(report.differed.map((each) => [each.world, each.differences[0]?.split(' ')[0]])).toEqual(
      [
        [1, 'step'],
        [2, 'step'],
        [3, 'bytes:'],
        [4, 'stopped:'],
      ],
    );
    expect(report.differed.every(({ departure }) => departure === undefined)).toBe(true);
  });

  it('marks a documented departure as one', async () => {
    const report = await runWorlds({ worlds: worlds.filter(({ id }) => id === 86) });
    expect(report.differed).toMatchObject([
      { world: 86, departure: 'a proven chunk index of n or more is not filed' },
    ]);
  });
});
