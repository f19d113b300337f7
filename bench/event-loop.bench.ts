/**
 * @module
 * How late the turns of the calling thread begin while recoveries of the largest payload run one after the other:
 * with workers, and without, where the calling thread does all the work itself.
 */

import { afterAll, test } from 'vitest';
import { hashReady } from '../src/primitives/hash.ts';
import { tempFolder } from '../test/support/temp-folder.ts';
import type { EventLoopAnswer, EventLoopQuestion } from './children/event-loop.ts';
import type { EventLoopRow } from './result-rows.ts';
import { candidateOf, writeCandidates } from './support/candidate.ts';
import { startChild } from './support/child.ts';
import { fixture } from './support/fixture.ts';
import { rounded, storeRows } from './support/results.ts';
import { LARGEST, PATIENCE_MS, roundsOr } from './support/settings.ts';
import { sizeText } from './support/sizes.ts';
import { plainTable, short } from './support/table.ts';

const CHILD = new URL('./children/event-loop.ts', import.meta.url);
const CANDIDATES = 64;

const rows: EventLoopRow[] = [];

for (const workers of [0, 1]) {
  test(`event loop workers=${workers}`, { timeout: PATIENCE_MS }, async () => {
    await hashReady();
    await using folder = await tempFolder();
    const path = folder.at('candidates');
    const { payloadBytes, validators } = LARGEST;
    writeCandidates(path, candidateOf(fixture(payloadBytes, validators), CANDIDATES));
    await using child = startChild(CHILD);
    const question: EventLoopQuestion = { path, workers, recoveries: roundsOr(30) };
    const answer = await child.ask<EventLoopAnswer>(question);
    rows.push({
      payloadBytes,
      validators,
      workers,
      p50Ms: rounded(answer.p50Ms),
      p99Ms: rounded(answer.p99Ms),
      worstMs: rounded(answer.worstMs),
      recoveryMs: rounded(answer.recoveryMs),
    });
  });
}

afterAll(() => {
  const table = plainTable([
    ['lateness of turns', 'p50 ms', 'p99 ms', 'worst ms', 'one recovery ms'],
    ...rows.map((row) => [
      `recovery/event-loop n=${row.validators} size=${sizeText(row.payloadBytes)} workers=${row.workers}`,
      short(row.p50Ms),
      short(row.p99Ms),
      short(row.worstMs),
      short(row.recoveryMs),
    ]),
  ]);
  process.stdout.write(`\n${table}\n`);
  storeRows('event-loop', rows);
});
