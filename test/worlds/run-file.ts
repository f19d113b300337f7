/**
 * @module
 * Runs every world of a file in the preset of the reference and says which agree: what the worlds program
 * and the tests share.
 */

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { exactDifferences, freeDifferences } from './compare.ts';
import { nameOf, type World, type WorldsFile, worldsOf } from './format.ts';
import { runWorld } from './run-world.ts';

/**
 * Why a world may differ. The reference files a proven chunk of any index; ours takes an index from n
 * on for an invalid answer (recovery spec §3.4), so the same peer is fatal here and useful there.
 */
export type Departure = 'a proven chunk index of n or more is not filed';

/** A world that came out differently. */
export type Differed = {
  readonly world: number | string;
  readonly differences: readonly string[];
  /** Present where it is a known departure, not a fault. */
  readonly departure?: Departure;
};

/** What became of a file. */
export type WorldsReport = {
  readonly worlds: number;
  readonly agreed: number;
  readonly differed: readonly Differed[];
};

/** Seeds of the runs in an order of our own. */
const FREE_SEEDS: readonly number[] = [1];

/** Runs a world in the recorded order and in orders of our own. */
export async function checkWorld(
  world: World,
  seeds: readonly number[] = FREE_SEEDS,
): Promise<Differed | undefined> {
  const differences: string[] = [];
  let isDeparture = false;
  try {
    const recorded = await runWorld(world, { order: 'recorded' });
    differences.push(...exactDifferences(world, recorded));
    isDeparture = recorded.steps.some((step) => step.hasGivenSurplus);
    for (const seed of seeds) {
      const run = await runWorld(world, { order: { seed } });
      differences.push(...freeDifferences(world, run));
      isDeparture ||= run.steps.some((step) => step.hasGivenSurplus);
    }
  } catch (error: unknown) {
    differences.push(`stopped: ${String(error)}`);
  }
  if (differences.length === 0) {
    return undefined;
  }
  return {
    world: nameOf(world),
    differences,
    ...(isDeparture ? { departure: 'a proven chunk index of n or more is not filed' } : {}),
  };
}

/** Runs every world of a file. */
export async function runWorlds(file: WorldsFile): Promise<WorldsReport> {
  const worlds = worldsOf(file);
  const differed: Differed[] = [];
  for (const world of worlds) {
    const difference = await checkWorld(world);
    if (difference !== undefined) {
      differed.push(difference);
    }
  }
  return { worlds: worlds.length, agreed: worlds.length - differed.length, differed };
}

/** The parsed file that the arguments name. @throws when they name none that can be read. */
export function fileFrom(args: string[]): WorldsFile {
  const { values } = parseArgs({ args, options: { in: { type: 'string' } } });
  if (values.in === undefined || values.in === '') {
    throw new TypeError('--in: expected a file');
  }
  const file = JSON.parse(readFileSync(values.in, 'utf8')) as WorldsFile | null;
  if (!Array.isArray(file?.worlds) && !Array.isArray(file?.scenarios)) {
    throw new TypeError(`${values.in}: expected an object with worlds or scenarios`);
  }
  return file;
}
