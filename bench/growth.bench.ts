/**
 * @module
 * How the time of whole jobs grows on one thread: the exponent fitted to minima by least squares of logarithms, in
 * the bytes of the payload at the largest n, and in n·log n at one payload.
 */

import { afterAll, test } from 'vitest';
import { hashReady } from '../src/primitives/hash.ts';
import { ourSide } from './our-jobs.ts';
import type { GrowthRow } from './result-rows.ts';
import { fixture } from './support/fixture.ts';
import { rounded, storeRows } from './support/results.ts';
import { alternate, minimum, warmUp } from './support/rounds.ts';
import { LARGEST, PATIENCE_MS, roundsOr, SIZES } from './support/settings.ts';
import type { JobName } from './support/side.ts';
import { sizeText } from './support/sizes.ts';
import { plainTable, short } from './support/table.ts';

const JOBS = ['producer', 'checker', 'systematic_checked', 'one_missing_checked'] as const;

/** From the smallest session to one beyond all plans; each about 2.5 times the one before. */
const SESSIONS = [100, 250, 640, 1600, 4096].filter((n) => n <= 4 * LARGEST.validators + 96);

/** Payload at which n grows: chunks of 1,024 bytes at 4,096 validators. */
const PAYLOAD_BYTES = Math.min(2 ** 20, Math.max(...SIZES));

type Size = { readonly payloadBytes: number; readonly validators: number };

/** Minimum of each job at one size. */
async function minimaAt({ payloadBytes, validators }: Size): Promise<Map<JobName, number>> {
  await using side = ourSide(1);
  const prepared = side.prepare(fixture(payloadBytes, validators));
  const jobs = JOBS.map((job) => [job, prepared[job]?.run ?? (() => undefined)] as const);
  await warmUp(...jobs.map(([, run]) => run));
  const times = await alternate(Object.fromEntries(jobs), roundsOr(15));
  return new Map(JOBS.map((job) => [job, minimum(times[job] ?? [])]));
}

/** Slope of log y over log x. */
function exponentOf(points: readonly { readonly x: number; readonly y: number }[]): number {
  const logs = points.map(({ x, y }) => ({ x: Math.log(x), y: Math.log(y) }));
  const mean = (of: (log: { x: number; y: number }) => number): number =>
    logs.reduce((sum, log) => sum + of(log), 0) / logs.length;
  const [x0, y0] = [mean(({ x }) => x), mean(({ y }) => y)];
  return mean(({ x, y }) => (x - x0) * (y - y0)) / mean(({ x }) => (x - x0) ** 2);
}

const rows: GrowthRow[] = [];

async function grow(
  kind: GrowthRow['in'],
  sizes: readonly Size[],
  xOf: (size: Size) => number,
  atOf: (size: Size) => number,
): Promise<void> {
  await hashReady();
  const minima: Map<JobName, number>[] = [];
  for (const size of sizes) {
    minima.push(await minimaAt(size));
  }
  for (const job of JOBS) {
    const points = sizes.map((size, i) => ({
      size,
      x: xOf(size),
      y: minima[i]?.get(job) ?? Number.NaN,
    }));
    rows.push({
      job,
      in: kind,
      from: Math.min(...sizes.map(atOf)),
      to: Math.max(...sizes.map(atOf)),
      exponent: rounded(exponentOf(points)),
      points: points.map(({ size, y }) => ({ at: atOf(size), minimumMs: rounded(y) })),
    });
  }
}

test('growth in bytes', { timeout: PATIENCE_MS }, async () => {
  const sizes = SIZES.map((payloadBytes) => ({ payloadBytes, validators: LARGEST.validators }));
  const bytes = ({ payloadBytes }: Size): number => payloadBytes;
  await grow('bytes', sizes, bytes, bytes);
});

test('growth in n', { timeout: PATIENCE_MS }, async () => {
  const sizes = SESSIONS.map((validators) => ({ payloadBytes: PAYLOAD_BYTES, validators }));
  await grow(
    'n log n',
    sizes,
    ({ validators: n }) => n * Math.log(n),
    ({ validators }) => validators,
  );
});

afterAll(() => {
  const text = (row: GrowthRow, at: number): string =>
    row.in === 'bytes' ? sizeText(at) : String(at);
  const table = plainTable([
    ['one thread', 'exponent', 'minima ms'],
    ...rows.map((row) => [
      `growth/${row.job} in ${row.in}`,
      short(row.exponent),
      row.points.map(({ at, minimumMs }) => `${text(row, at)}: ${short(minimumMs)}`).join('  '),
    ]),
  ]);
  process.stdout.write(`\n${table}\n`);
  storeRows('growth', rows);
});
