/**
 * @module
 * Every job alone and the whole jobs, on the plain engine and on ours with one thread and with two. Timed: from
 * bytes in memory to results in memory, as a caller has them. Not timed: making payload, chunks and proofs,
 * loading the hash, starting threads.
 */

import { afterAll, test } from 'vitest';
import { hashReady } from '../src/primitives/hash.ts';
import { ourSide } from './our-jobs.ts';
import type { JobRow } from './result-rows.ts';
import { fixture } from './support/fixture.ts';
import { rounded, storeRows } from './support/results.ts';
import { alternate, type Job, median, minimum, warmUp } from './support/rounds.ts';
import { PATIENCE_MS, roundsOr, SIZES, VALIDATORS } from './support/settings.ts';
import { JOB_NAMES, type JobName, plainSide, type Side } from './support/side.ts';
import { sizeText } from './support/sizes.ts';
import { plainTable, short } from './support/table.ts';

await hashReady();

/** The plain engine takes seconds per round where there is much to do. */
const MUCH_BYTES = 4 * 2 ** 20;

const stored: JobRow[] = [];

for (const validators of VALIDATORS) {
  for (const payloadBytes of SIZES) {
    test(`jobs n=${validators} size=${sizeText(payloadBytes)}`, {
      timeout: PATIENCE_MS,
    }, async () => {
      await using stack = new AsyncDisposableStack();
      const made = fixture(payloadBytes, validators);
      const sides = [plainSide(), ourSide(1), ourSide(2)].map((side) => stack.use(side));
      const prepared = sides.map((side) => ({ side, jobs: side.prepare(made) }));
      const rounds = roundsOr(payloadBytes > MUCH_BYTES ? 3 : 5);
      const rows: JobRow[] = [];
      for (const job of JOB_NAMES) {
        const runs = prepared.flatMap(({ side, jobs }): (readonly [string, Job])[] => {
          const run = jobs[job]?.run;
          return run === undefined ? [] : [[side.name, run]];
        });
        // The plain engine takes its time, and is compiled by its first run.
        await warmUp(...runs.slice(1).map(([, run]) => run));
        const times = await alternate(Object.fromEntries(runs), rounds);
        rows.push(...rowsOf(times, { job, payloadBytes, validators }));
      }
      process.stdout.write(`\n${tableOf(rows, sides)}\n`);
      stored.push(...rows);
    });
  }
}

afterAll(() => storeRows('jobs', stored));

function rowsOf(
  times: Readonly<Record<string, readonly number[]>>,
  place: Pick<JobRow, 'job' | 'payloadBytes' | 'validators'>,
): JobRow[] {
  return Object.entries(times).map(([engine, all]) => ({
    ...place,
    engine,
    minimumMs: rounded(minimum(all)),
    medianMs: rounded(median(all)),
  }));
}

function tableOf(rows: readonly JobRow[], sides: readonly Side[]): string {
  const head = sides.flatMap(({ name }, i) => [
    `${name} ms`,
    'median',
    ...(i === 0 ? [] : [`${sides[0]?.name} /`]),
  ]);
  const { payloadBytes = 0, validators = 0 } = rows[0] ?? {};
  const lines = [...new Set(rows.map(({ job }) => job))].map((job) => {
    const find = (side: Side): JobRow | undefined =>
      rows.find((row) => row.job === job && row.engine === side.name);
    const plain = find(sides[0]!)?.minimumMs ?? Number.NaN;
    const cells = sides.flatMap((side, i) => {
      const row = find(side);
      const ratio = plain / (row?.minimumMs ?? Number.NaN);
      return [short(row?.minimumMs), short(row?.medianMs), ...(i === 0 ? [] : [short(ratio)])];
    });
    return [benchName(job, payloadBytes, validators), ...cells];
  });
  return plainTable([['minima', ...head], ...lines]);
}

function benchName(job: JobName, payloadBytes: number, validators: number): string {
  return `coding/${job} n=${validators} size=${sizeText(payloadBytes)}`;
}
