/**
 * @module
 * Received rows of a block to coefficients: load, scale, inverse transform. Where few rows of a block were
 * received the first layers leave out neighbours that are all zero. For k random rows that takes 3 (N = 1000) to
 * 10 (N = 100) percent off a decode; minima of 200 alternating runs of 1 MiB.
 */

import type { DecodePlan } from './decode-plan.ts';
import type { KernelContext } from './kernel-context.ts';
import type { ListArea, PlacedList } from './list-area.ts';
import { transformRows } from './transform-rows.ts';

/** Rows next to each other. */
type RowRun = { readonly first: number; readonly count: number };

/** How the received rows of one block become work rows. */
export type BlockLoad = {
  /** First position. */
  readonly base: number;
  /** Rows of the block, k. */
  readonly size: number;
  /** Received rows. */
  readonly received: number;
  /** Entries { byte row, plane row, factorLow, factorHigh }. */
  readonly entries: PlacedList;
  /** What is not zero, for a block of which few rows were received. */
  readonly sparse?: {
    /** Aligned groups of two rows. */
    readonly pairs: readonly RowRun[];
    /** Aligned groups of four rows. */
    readonly quads: readonly RowRun[];
  };
};

/** Where the rows of a block are. */
export type BlockPlace = {
  readonly base: number;
  /** Index of the block's first row among the received. */
  readonly start: number;
  /** Address of its first work row. */
  readonly planes: number;
  readonly rowBytes: number;
};

/** Twiddles below this are bytes; two layers in one pass are for these. */
const BYTE_TWIDDLES = 256;

/** Blocks of fewer rows than this are not worth the runs. */
const LEAST_SPARSE_ROWS = 32;

/** Groups of `size` rows with a received row, neighbours joined. */
function activeRuns(isReceived: readonly boolean[], size: number): RowRun[] {
  const runs: { first: number; count: number }[] = [];
  for (let first = 0; first < isReceived.length; first += size) {
    const last = runs.at(-1);
    if (!isReceived.slice(first, first + size).includes(true)) {
      continue;
    }
    if (last !== undefined && last.first + last.count === first) {
      last.count += size;
    } else {
      runs.push({ first, count: size });
    }
  }
  return runs;
}

/** Makes the lists of one block. */
export function planBlockLoad(
  lists: ListArea,
  plan: DecodePlan,
  received: Uint32Array,
  place: BlockPlace,
): BlockLoad {
  const { systematicThreshold: size, weights } = plan;
  const { base, start, planes, rowBytes } = place;
  const isReceived = new Array<boolean>(size).fill(false);
  const words: number[] = [];
  let end = start;
  for (; end < received.length && plan.received[end]! < base + size; end += 1) {
    const row = plan.received[end]! - base;
    const weight = weights[base + row]!;
    isReceived[row] = true;
    words.push(received[end]!, planes + rowBytes * row, weight & 255, weight >> 8);
  }
  const entries = lists.place(Uint32Array.from(words), 4);
  const block = { base, size, received: end - start, entries };
  if (size < LEAST_SPARSE_ROWS || 2 * block.received > size) {
    return block;
  }
  const sparse = { pairs: activeRuns(isReceived, 2), quads: activeRuns(isReceived, 4) };
  return { ...block, sparse };
}

/** A stripe of a block. */
export type LoadStripe = {
  readonly lists: ListArea;
  /** Address of the first work row, as in the lists. */
  readonly planes: number;
  /** First column. */
  readonly first: number;
  readonly w: number;
};

/** Loads the received rows of a block, scaled, and does the layers that may leave zeros out. @returns How many. */
function loadRows(context: KernelContext, block: BlockLoad, stripe: LoadStripe): number {
  const { kernel } = context;
  const { base, size, received, entries, sparse } = block;
  const { lists, planes, first, w } = stripe;
  const rowBytes = 2 * w;
  if (received < size) {
    kernel.clear(planes, rowBytes * size);
  }
  kernel.scaledPlanesFromRows(lists.address(entries), entries.count, 2 * first, w);
  if (sparse === undefined) {
    return 0;
  }
  const lastTwiddle = base + size - 1;
  if (lastTwiddle < BYTE_TWIDDLES) {
    for (const { first: row, count } of sparse.quads) {
      kernel.inverseLayers2(planes + rowBytes * row, rowBytes, w, 0, count, base + row);
    }
    return 2;
  }
  for (const { first: row, count } of sparse.pairs) {
    kernel.inverseLayer(planes + rowBytes * row, rowBytes, w, 0, count, base + row);
  }
  // The layers above go in twos. One that is left over, or whose twiddles are no bytes, is done here.
  if (lastTwiddle >> 1 < BYTE_TWIDDLES && Math.log2(size) % 2 === 1) {
    return 1;
  }
  for (const { first: row, count } of sparse.quads) {
    kernel.inverseLayer(planes + rowBytes * row, rowBytes, w, 1, count, base + row);
  }
  return 2;
}

/** Loads the received rows of a block, scaled, and leaves the coefficients of the block in their place. */
export function loadBlock(context: KernelContext, block: BlockLoad, stripe: LoadStripe): void {
  const doneLayers = loadRows(context, block, stripe);
  const { base: position, size } = block;
  const { planes: base, w } = stripe;
  transformRows(context, { kind: 'ifft', base, w, size, position, doneLayers });
}

/** As {@link loadBlock} for a block other than 0, but adds the coefficients to `target`. Its own place holds garbage. */
export function addBlock(
  context: KernelContext,
  block: BlockLoad,
  stripe: LoadStripe,
  target: number,
): void {
  const { base, size } = block;
  const { planes, w } = stripe;
  const setBytes = 2 * w * size;
  if (size < 4) {
    loadBlock(context, block, stripe);
    context.kernel.addRows(target, planes, setBytes);
    return;
  }
  const doneLayers = loadRows(context, block, stripe);
  const rows = size / 4;
  for (let row = 0; row < size; row += rows) {
    const place = { base: planes + 2 * w * row, position: base + row };
    transformRows(context, { kind: 'ifft', ...place, w, size: rows, doneLayers });
  }
  context.kernel.addTopLayers(planes, target, setBytes / 4, (4 * base) / size);
}
