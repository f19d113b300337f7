import { describe, expect, it } from 'vitest';
import { type RecoverySettings, STANDARD, UPSTREAM } from '../../src/recovery/settings.ts';
import type { World } from './format.ts';
import { RECORDED, STANDARD_SCENARIOS } from './recorded.ts';
import { runWorld, type WorldRun } from './run-world.ts';
import { rowOf, SCENARIO_ROWS } from './scenarios.ts';

/** The scenarios of the rows, as title and world. */
const numbered = (RECORDED.scenarios ?? []).flatMap((world) => {
  const { name = '' } = world;
  const row = rowOf(name);
  return row === undefined ? [] : [{ name, row, about: SCENARIO_ROWS[row]?.about ?? '?', world }];
});

/** V0 is ourselves in all of them (recovery spec §7.1). */
function run(world: World, settings: RecoverySettings): Promise<WorldRun> {
  return runWorld(world, { order: 'recorded', settings, ownValidatorIndex: 0 });
}

function shown({ steps }: WorldRun): readonly object[] {
  return steps.map(({ v, t }) => ({ v: v.length === 1 ? v[0] : { each: v }, t }));
}

function recorded({ steps, got }: World): readonly object[] {
  return got.map(({ v, t }, i) => {
    const { callers = 1 } = steps[i] ?? {};
    const isAlike = callers > 1 && (v === null || typeof v !== 'object' || !('each' in v));
    return { v: isAlike ? { each: Array.from({ length: callers }, () => v) } : v, t };
  });
}

/** The reference's settings with some options of ours. */
function upstreamWith(options: readonly (keyof RecoverySettings)[]): RecoverySettings {
  return {
    ...UPSTREAM,
    ...Object.fromEntries(options.map((option) => [option, STANDARD[option]])),
  };
}

describe('the numbered scenarios', () => {
  it('are all there: R1 to R26 and X1 to X10', () => {
    const rows = [
      ...Array.from({ length: 26 }, (_, i) => `R${i + 1}`),
      ...Array.from({ length: 10 }, (_, i) => `X${i + 1}`),
    ];
    expect(Object.keys(SCENARIO_ROWS)).toEqual(rows);
    expect([...new Set(numbered.map(({ row }) => row))].toSorted()).toEqual(rows.toSorted());
  });

  it('say in words where STANDARD differs, and only there', () => {
    const inWords = Object.keys(SCENARIO_ROWS).filter(
      (row) => SCENARIO_ROWS[row]?.standard !== undefined,
    );
    const inData = new Set(Object.keys(STANDARD_SCENARIOS).map(rowOf));
    expect(inWords.toSorted()).toEqual([...inData].toSorted());
  });
});

describe('UPSTREAM', () => {
  it.each(numbered)('$name: $about', async ({ world }) => {
    expect(shown(await run(world, UPSTREAM))).toEqual(recorded(world));
  });
});

describe('STANDARD', () => {
  it.each(numbered)('$name: $about', async ({ world, name }) => {
    const expected = STANDARD_SCENARIOS[name]?.steps ?? [];
    const asRecorded = recorded(world);
    expect(shown(await run(world, STANDARD))).toEqual(
      asRecorded.map((step, i) => expected[i] ?? step),
    );
  });

  it.each(Object.entries(STANDARD_SCENARIOS))(
    '%s: differs by the options named, all of them and no others',
    async (name, { because }) => {
      const world = numbered.find((each) => each.name === name)?.world;
      expect(world, name).toBeDefined();
      if (world === undefined) {
        return;
      }
      const standard = shown(await run(world, STANDARD));
      expect(shown(await run(world, upstreamWith(because)))).toEqual(standard);
      for (const option of because) {
        const fewer = because.filter((other) => other !== option);
        expect(shown(await run(world, upstreamWith(fewer))), option).not.toEqual(standard);
      }
    },
  );
});
