/**
 * @module
 * Resident memory of checked recoveries of the largest payload, each case in a process of its own, above what the
 * process had with all chunks in memory and nothing recovered: one, many one after the other, and sixteen at once.
 */

import { afterAll, test } from 'vitest';
import { hashReady } from '../src/primitives/hash.ts';
import { tempFolder } from '../test/support/temp-folder.ts';
import type { MemoryAnswer, MemoryQuestion } from './children/memory.ts';
import type { MemoryRow } from './result-rows.ts';
import { candidateOf, writeCandidates } from './support/candidate.ts';
import { startChild } from './support/child.ts';
import { fixture } from './support/fixture.ts';
import { rounded, storeRows } from './support/results.ts';
import { IS_STORING, LARGEST, PATIENCE_MS, roundsOr } from './support/settings.ts';
import { sizeText } from './support/sizes.ts';
import { plainTable, short } from './support/table.ts';

const CHILD = new URL('./children/memory.ts', import.meta.url);
const MIB = 2 ** 20;

/** More than are ever asked at once, so that those that run together differ. */
const CANDIDATES = 64;

const CASES = [
  { threads: 1, recoveries: 1, atOnce: 1 },
  { threads: 1, recoveries: roundsOr(IS_STORING ? 1000 : 50), atOnce: 1 },
  { threads: 1, recoveries: 16, atOnce: 16 },
  { threads: 2, recoveries: 1, atOnce: 1 },
  { threads: 2, recoveries: 16, atOnce: 16 },
];

const rows: MemoryRow[] = [];

for (const { threads, recoveries, atOnce } of CASES) {
  const name = `memory threads=${threads} recoveries=${recoveries} atOnce=${atOnce}`;
  test(name, { timeout: PATIENCE_MS }, async () => {
    await hashReady();
    await using folder = await tempFolder();
    const path = folder.at('candidates');
    const { payloadBytes, validators } = LARGEST;
    writeCandidates(path, candidateOf(fixture(payloadBytes, validators), CANDIDATES));
    await using child = startChild(CHILD, ['--expose-gc']);
    const question: MemoryQuestion = { path, threads, recoveries, atOnce };
    const { peakBytes, restingBytes, isPeakExact } = await child.ask<MemoryAnswer>(question);
    const mib = (bytes: number | undefined): number => rounded((bytes ?? Number.NaN) / MIB);
    rows.push({
      payloadBytes,
      validators,
      threads,
      recoveries,
      atOnce,
      peakMiB: mib(peakBytes),
      restingAfterTenthMiB: mib(restingBytes[0]),
      restingMiB: mib(restingBytes.at(-1)),
      isPeakExact,
    });
  });
}

afterAll(() => {
  const table = plainTable([
    ['resident memory above the start', 'peak MiB', 'after a tenth MiB', 'at the end MiB'],
    ...rows.map((row) => [
      `recovery/memory n=${row.validators} size=${sizeText(row.payloadBytes)} threads=${row.threads} recoveries=${row.recoveries} atOnce=${row.atOnce}`,
      `${short(row.peakMiB)}${row.isPeakExact ? '' : ' (sampled)'}`,
      short(row.restingAfterTenthMiB),
      short(row.restingMiB),
    ]),
  ]);
  process.stdout.write(`\n${table}\n`);
  storeRows('memory', rows);
});
