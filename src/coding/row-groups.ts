/**
 * @module
 * Chunk rows that are made only to be hashed: they go group of columns by group of columns through a
 * small buffer, and hashing goes on where the group before ended. So a check needs a few MiB where all
 * rows of a 10 MiB payload take 40. Hashing right after making costs nothing: 29.5 to 30.5 ms for 10 MiB
 * at n = 1000, whatever the number of groups.
 */

import {
  type ColumnRange,
  HASH_GROUP_ALIGNMENT,
  HASH_STATE_BYTES,
  type HashKernel,
  type OutputRows,
  paddedColumns,
  rowStride,
} from '../erasure/kernel/index.ts';
import { type CodeLayout, type RegionCutter, rowAddresses } from './code-layout.ts';
import type { HostCosts } from './host-costs.ts';
import { cutCount } from './job-cutting.ts';
import { hashCostMs } from './planner.ts';
import type { Stage, Task } from './tasks.ts';

/** Default of {@link JobSettings.groupBytes}: 4 MiB stay in the last cache of most hosts. */
export const GROUP_BYTES: number = 4 * 1024 * 1024;

/** Columns of a group but the last are a multiple of it, so that hashes go on in whole blocks. */
const GROUP_STEP = HASH_GROUP_ALIGNMENT / 2;

/** How jobs are cut. */
export type JobSettings = {
  /** Bytes that the rows of one group may take; at least one step of 64 columns is taken at a time. */
  readonly groupBytes: number;
  /** Workers that do the tasks; 0 where the calling thread does them all. */
  readonly threads: number;
  readonly costs: HostCosts;
};

/** Rows to hash in groups, by chunk index, and where their digests go. */
export type GroupedRows = {
  readonly indices: readonly number[];
  /** Address of the digest of each, in that order. */
  readonly digests: Uint32Array;
};

/** Makes the tasks that write the wanted rows of one group. */
export type MakeGroup = (columns: ColumnRange, rows: OutputRows) => readonly Task[];

/** The groups of one job. */
export class RowGroups {
  readonly count: number;
  readonly #layout: CodeLayout;
  readonly #settings: JobSettings;
  readonly #width: number;
  readonly #stride: number;
  readonly #buffers: readonly number[];
  readonly #states: readonly number[];

  /**
   * Takes its parts from the job's region: one buffer, or two where the next group is made while one is
   * hashed, and as many sets of states.
   */
  constructor(layout: CodeLayout, settings: JobSettings, region: RegionCutter) {
    this.#layout = layout;
    this.#settings = settings;
    this.#width = groupWidth(layout, settings.groupBytes);
    this.#stride = rowStride(2 * this.#width);
    this.count = Math.ceil(layout.columns / this.#width);
    const sets = Math.min(this.count, 2);
    const parts = settings.threads > 1 ? sets : 1;
    const rowBytes = layout.validatorCount * this.#stride;
    this.#buffers = Array.from({ length: parts }, () => region.part(rowBytes));
    const stateBytes = this.count === 1 ? 0 : layout.validatorCount * HASH_STATE_BYTES;
    this.#states = Array.from({ length: sets }, () => region.part(stateBytes));
  }

  /** Stages that make all groups and hash rows of them. With two buffers, hashing overlaps making. */
  stages(hashed: GroupedRows, make: MakeGroup): Stage[] {
    const made = Array.from({ length: this.count }, (_, group) =>
      make(this.#columns(group), this.#rows(group)),
    );
    const hashing = made.map((_, group) => this.#hashTasks(group, hashed));
    if (this.#buffers.length < 2) {
      return made.flatMap((tasks, group) => [tasks, hashing[group] ?? []]);
    }
    return Array.from({ length: this.count + 1 }, (_, stage) => [
      ...(made[stage] ?? []),
      ...(hashing[stage - 1] ?? []),
    ]);
  }

  #columns(group: number): ColumnRange {
    const from = group * this.#width;
    return { from, to: Math.min(this.#layout.columns, from + this.#width) };
  }

  #rows(group: number): OutputRows {
    const start = this.#buffers[group % this.#buffers.length] ?? 0;
    return { start, stride: this.#stride, firstColumn: group * this.#width };
  }

  #hashTasks(group: number, { indices, digests }: GroupedRows): Task[] {
    const { from, to } = this.#columns(group);
    const rows = rowAddresses(this.#rows(group), indices);
    const bytes = 2 * (to - from);
    const costMs = hashCostMs(this.#settings.costs, rows.length, bytes);
    const [states = 0, statesBefore = 0] =
      group % 2 === 0 ? this.#states : [...this.#states].reverse();
    return cutCount(rows.length, { costMs, threads: this.#settings.threads }, HASH_STEP).map(
      (piece): Task => {
        const some = {
          rows: rows.slice(piece.from, piece.to),
          bytes,
          digests: digests.slice(piece.from, piece.to),
          ...kernelOption(this.#settings),
        };
        if (this.count === 1) {
          return { type: 'hash_rows', job: some };
        }
        return {
          type: 'hash_group',
          job: {
            ...some,
            before: 2 * from,
            states: states + piece.from * HASH_STATE_BYTES,
            isFirst: group === 0,
            isLast: group === this.count - 1,
          },
          statesBefore: statesBefore + piece.from * HASH_STATE_BYTES,
          stateBytes: (piece.to - piece.from) * HASH_STATE_BYTES,
        };
      },
    );
  }
}

/** Rows of a task of hashing are a multiple of it but in the last: of 4 and 5, as kernels take them. */
export const HASH_STEP = 20;

/** The choice of the hash kernel as jobs take it. */
export function kernelOption({ costs }: Pick<JobSettings, 'costs'>): {
  readonly kernel?: HashKernel;
} {
  return costs.hashKernel === undefined ? {} : { kernel: costs.hashKernel };
}

/** Columns of every group but the last. */
function groupWidth({ columns, stripe, validatorCount }: CodeLayout, groupBytes: number): number {
  const whole = paddedColumns(columns);
  if (validatorCount * rowStride(2 * whole) <= groupBytes) {
    return whole;
  }
  const fitting = Math.floor(groupBytes / (2 * validatorCount));
  const step = fitting >= stripe && stripe % GROUP_STEP === 0 ? stripe : GROUP_STEP;
  return Math.max(GROUP_STEP, Math.floor(fitting / step) * step);
}
