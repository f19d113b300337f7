/**
 * @module
 * The first recovery of a fresh process. Timed: in a child that has imported the library and nothing else, from
 * making a recovery to the data of 100 KiB from chunks in memory: hash loaded, engine compiled, memory taken,
 * chunks proven, decoded and checked. Beside it the import itself, of sources whose types are stripped on the
 * way, and a later recovery of the same process. No option is set: workers may be started, and are not for so little.
 */

import { test } from 'vitest';
import { hashReady } from '../src/primitives/hash.ts';
import { tempFolder } from '../test/support/temp-folder.ts';
import type { ColdStartAnswer, ColdStartQuestion } from './children/cold-start.ts';
import type { ColdStartRow } from './result-rows.ts';
import { candidateOf, writeCandidates } from './support/candidate.ts';
import { startChild } from './support/child.ts';
import { fixture } from './support/fixture.ts';
import { rounded, storeRows } from './support/results.ts';
import { median, minimum } from './support/rounds.ts';
import { LARGEST, PATIENCE_MS, roundsOr } from './support/settings.ts';
import { sizeText } from './support/sizes.ts';
import { plainTable, short } from './support/table.ts';

const PAYLOAD_BYTES = 100 * 2 ** 10;
const CHILD = new URL('./children/cold-start.ts', import.meta.url);

test('cold start', { timeout: PATIENCE_MS }, async () => {
  await hashReady();
  await using folder = await tempFolder();
  const path = folder.at('candidates');
  const { validators } = LARGEST;
  writeCandidates(path, candidateOf(fixture(PAYLOAD_BYTES, validators), 64));
  const answers: ColdStartAnswer[] = [];
  const processes = roundsOr(11);
  for (let i = 0; i < processes; i += 1) {
    await using child = startChild(CHILD);
    answers.push(await child.ask<ColdStartAnswer>({ path } satisfies ColdStartQuestion));
  }
  const row: ColdStartRow = {
    payloadBytes: PAYLOAD_BYTES,
    validators,
    processes,
    importMs: rounded(median(answers.map(({ importMs }) => importMs))),
    firstMs: rounded(median(answers.map(({ firstMs }) => firstMs))),
    slowestMs: rounded(Math.max(...answers.map(({ firstMs }) => firstMs))),
    laterMs: rounded(median(answers.map(({ laterMs }) => minimum(laterMs)))),
  };
  const table = plainTable([
    ['median of processes', 'import ms', 'first ms', 'slowest first ms', 'later ms'],
    [
      `recovery/first n=${validators} size=${sizeText(PAYLOAD_BYTES)} processes=${processes}`,
      short(row.importMs),
      short(row.firstMs),
      short(row.slowestMs),
      short(row.laterMs),
    ],
  ]);
  process.stdout.write(`\n${table}\n`);
  storeRows('cold-start', [row]);
});
