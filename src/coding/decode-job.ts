/**
 * @module
 * Jobs that turn proven chunk rows in the arena into a payload, by any of the kernel's paths, and where
 * it is wanted into the hashes of the other positions of its codeword. Which path is the planner's choice.
 *
 * What is hashed is encoded from the payload as it was written, and is k positions or more: so a root that
 * is right vouches for the payload itself, whatever a kernel may have done wrong on the way to it.
 */

import {
  type ColumnRange,
  coefficientRows,
  decodePlan,
  type OutputRows,
} from '../erasure/kernel/index.ts';
import { type CodeLayout, codeParameters, type RegionCutter } from './code-layout.ts';
import { encodeTasks } from './encode-job.ts';
import { cutColumns } from './job-cutting.ts';
import { hashCostMs, type KernelPath, missingBelow, type PathCost } from './planner.ts';
import { type JobSettings, RowGroups } from './row-groups.ts';
import type { Job, Stage, Task } from './tasks.ts';

/** A decode: from which rows, by which path. */
export type DecodeWork = PathCost & {
  readonly layout: CodeLayout;
  /** Positions to decode from, ascending. */
  readonly used: readonly number[];
  /** Address of each used row, in that order. */
  readonly rows: Uint32Array;
  /** Address with room for `payloadSpace`; the first `payloadBytes` are the payload afterwards. */
  readonly payload: number;
  /** By chunk index: where the hashes of {@link freshPositions} go. Absent: no hashes. */
  readonly digests?: Uint32Array;
};

/** The tasks of a path over some columns. Rows to be hashed are written to `chunks`. */
type MakeTasks = (columns: ColumnRange, chunks: OutputRows | undefined) => readonly Task[];

/** How a path is done: what comes before all groups, and what is done for each. */
type PathParts = { readonly before: readonly Stage[]; readonly make: MakeTasks };

/**
 * The positions that a decode with hashes makes anew: all that were not used. Where they are revealed, the
 * parity among them does not come from the payload, so the data rows are made and hashed from it, all k.
 */
export function freshPositions({
  layout,
  used,
  path,
}: Pick<DecodeWork, 'layout' | 'used' | 'path'>): readonly number[] {
  const { systematicThreshold: k, validatorCount } = layout;
  const kept = path === 'reveal' ? used.filter((position) => position >= k) : used;
  return missingBelow(kept, validatorCount);
}

/**
 * The job of a decode. Parts that it needs besides are cut from the region: a few rows, and buffers for
 * groups where hashes are wanted.
 */
export function decodeJob(work: DecodeWork, region: RegionCutter, settings: JobSettings): Job {
  const { layout, digests } = work;
  const parts = PATHS[work.path](work, region, settings);
  if (digests === undefined) {
    const stages = [...parts.before, parts.make({ from: 0, to: layout.columns }, undefined)];
    return { stages, cost: work.costMs };
  }
  const fresh = freshPositions(work);
  const { costs } = settings;
  const groups = new RowGroups(layout, settings, region);
  const grouped = { indices: fresh, digests: digestsOf(digests, fresh) };
  return {
    stages: [...parts.before, ...groups.stages(grouped, parts.make)],
    cost: work.costMs + hashCostMs(costs, fresh.length, layout.chunkBytes),
  };
}

/**
 * Cuts the parts from a region that {@link decodeJob} will need, so that their size is known before there
 * is memory.
 */
export function decodeSpace(
  work: Pick<DecodeWork, 'layout' | 'used' | 'path'> & { readonly wantsRoot: boolean },
  region: RegionCutter,
  settings: JobSettings,
): void {
  const { layout, used, path, wantsRoot } = work;
  if (path === 'rows') {
    region.parts(missingBelow(used, layout.systematicThreshold).length, layout.stride);
  }
  if (wantsRoot) {
    new RowGroups(layout, settings, region);
  }
}

type Path = (work: DecodeWork, region: RegionCutter, settings: JobSettings) => PathParts;

const PATHS: { readonly [Name in KernelPath]: Path } = {
  transposition: (work, _, settings) => {
    const { layout, rows: dataRows, payload } = work;
    const { systematicThreshold } = layout;
    const moving = cutter(
      work,
      settings,
    )({ from: 0, to: layout.columns }).map(
      (columns): Task => ({
        type: 'reassemble',
        job: { systematicThreshold, dataRows, payload, columns },
      }),
    );
    return { before: [moving], make: encodeAgain(work, settings) };
  },

  rows: (work, region, settings) => {
    const { layout, used, rows: received, payload } = work;
    const targets = missingBelow(used, layout.systematicThreshold);
    const missing = Uint32Array.from(targets, () => region.part(layout.stride));
    const dataRows = dataRowsOf(work, targets, missing);
    const plan = coefficientRows(decodePlan(codeParameters(layout), used), targets);
    const recovering = cutter(
      work,
      settings,
    )({ from: 0, to: layout.columns }).map(
      (columns): Task => ({
        type: 'recover_rows',
        job: { plan, received, missing, dataRows, payload, columns },
      }),
    );
    return { before: [recovering], make: encodeAgain(work, settings) };
  },

  blocks: (work, _, settings) => {
    const { layout, used, rows: received, payload } = work;
    const plan = decodePlan(codeParameters(layout), used);
    const cut = cutter(work, settings);
    return {
      before: [],
      make: (range, reencode) =>
        cut(range).map((columns): Task => {
          const job = { plan, received, payload, columns };
          return { type: 'decode', job: reencode === undefined ? job : { ...job, reencode } };
        }),
    };
  },

  reveal: (work, region, settings) => {
    const { layout, used, rows: received, payload } = work;
    const plan = decodePlan(codeParameters(layout), used);
    const cut = cutter(work, settings);
    return {
      before: [],
      make: (range, chunks) =>
        chunks === undefined
          ? PATHS.blocks(work, region, settings).make(range, undefined)
          : cut(range).map(
              (columns): Task => ({
                type: 'reveal',
                job: { plan, received, payload, columns, chunks },
              }),
            ),
    };
  },
};

/** Cuts ranges of the job's columns. */
function cutter(
  { layout, costMs }: DecodeWork,
  { threads }: JobSettings,
): (range: ColumnRange) => ColumnRange[] {
  return (range) => {
    const share = (range.to - range.from) / layout.columns;
    return cutColumns(range, layout.stripe, { costMs: costMs * share, threads });
  };
}

/** Encodes the payload that is there, where hashes are wanted. */
function encodeAgain({ layout, payload }: DecodeWork, settings: JobSettings): MakeTasks {
  return (columns, chunks) =>
    chunks === undefined ? [] : encodeTasks({ layout, payload, columns, chunks, settings });
}

/** Addresses of all data rows, of which some were received and the others are made. */
function dataRowsOf(
  { layout, used, rows }: DecodeWork,
  targets: readonly number[],
  missing: Uint32Array,
): Uint32Array {
  const dataRows = new Uint32Array(layout.systematicThreshold);
  targets.forEach((index, i) => {
    dataRows[index] = missing[i] ?? 0;
  });
  used.forEach((index, i) => {
    if (index < dataRows.length) {
      dataRows[index] = rows[i] ?? 0;
    }
  });
  return dataRows;
}

function digestsOf(digests: Uint32Array, indices: readonly number[]): Uint32Array {
  return Uint32Array.from(indices, (index) => digests[index] ?? 0);
}
