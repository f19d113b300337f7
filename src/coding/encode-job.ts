/**
 * @module
 * Jobs that begin with a payload in the arena: all chunk rows and their hashes, or the hashes alone. The
 * hashes go to the leaves of the erasure trie, which whoever runs the job builds afterwards.
 */

import type { ColumnRange, OutputRows } from '../erasure/kernel/index.ts';
import { type CodeLayout, type RegionCutter, rowAddresses } from './code-layout.ts';
import { cutColumns, cutCount } from './job-cutting.ts';
import { encodeCostMs, hashCostMs } from './planner.ts';
import { HASH_STEP, type JobSettings, kernelOption, RowGroups } from './row-groups.ts';
import type { Job, Task } from './tasks.ts';

/** Where the parts of an encode job lie. */
export type EncodePlaces = {
  readonly layout: CodeLayout;
  /** Address of the payload, zeros behind it up to `payloadSpace`. */
  readonly payload: number;
  /** By chunk index: where its hash goes. */
  readonly digests: Uint32Array;
};

/** Payload → all chunk rows, whole, and their hashes. */
export function produceJob(
  { layout, payload, digests }: EncodePlaces,
  chunks: OutputRows,
  settings: JobSettings,
): Job {
  const { columns, chunkBytes, validatorCount } = layout;
  const whole = { from: 0, to: columns };
  const rows = rowAddresses(chunks, allIndices(validatorCount));
  const { threads, costs } = settings;
  const costMs = hashCostMs(costs, validatorCount, chunkBytes);
  const hashing = cutCount(validatorCount, { costMs, threads }, HASH_STEP).map(
    ({ from, to }): Task => ({
      type: 'hash_rows',
      job: {
        rows: rows.slice(from, to),
        bytes: chunkBytes,
        digests: digests.slice(from, to),
        ...kernelOption(settings),
      },
    }),
  );
  const encoding = encodeTasks({ layout, payload, columns: whole, chunks, settings });
  return { stages: [encoding, hashing], cost: costMs + encodeCostMs(costs, layout, whole) };
}

/** Cuts the parts from a region that {@link digestsJob} will need. */
export function digestsSpace(
  layout: CodeLayout,
  region: RegionCutter,
  settings: JobSettings,
): RowGroups {
  return new RowGroups(layout, settings, region);
}

/** Payload → the hashes of all chunks; the rows themselves are not kept. */
export function digestsJob(
  { layout, payload, digests }: EncodePlaces,
  region: RegionCutter,
  settings: JobSettings,
): Job {
  const { costs } = settings;
  const groups = digestsSpace(layout, region, settings);
  const hashed = { indices: allIndices(layout.validatorCount), digests };
  const stages = groups.stages(hashed, (columns, chunks) =>
    encodeTasks({ layout, payload, columns, chunks, settings }),
  );
  const whole = { from: 0, to: layout.columns };
  const hashMs = hashCostMs(costs, layout.validatorCount, layout.chunkBytes);
  return { stages, cost: hashMs + encodeCostMs(costs, layout, whole) };
}

/** Tasks that write all chunk rows of some columns of a payload. */
export function encodeTasks(part: {
  readonly layout: CodeLayout;
  readonly payload: number;
  readonly columns: ColumnRange;
  readonly chunks: OutputRows;
  readonly settings: JobSettings;
}): Task[] {
  const { layout, payload, chunks, settings } = part;
  const { validatorCount } = layout;
  const costMs = encodeCostMs(settings.costs, layout, part.columns);
  const cut = { costMs, threads: settings.threads };
  return cutColumns(part.columns, layout.stripe, cut).map(
    (columns): Task => ({ type: 'encode', job: { validatorCount, payload, chunks, columns } }),
  );
}

/** The indices of the last count that was asked for: most jobs of a process are of one session. */
let indices: readonly number[] = [];

function allIndices(count: number): readonly number[] {
  if (indices.length !== count) {
    indices = Array.from({ length: count }, (_, i) => i);
  }
  return indices;
}
