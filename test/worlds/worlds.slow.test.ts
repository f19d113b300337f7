import { describe, expect, it } from 'vitest';
import { nameOf } from './format.ts';
import { RECORDED } from './recorded.ts';
import { checkWorld } from './run-file.ts';

const FIRST_SEED = Number(process.env['SEED'] ?? 1_000);
const ORDERS = 20;

describe('UPSTREAM, in orders of its own', () => {
  const worlds = (RECORDED.worlds ?? []).filter(({ cands }) => cands.every((c) => !c.extra));

  it(`keeps to the rules in ${ORDERS} orders of every world (seeds from ${FIRST_SEED})`, async () => {
    const seeds = Array.from({ length: ORDERS }, (_, i) => FIRST_SEED + i);
    for (const world of worlds) {
      expect(await checkWorld(world, seeds), `world ${nameOf(world)}`).toBeUndefined();
    }
  }, 120_000);
});
