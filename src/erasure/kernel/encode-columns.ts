/**
 * @module
 * Encoding of a range of columns on the kernel: payload in, chunk rows out (erasure spec §4.2).
 */

import { systematicThreshold } from '../../primitives/thresholds.ts';
import { eachStripeOf, stripeWidth } from './code-shape.ts';
import type { EncodeColumnsJob } from './column-jobs.ts';
import type { KernelContext } from './kernel-context.ts';
import { ListArea, type PlacedList } from './list-area.ts';
import { evaluateParity, leavesLastLayer, PARITY_SETS } from './parity-rows.ts';
import { isBelowKernel } from './payload-planes.ts';
import { transformRows } from './transform-rows.ts';

/** Address of a row of chunks at the first column of a stripe. */
function rowAt(rows: EncodeColumnsJob['chunks'], row: number, column: number): number {
  return rows.start + row * rows.stride + 2 * (column - rows.firstColumn);
}

/** Data rows → work rows; the same for all stripes of one width. */
function gatherList(
  context: KernelContext,
  lists: ListArea,
  rows: Uint32Array,
  w: number,
): PlacedList {
  const words = new Uint32Array(2 * rows.length);
  rows.forEach((address, row) => {
    words[2 * row] = address;
    words[2 * row + 1] = context.work + 2 * w * row;
  });
  return lists.place(words, 2);
}

/** Coefficients of set 0 → parity rows. */
function storeParity(
  context: KernelContext,
  job: { readonly validatorCount: number; readonly rows: EncodeColumnsJob['chunks'] },
  first: number,
  w: number,
): void {
  const { validatorCount, rows } = job;
  const k = systematicThreshold(validatorCount);
  transformRows(context, { kind: 'ifft', base: context.work, w, size: k, position: 0 });
  evaluateParity(context, {
    systematicThreshold: k,
    validatorCount,
    w,
    store: (planes, base, used) => {
      const target = rowAt(rows, base, first);
      if (leavesLastLayer(k)) {
        context.kernel.rowsFromLastLayer(planes, w, used, target, rows.stride, base);
      } else {
        context.kernel.rowsFromPlanes(planes, w, used, target, rows.stride);
      }
    },
  });
}

/**
 * Does an {@link EncodeColumnsJob}: the payload's columns to all chunk rows.
 *
 * Cost: one inverse transform of k rows and one transform for each further block of k, per column.
 */
export function encodeColumns(context: KernelContext, job: EncodeColumnsJob): void {
  const { validatorCount, payload, chunks, columns } = job;
  const { kernel, work } = context;
  const k = systematicThreshold(validatorCount);
  eachStripeOf(columns, stripeWidth(k, PARITY_SETS), (first, w) => {
    const from = payload + 2 * k * first;
    if (isBelowKernel(k)) {
      const rows = Uint32Array.from({ length: k }, (_, row) => rowAt(chunks, row, first));
      const lists = new ListArea(context);
      const gather = gatherList(context, lists, rows, w);
      kernel.rowsFromPayload(from, 2 * k, lists.address(lists.place(rows, 1)), w, k);
      kernel.planesFromRows(lists.address(gather), k, 0, w);
    } else {
      const rows = rowAt(chunks, 0, first);
      kernel.planesFromPayload(from, 2 * k, work, w, k, rows, chunks.stride);
    }
    storeParity(context, { validatorCount, rows: chunks }, first, w);
  });
}
