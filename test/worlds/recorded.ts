/**
 * @module
 * The recordings that are kept here, and what is said about them beside the file itself.
 */

import { readFileSync } from 'node:fs';
import type { RecoverySettings } from '../../src/recovery/settings.ts';
import type { Verdict, World, WorldsFile } from './format.ts';

function load(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
}

/** 400 generated worlds and 89 scenarios; `provenance` in the file says how they were made. */
export const RECORDED: WorldsFile = load('upstream-worlds.json') as WorldsFile;

/** What a scenario comes to in the default preset, where that is not what was recorded. */
export type StandardScenario = {
  /** The options that make the difference: these and no fewer, on top of the reference's. */
  readonly because: readonly (keyof RecoverySettings)[];
  /** Per step; `null` where it is as recorded. */
  readonly steps: readonly ({ readonly v: Verdict; readonly t: readonly string[] } | null)[];
};

/** By the scenario's name. The recording's order of sources, with V0 known to be ourselves. */
export const STANDARD_SCENARIOS: Readonly<Record<string, StandardScenario>> = load(
  'standard-scenarios.json',
) as Record<string, StandardScenario>;

/** A world in which the preset of the reference does not do as the reference did, and why. */
export type DocumentedDeparture = {
  readonly world: number;
  readonly reason: string;
  /** Verdicts and lines of its first step here. */
  readonly here: { readonly v: World['got'][number]['v']; readonly t: readonly string[] };
};

const SURPLUS =
  'a chunk whose proven index is n or more counts as invalid, so its sender is not asked again and ' +
  'the collecting goes on; the reference files it, and its decoder then refuses the index (recovery ' +
  'spec §3.4)';

/** All of them. Worlds 105 and 295 have such leaves too, but nobody sends one in the recorded order. */
export const DEPARTURES: readonly DocumentedDeparture[] = [
  {
    world: 86,
    reason: SURPLUS,
    here: {
      v: 'invalid',
      t: ['rs', 'rf', 'rp', 'qa', 'qc', 'r 2 1 4 10', 'r 6 5', 'r 3 7', 'r 0 9', 'r 8'],
    },
  },
  {
    world: 365,
    reason: SURPLUS,
    here: {
      v: 'invalid',
      t: [
        ...['rs', 'rf', 'rp', 'qa', 'f 16', 'f 14', 'f 1', 'qc', 's 41 40 39 38 37 36 1 0', 'qc'],
        'r 5 25 20 18 31 29 7 12 27 13 3 10',
        'r 23 4 28 0 22 8 26 11 16 24 17 34 33 39',
        ...['r 35 32 30 21', 'r 19 15 14 6', 'r 2 23 39 19'],
      ],
    },
  },
];

/**
 * Worlds that ask for one candidate in two sessions. The reference knows a recovery by its candidate
 * alone; ours by candidate, session, check mode and use of the store. The runner asks again under the first
 * session, so that everything else of these worlds is compared all the same.
 */
export const ASKED_IN_TWO_SESSIONS: readonly number[] = [
  10, 22, 32, 35, 41, 86, 87, 95, 104, 115, 119, 147, 169, 183, 207, 219, 222, 252, 253, 256, 268,
  302, 343, 350, 354, 392,
];
