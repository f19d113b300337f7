/**
 * @module
 * Jobs that turn proven chunk rows in the arena into a payload, by any of the kernel's paths, and where
 * it is wanted into the hashes of all other positions of its codeword. Which path is the planner's choice;
 * hashes of the chunks it was made from are not computed here.
 */

import {
  type ColumnRange,
  coefficientRows,
  decodePlan,
  type OutputRows,
} from '../erasure/kernel/index.ts';
import { type CodeLayout, codeParameters, type RegionCutter } from './code-layout.ts';
import { cutColumns, cutCount } from './job-cutting.ts';
import { hashCostMs, type KernelPath, missingBelow, type PathCost } from './planner.ts';
import { HASH_STEP, type JobSettings, kernelOption, RowGroups } from './row-groups.ts';
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
  /** By chunk index: where the hash of a position goes that was not used. Absent: no hashes. */
  readonly digests?: Uint32Array;
};

/** The tasks of a path over some columns. Rows to be hashed are written to `chunks`. */
type MakeTasks = (columns: ColumnRange, chunks: OutputRows | undefined) => readonly Task[];

/** How a path is done: what comes before all groups, what is done for each, what it leaves to hash. */
type PathParts = {
  readonly before: readonly Stage[];
  readonly make: MakeTasks;
  /** Rows that lie in the arena whole after `before`: index and address. */
  readonly wholeRows: readonly (readonly [index: number, address: number])[];
};

/**
 * The job of a decode. Parts that it needs besides are cut from the region: a few rows, and buffers for
 * groups where hashes are wanted.
 */
export function decodeJob(work: DecodeWork, region: RegionCutter, settings: JobSettings): Job {
  const { layout, digests, used } = work;
  const parts = PATHS[work.path](work, region, settings);
  if (digests === undefined) {
    const stages = [...parts.before, parts.make({ from: 0, to: layout.columns }, undefined)];
    return { stages, cost: work.costMs };
  }
  const unused = missingBelow(used, layout.validatorCount);
  const { costs } = settings;
  const groups = new RowGroups(layout, settings, region);
  const whole = new Map(parts.wholeRows);
  const indices = unused.filter((index) => !whole.has(index));
  const grouped = { indices, digests: digestsOf(digests, indices) };
  const stages = [...parts.before, ...groups.stages(grouped, parts.make)];
  return {
    stages: [...stages, hashWhole(work, digests, whole, settings)],
    cost: work.costMs + hashCostMs(costs, unused.length, layout.chunkBytes),
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
    const { systematicThreshold, validatorCount } = layout;
    const cut = cutter(work, settings);
    return {
      before: [],
      wholeRows: [],
      make: (range, parity) =>
        cut(range).flatMap((columns): Task[] => [
          { type: 'reassemble', job: { systematicThreshold, dataRows, payload, columns } },
          ...parityTasks({ validatorCount, dataRows, columns }, parity),
        ]),
    };
  },

  rows: (work, region, settings) => {
    const { layout, used, rows: received, payload } = work;
    const { systematicThreshold, validatorCount } = layout;
    const targets = missingBelow(used, systematicThreshold);
    const missing = Uint32Array.from(targets, () => region.part(layout.stride));
    const dataRows = dataRowsOf(work, targets, missing);
    const plan = coefficientRows(decodePlan(codeParameters(layout), used), targets);
    const cut = cutter(work, settings);
    const recovering = cut({ from: 0, to: layout.columns }).map(
      (columns): Task => ({
        type: 'recover_rows',
        job: { plan, received, missing, dataRows, payload, columns },
      }),
    );
    return {
      before: [recovering],
      wholeRows: targets.map((index, i) => [index, missing[i] ?? 0]),
      make: (range, parity) =>
        parity === undefined
          ? []
          : cut(range).flatMap((columns) =>
              parityTasks({ validatorCount, dataRows, columns }, parity),
            ),
    };
  },

  blocks: (work, _, settings) => {
    const { layout, used, rows: received, payload } = work;
    const plan = decodePlan(codeParameters(layout), used);
    const cut = cutter(work, settings);
    return {
      before: [],
      wholeRows: [],
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
      wholeRows: [],
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

function parityTasks(
  job: {
    readonly validatorCount: number;
    readonly dataRows: Uint32Array;
    readonly columns: ColumnRange;
  },
  parity: OutputRows | undefined,
): Task[] {
  return parity === undefined ? [] : [{ type: 'encode_parity', job: { ...job, parity } }];
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

/** Hashes rows that lie in the arena whole. */
function hashWhole(
  { layout }: DecodeWork,
  digests: Uint32Array,
  whole: ReadonlyMap<number, number>,
  settings: JobSettings,
): Stage {
  const { threads, costs } = settings;
  const rows = Uint32Array.from(whole.values());
  const theirs = digestsOf(digests, [...whole.keys()]);
  const bytes = layout.chunkBytes;
  const costMs = hashCostMs(costs, rows.length, bytes);
  return cutCount(rows.length, { costMs, threads }, HASH_STEP).map(
    ({ from, to }): Task => ({
      type: 'hash_rows',
      job: {
        rows: rows.slice(from, to),
        bytes,
        digests: theirs.slice(from, to),
        ...kernelOption(settings),
      },
    }),
  );
}
