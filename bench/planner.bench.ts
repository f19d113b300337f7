/**
 * @module
 * Every way to decode on the same chunks, on one thread: where coefficient rows end to pay against blocks, and
 * encoding again against revealing. Beside them what the planner chose. Timed: chunks in memory → payload in memory
 * (and root), without proofs.
 */

import { afterAll, test } from 'vitest';
import type { DecodePath } from '../src/coding/erasure-work.ts';
import { hashReady } from '../src/primitives/hash.ts';
import { type DecodeRunner, decodeRunner } from './our-jobs.ts';
import type { PlannerRow } from './result-rows.ts';
import { chunksAt, type Fixture, fixture, pick, withoutFirst } from './support/fixture.ts';
import { rounded, storeRows } from './support/results.ts';
import { alternate, minimum, warmUp } from './support/rounds.ts';
import { LARGEST, PATIENCE_MS, roundsOr, SIZES } from './support/settings.ts';
import { sizeText } from './support/sizes.ts';
import { plainTable, short } from './support/table.ts';

/** Missing chunks, close together where the paths meet. */
const MISSING = [1, 2, 4, 8, 12, 14, 16, 18, 20, 24, 28, 32];

/** Sessions of different rates: 744, 510, 236 and 68 of the chunks are parity. */
const SESSIONS = [1000, 766, 300, 100].filter((n) => n <= LARGEST.validators);

const rows: PlannerRow[] = [];

type Case = Pick<PlannerRow, 'missing' | 'isChecked'> & {
  readonly made: Fixture;
  readonly indices: readonly number[];
  readonly paths: readonly DecodePath[];
};

async function compare({ made, indices, isChecked, missing, paths }: Case): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const runners = new Map<string, DecodeRunner>(
    [undefined, ...paths].map((path) => [path ?? 'planner', stack.use(decodeRunner(made, path))]),
  );
  const chunks = chunksAt(made, indices);
  const jobs = [...runners].map(([name, runner]) => {
    return [name, () => runner.decode(chunks, isChecked)] as const;
  });
  await warmUp(...jobs.map(([, run]) => run));
  const times = await alternate(Object.fromEntries(jobs), roundsOr(9));
  for (const [path, runner] of runners) {
    rows.push({
      payloadBytes: made.payload.length,
      validators: made.validatorCount,
      ...(missing === undefined ? {} : { missing }),
      isChecked,
      path,
      taken: runner.taken() ?? 'none',
      minimumMs: rounded(minimum(times[path] ?? [])),
    });
  }
}

for (const payloadBytes of [...new Set([Math.min(...SIZES), 2.5 * 2 ** 20, Math.max(...SIZES)])]) {
  if (!SIZES.includes(payloadBytes)) {
    continue;
  }
  test(`planner rows or blocks size=${sizeText(payloadBytes)}`, {
    timeout: PATIENCE_MS,
  }, async () => {
    await hashReady();
    const made = fixture(payloadBytes, LARGEST.validators);
    for (const missing of MISSING) {
      const indices = withoutFirst(made, missing);
      if (missing <= made.systematicThreshold && indices.every((i) => i < made.validatorCount)) {
        await compare({ made, missing, indices, isChecked: false, paths: ['rows', 'blocks'] });
      }
    }
  });

  test(`planner blocks or reveal size=${sizeText(payloadBytes)}`, {
    timeout: PATIENCE_MS,
  }, async () => {
    await hashReady();
    for (const validators of SESSIONS) {
      const made = fixture(payloadBytes, validators);
      const indices = pick(validators, made.systematicThreshold);
      await compare({ made, indices, isChecked: true, paths: ['blocks', 'reveal'] });
    }
  });
}

afterAll(() => {
  const cases = Map.groupBy(rows, (row) =>
    [
      `decode/${row.missing === undefined ? 'random' : `missing=${row.missing}`}`,
      `${row.isChecked ? 'with root ' : ''}n=${row.validators} size=${sizeText(row.payloadBytes)}`,
    ].join(' '),
  );
  const cell = (of: readonly PlannerRow[], path: string): string =>
    short(of.find((row) => row.path === path)?.minimumMs);
  const table = plainTable([
    ['minima', 'rows ms', 'blocks ms', 'reveal ms', 'planner ms', 'it took'],
    ...[...cases].map(([name, of]) => [
      name,
      ...['rows', 'blocks', 'reveal', 'planner'].map((path) => cell(of, path)),
      of.find(({ path }) => path === 'planner')?.taken ?? '',
    ]),
  ]);
  process.stdout.write(`\n${table}\n`);
  storeRows('planner', rows);
});
