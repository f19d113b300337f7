/**
 * @module
 * The lists that decoding in blocks hands to the kernel, for one job at one stripe width: which rows are
 * loaded with which factor, which are scaled, put back and written.
 */

import { type BlockLoad, planBlockLoad } from './block-load.ts';
import type { OutputRows } from './code-shape.ts';
import type { DecodePlan } from './decode-plan.ts';
import type { KernelContext } from './kernel-context.ts';
import { ListArea, type PlacedList } from './list-area.ts';
import { type ByteRowLists, byteRowLists } from './payload-planes.ts';

/** A block of k positions. */
export type BlockLists = {
  /** First position. */
  readonly base: number;
  /** Positions of the block that exist. */
  readonly used: number;
  /** Received rows → coefficients in the set that was asked for. */
  readonly load: BlockLoad;
  /** The weights of the rows that were not received, in set 0; entries { row, row, factorLow, factorHigh }. */
  readonly scale: PlacedList;
  /**
   * The rows that were not received, to the output, from the set that was asked for. Entries { plane row, byte row },
   * or as `rowsFromLastLayerList` takes them. Empty without output.
   */
  readonly write: PlacedList;
  /** Whether `write` is for rows whose last layer is left. */
  readonly isLastLayerLeft: boolean;
};

/** All lists of a job at one stripe width. */
export type DecodeLists = {
  readonly w: number;
  /** First column of the job. */
  readonly from: number;
  readonly lists: ListArea;
  /** All blocks that reach below N. */
  readonly blocks: readonly BlockLists[];
  /** Received data rows → rows of set 0, as they are; entries { byte row, plane row }. */
  readonly keep: PlacedList;
  readonly small: ByteRowLists | undefined;
};

/** What the lists are made of. */
export type DecodeRows = {
  readonly plan: DecodePlan;
  /** Address of column 0 of each received row. */
  readonly received: Uint32Array;
  readonly output: OutputRows | undefined;
  /** First column of the job: offsets of the output count from it. */
  readonly from: number;
};

/** Addresses of the sets of work rows that a job uses for block b. */
export type BlockSets = {
  /** Where the received rows of the block are loaded. */
  readonly load: (block: number) => number;
  /** Where the rows of the block are when they are written. */
  readonly write: (block: number) => number;
  /** Whether the last layer of their transform is left then. */
  readonly isLastLayerLeft: (block: number) => boolean;
};

/** Words of a list, and words of an entry. */
type Entries = [words: Uint32Array, entryWords: number];

/** Rows with a target, which is 0 where there is none. */
function rowEntries(targets: readonly number[], planes: number, rowBytes: number): Entries {
  const words = targets.flatMap((to, row) => (to === 0 ? [] : [planes + rowBytes * row, to]));
  return [Uint32Array.from(words), 2];
}

/** Pairs of rows of which one or both have a target. */
function pairEntries(
  targets: readonly number[],
  planes: number,
  rowBytes: number,
  base: number,
): Entries {
  const words: number[] = [];
  for (let row = 0; row < targets.length; row += 2) {
    const left = targets[row] ?? 0;
    const right = targets[row + 1] ?? 0;
    if (left !== 0 || right !== 0) {
      words.push(planes + rowBytes * row, left, right, base + row);
    }
  }
  return [Uint32Array.from(words), 4];
}

/** Lists of one block; `start` is the index of its first row among the received. */
function blockLists(
  rows: DecodeRows,
  lists: ListArea,
  place: { readonly base: number; readonly start: number; readonly rowBytes: number },
  sets: {
    readonly load: number;
    readonly scale: number;
    readonly write: number;
    readonly isLastLayerLeft: boolean;
  },
): { readonly block: BlockLists; readonly end: number } {
  const { plan, received, output } = rows;
  const { base, start, rowBytes } = place;
  const { isLastLayerLeft } = sets;
  const used = Math.min(plan.systematicThreshold, plan.validatorCount - base);
  const scale: number[] = [];
  const targets = new Array<number>(used).fill(0);
  let at = start;
  for (let row = 0; row < used; row += 1) {
    const offset = rowBytes * row;
    const weight = plan.weights[base + row]!;
    if (plan.received[at] === base + row) {
      at += 1;
      continue;
    }
    scale.push(sets.scale + offset, sets.scale + offset, weight & 255, weight >> 8);
    if (output !== undefined) {
      const { start: first, stride, firstColumn } = output;
      targets[row] = first + (base + row) * stride + 2 * (rows.from - firstColumn);
    }
  }
  const block = {
    base,
    used,
    load: planBlockLoad(lists, plan, received, { base, start, planes: sets.load, rowBytes }),
    scale: lists.place(Uint32Array.from(scale), 4),
    write: lists.place(
      ...(isLastLayerLeft
        ? pairEntries(targets, sets.write, rowBytes, base)
        : rowEntries(targets, sets.write, rowBytes)),
    ),
    isLastLayerLeft,
  };
  return { block, end: at };
}

/** Received data rows → set 0. */
function keepWords(rows: DecodeRows, work: number, rowBytes: number): Uint32Array {
  const { plan, received } = rows;
  const words: number[] = [];
  for (let i = 0; i < received.length; i += 1) {
    const position = plan.received[i]!;
    if (position < plan.systematicThreshold) {
      words.push(received[i]!, work + rowBytes * position);
    }
  }
  return Uint32Array.from(words);
}

/** Makes the lists of a job for stripes of `w` columns. */
export function decodeLists(
  context: KernelContext,
  rows: DecodeRows,
  w: number,
  sets: BlockSets,
): DecodeLists {
  const { systematicThreshold: k, validatorCount } = rows.plan;
  const lists = new ListArea(context);
  const blocks: BlockLists[] = [];
  let start = 0;
  for (let base = 0; base < validatorCount; base += k) {
    const index = base / k;
    const place = { base, start, rowBytes: 2 * w };
    const addresses = {
      load: sets.load(index),
      scale: context.work,
      write: sets.write(index),
      isLastLayerLeft: sets.isLastLayerLeft(index),
    };
    const made = blockLists(rows, lists, place, addresses);
    blocks.push(made.block);
    start = made.end;
  }
  const keep = lists.place(keepWords(rows, context.work, 2 * w), 2);
  return { w, from: rows.from, lists, blocks, keep, small: byteRowLists(context, lists, k, w) };
}

/** Writes the rows of a block that were not received. @param first - First column of the stripe. */
export function writeMissing(
  context: KernelContext,
  { lists, w, from }: DecodeLists,
  { write, isLastLayerLeft }: BlockLists,
  first: number,
): void {
  if (write.count === 0) {
    return;
  }
  const { kernel, scratch } = context;
  const at = lists.address(write);
  const offset = 2 * (first - from);
  if (isLastLayerLeft) {
    kernel.rowsFromLastLayerList(at, write.count, offset, w, scratch);
  } else {
    kernel.rowsFromPlanesList(at, write.count, offset, w);
  }
}
