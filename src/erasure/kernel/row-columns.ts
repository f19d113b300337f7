/**
 * @module
 * Payload from data rows on the kernel, all received or a few of them recovered as linear combinations of
 * k others (erasure spec §3, §4.9).
 */

import { eachStripeOf, paddedColumns, stripeWidth } from './code-shape.ts';
import type { ReassembleColumnsJob, RecoverRowsColumnsJob } from './column-jobs.ts';
import type { KernelContext } from './kernel-context.ts';
import { ListArea, type PlacedList } from './list-area.ts';
import { PRODUCT_BYTES, PRODUCTS } from './memory-map.ts';
import { multiplyTower } from './tower-field.ts';

/** Does a {@link ReassembleColumnsJob}. Cost: each byte is read and written once. */
export function reassembleColumns(context: KernelContext, job: ReassembleColumnsJob): void {
  const { systematicThreshold: k, dataRows, payload, columns } = job;
  const { from, to } = columns;
  if (to <= from) {
    return;
  }
  const rows = dataRows.map((address) => address + 2 * from);
  context.words().set(rows, context.lists >>> 2);
  const first = payload + 2 * k * from;
  context.kernel.payloadFromRows(first, 2 * k, context.lists, paddedColumns(to - from), k);
}

/** Some targets that the kernel computes in one pass over the rows. */
type TargetGroup = {
  readonly size: 1 | 2 | 4;
  readonly coefficients: PlacedList;
  /** Entries { plane row, byte row }. */
  readonly out: PlacedList;
};

/** All lists of a job at one stripe width. */
type RecoverLists = {
  readonly w: number;
  readonly lists: ListArea;
  readonly gather: PlacedList;
  readonly groups: readonly TargetGroup[];
};

/** Longest list of coefficients: what a {@link ListArea} takes at any time. */
const COEFFICIENT_BYTES = 256 * 1024;

/** Bytes of one coefficient: three addresses. */
const ENTRY_BYTES = 12;

/** How many of `left` targets to compute in the next pass. */
function groupSize(left: number, k: number): 1 | 2 | 4 {
  const fitting = COEFFICIENT_BYTES / (k * ENTRY_BYTES);
  if (left >= 4 && fitting >= 4) {
    return 4;
  }
  return left >= 2 && fitting >= 2 ? 2 : 1;
}

/** Address of the products of a constant of GF(2^8). */
const productsOf = (constant: number): number => PRODUCTS + PRODUCT_BYTES * constant;

/** Table addresses of targets `first .. first + size - 1`, as `combineRows` reads them. */
function coefficientWords(
  plan: RecoverRowsColumnsJob['plan'],
  first: number,
  size: number,
): Uint32Array {
  const { systematicThreshold: k, factors } = plan;
  const words = new Uint32Array(3 * size * k);
  let at = 0;
  for (let input = 0; input < k; input += 1) {
    for (let target = first; target < first + size; target += 1) {
      const factor = factors[target * k + input]!;
      const low = factor & 255;
      const high = factor >> 8;
      words[at] = productsOf(low);
      words[at + 1] = productsOf(multiplyTower(high, 0x80));
      words[at + 2] = productsOf(low ^ high);
      at += 3;
    }
  }
  return words;
}

function recoverLists(context: KernelContext, job: RecoverRowsColumnsJob, w: number): RecoverLists {
  const { plan, received, missing } = job;
  const k = plan.systematicThreshold;
  const lists = new ListArea(context);
  const rowBytes = 2 * w;
  const gather = new Uint32Array(2 * k);
  received.forEach((address, row) => {
    gather[2 * row] = address;
    gather[2 * row + 1] = context.work + rowBytes * row;
  });
  const sums = context.work + rowBytes * k;
  const groups: TargetGroup[] = [];
  const placed = lists.place(gather, 2);
  for (let first = 0; first < missing.length; ) {
    const size = groupSize(missing.length - first, k);
    const out = new Uint32Array(2 * size);
    for (let i = 0; i < size; i += 1) {
      out[2 * i] = sums + rowBytes * i;
      out[2 * i + 1] = missing[first + i]!;
    }
    const coefficients = lists.place(coefficientWords(plan, first, size), 3 * size);
    groups.push({ size, coefficients, out: lists.place(out, 2) });
    first += size;
  }
  return { w, lists, gather: placed, groups };
}

/** Computes the missing rows of one stripe and writes them. */
function recoverStripe(context: KernelContext, job: RecoverLists, k: number, first: number): void {
  const { kernel, work } = context;
  const { w, lists, gather, groups } = job;
  const sums = work + 2 * w * k;
  kernel.planesFromRows(lists.address(gather), k, 2 * first, w);
  for (const { size, coefficients, out } of groups) {
    const at = lists.address(coefficients);
    if (size === 4) {
      kernel.combineRows4(work, w, k, at, sums);
    } else if (size === 2) {
      kernel.combineRows2(work, w, k, at, sums);
    } else {
      kernel.combineRows1(work, w, k, at, sums);
    }
    kernel.rowsFromPlanesList(lists.address(out), size, 2 * first, w);
  }
}

/**
 * Does a {@link RecoverRowsColumnsJob}. The payload of a stripe is written right after its rows, while they
 * are in the cache.
 *
 * Cost: each received row is read twice, and k products per missing row and column.
 */
export function recoverRowsColumns(context: KernelContext, job: RecoverRowsColumnsJob): void {
  const { plan, dataRows, payload, columns } = job;
  const k = plan.systematicThreshold;
  let lists: RecoverLists | undefined;
  const rows = new Uint32Array(k);
  eachStripeOf(columns, stripeWidth(k, 2), (first, w) => {
    lists = lists?.w === w ? lists : recoverLists(context, job, w);
    recoverStripe(context, lists, k, first);
    for (let row = 0; row < k; row += 1) {
      rows[row] = dataRows[row]! + 2 * first;
    }
    // The stage of the list area: what lay there has been used.
    context.words().set(rows, context.lists >>> 2);
    context.kernel.payloadFromRows(payload + 2 * k * first, 2 * k, context.lists, w, k);
  });
}
