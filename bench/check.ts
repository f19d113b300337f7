/**
 * @module
 * `npm run bench:check`: fails when the kernel has lost a quarter of its lead. Ratios of one run only, of minima of
 * alternating rounds: each job on the plain engine over the same job on ours, and a yardstick that is not ours
 * (single hashes by the library) over each job on ours, so that what slows both engines shows too. Each is held
 * against `baseline.json`.
 *
 * `--update` writes the baseline instead. Exit code: 0 when every ratio is above three quarters of its baseline,
 * 1 when one is not; 0 with a line when the host has another engine than the baseline.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blake2b256, hashReady } from '../src/primitives/hash.ts';
import { ourSide } from './our-jobs.ts';
import { readOptions, runScript } from './support/arguments.ts';
import { fixture } from './support/fixture.ts';
import { type Machine, thisMachine } from './support/machine.ts';
import { rounded } from './support/results.ts';
import { alternate, type Job, minimum, warmUp } from './support/rounds.ts';
import { type JobName, plainSide } from './support/side.ts';
import { plainTable, short } from './support/table.ts';

/** What is kept. */
type Baseline = {
  /** Engine and threads. */
  readonly engine: string;
  readonly machine: Machine;
  /** By name of the ratio. */
  readonly ratios: Readonly<Record<string, number>>;
};

const PATH = join(import.meta.dirname, 'baseline.json');

/** Large enough for its parts to show, small enough for many rounds of the plain engine. */
const PAYLOAD_BYTES = 2 ** 20;
const VALIDATORS = 300;
const ROUNDS = 15;

/**
 * While a ratio is too low the rounds go on, to this many times as many: what is slow for a while has its
 * minima come down, what has become slow stays.
 */
const MOST_BATCHES = 4;

const JOBS: readonly JobName[] = [
  'encode',
  'producer',
  'checker',
  'systematic',
  'systematic_checked',
  'one_missing',
  'decode_k',
];

/** A ratio below this share of its baseline fails. */
const LEAST_SHARE = 0.75;

/** A measurement that goes on: minima over all rounds so far. */
type Measurement = AsyncDisposable & {
  readonly engine: string;
  /** Runs more rounds; the ratios of the minima by name. */
  more(rounds: number): Promise<ReadonlyMap<string, number>>;
};

async function startMeasurement(): Promise<Measurement> {
  const [plain, ours] = [plainSide(), ourSide(1)];
  const made = fixture(PAYLOAD_BYTES, VALIDATORS);
  const jobs: Record<string, Job> = {
    yardstick: () => made.chunkBytes.map((bytes) => blake2b256(bytes)),
  };
  const [plainJobs, ourJobs] = [plain.prepare(made), ours.prepare(made)];
  for (const job of JOBS) {
    jobs[`plain ${job}`] = plainJobs[job]?.run ?? (() => undefined);
    jobs[`ours ${job}`] = ourJobs[job]?.run ?? (() => undefined);
  }
  await warmUp(...JOBS.map((job) => jobs[`ours ${job}`] as Job));
  const minima = new Map<string, number>();
  return {
    engine: ours.name,
    more: async (rounds) => {
      for (const [name, times] of Object.entries(await alternate(jobs, rounds))) {
        minima.set(name, Math.min(minima.get(name) ?? Number.POSITIVE_INFINITY, minimum(times)));
      }
      return ratiosOf(minima);
    },
    [Symbol.asyncDispose]: async () => {
      await ours[Symbol.asyncDispose]();
    },
  };
}

function ratiosOf(minima: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  const least = (name: string): number => minima.get(name) ?? Number.NaN;
  return new Map(
    JOBS.flatMap((job) => [
      [`plain / ours ${job}`, least(`plain ${job}`) / least(`ours ${job}`)] as const,
      [`yardstick / ours ${job}`, least('yardstick') / least(`ours ${job}`)] as const,
    ]),
  );
}

type Compared = {
  readonly name: string;
  readonly ratio: number;
  readonly kept: number;
  readonly share: number;
  readonly isLow: boolean;
};

function compare(ratios: ReadonlyMap<string, number>, baseline: Baseline): readonly Compared[] {
  return [...ratios].map(([name, ratio]) => {
    const kept = baseline.ratios[name] ?? 0;
    const share = ratio / kept;
    return { name, ratio, kept, share, isLow: share < LEAST_SHARE };
  });
}

async function main(): Promise<number> {
  const { update } = readOptions({ update: 'boolean' });
  await hashReady();
  await using measurement = await startMeasurement();
  const { engine } = measurement;
  if (update) {
    const ratios = await measurement.more(MOST_BATCHES * ROUNDS);
    const kept = Object.fromEntries([...ratios].map(([name, ratio]) => [name, rounded(ratio)]));
    const baseline: Baseline = { engine, machine: thisMachine(), ratios: kept };
    writeFileSync(PATH, `${JSON.stringify(baseline, null, 2)}\n`);
    return 0;
  }
  const baseline = JSON.parse(readFileSync(PATH, 'utf8')) as Baseline;
  if (baseline.engine !== engine) {
    process.stdout.write(
      `skipped: the baseline is of ${baseline.engine}, and this host runs ${engine}\n`,
    );
    return 0;
  }
  let rows = compare(await measurement.more(ROUNDS), baseline);
  for (let batch = 1; batch < MOST_BATCHES && rows.some(({ isLow }) => isLow); batch += 1) {
    rows = compare(await measurement.more(ROUNDS), baseline);
  }
  const table = plainTable([
    ['ratio', 'now', 'baseline', 'share', ''],
    ...rows.map(({ name, ratio, kept, share, isLow }) => [
      name,
      short(ratio),
      short(kept),
      share.toFixed(2),
      isLow ? 'TOO LOW' : '',
    ]),
  ]);
  process.stdout.write(`${table}\n`);
  return rows.some(({ isLow }) => isLow) ? 1 : 0;
}

await runScript(main);
