/**
 * @module
 * What a caller waits for after the last chunk: chunks are copied and hashed as they arrive, so only decoding and
 * the check are left. Timed: from handing in the last of k random chunks, the others being proven, to the
 * payload whose root was compared; beside it the whole job, all chunks handed in at once.
 */

import { afterAll, test } from 'vitest';
import { hashReady } from '../src/primitives/hash.ts';
import { arrivalRunner, ourSide } from './our-jobs.ts';
import type { ArrivalRow } from './result-rows.ts';
import { fixture } from './support/fixture.ts';
import { rounded, storeRows } from './support/results.ts';
import { minimum, timeOf } from './support/rounds.ts';
import { LARGEST, PATIENCE_MS, roundsOr, SIZES } from './support/settings.ts';
import { sizeText } from './support/sizes.ts';
import { plainTable, short } from './support/table.ts';

const WARM_UPS = 6;

const rows: ArrivalRow[] = [];

for (const payloadBytes of SIZES) {
  for (const threads of [1, 2]) {
    const name = `arrival size=${sizeText(payloadBytes)} threads=${threads}`;
    test(name, { timeout: PATIENCE_MS }, async () => {
      await hashReady();
      const { validators } = LARGEST;
      const made = fixture(payloadBytes, validators);
      using runner = arrivalRunner(made, threads);
      await using side = ourSide(threads);
      const whole = side.prepare(made).checker;
      if (whole === undefined) {
        throw new Error('our side has the whole job');
      }
      const [last, all]: [number[], number[]] = [[], []];
      const rounds = roundsOr(11);
      for (let round = -WARM_UPS; round < rounds; round += 1) {
        const waiting = await runner.await();
        last.push(await timeOf(() => waiting.finish()));
        all.push(await timeOf(whole.run));
      }
      rows.push({
        payloadBytes,
        validators,
        threads,
        lastChunkMs: rounded(minimum(last.slice(WARM_UPS))),
        wholeMs: rounded(minimum(all.slice(WARM_UPS))),
      });
    });
  }
}

afterAll(() => {
  const table = plainTable([
    ['minima', 'after the last chunk ms', 'whole job ms', 'share'],
    ...rows.map((row) => [
      `checker/arrival n=${row.validators} size=${sizeText(row.payloadBytes)} threads=${row.threads}`,
      short(row.lastChunkMs),
      short(row.wholeMs),
      short(row.lastChunkMs / row.wholeMs),
    ]),
  ]);
  process.stdout.write(`\n${table}\n`);
  storeRows('arrival', rows);
});
