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
   * The rows that were not received, to the output; entries { plane row, byte row }. Plane rows are those of the
   * set that was asked for. Empty without output.
   */
  readonly write: PlacedList;
};

/** All lists of a job at one stripe width. */
export type DecodeLists = {
  readonly w: number;
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
};

/** Addresses of the sets of work rows that a job uses for block b. */
export type BlockSets = {
  /** Where the received rows of the block are loaded. */
  readonly load: (block: number) => number;
  /** Where the rows of the block are when they are written. */
  readonly write: (block: number) => number;
};

/** Lists of one block; `start` is the index of its first row among the received. */
function blockLists(
  rows: DecodeRows,
  lists: ListArea,
  place: { readonly base: number; readonly start: number; readonly rowBytes: number },
  sets: { readonly load: number; readonly scale: number; readonly write: number },
): { readonly block: BlockLists; readonly end: number } {
  const { plan, received, output } = rows;
  const { base, start, rowBytes } = place;
  const used = Math.min(plan.systematicThreshold, plan.validatorCount - base);
  const scale: number[] = [];
  const write: number[] = [];
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
      write.push(sets.write + offset, first + (base + row) * stride - 2 * firstColumn);
    }
  }
  const block = {
    base,
    used,
    load: planBlockLoad(lists, plan, received, { base, start, planes: sets.load, rowBytes }),
    scale: lists.place(Uint32Array.from(scale), 4),
    write: lists.place(Uint32Array.from(write), 2),
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
    const addresses = { load: sets.load(index), scale: context.work, write: sets.write(index) };
    const made = blockLists(rows, lists, place, addresses);
    blocks.push(made.block);
    start = made.end;
  }
  const keep = lists.place(keepWords(rows, context.work, 2 * w), 2);
  return { w, lists, blocks, keep, small: byteRowLists(context, lists, k, w) };
}
