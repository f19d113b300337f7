/**
 * @module
 * Between a payload and the work rows of one stripe, for any k: the kernel moves eight rows at a time, and
 * codes with fewer data rows go by way of byte rows.
 */

import type { KernelContext } from './kernel-context.ts';
import type { ListArea, PlacedList } from './list-area.ts';

/** From so many rows on the kernel moves between payload and work rows directly. */
const LEAST_DIRECT_ROWS = 8;

/** Whether payloads of k rows go by way of byte rows. */
export function isBelowKernel(k: number): boolean {
  return k < LEAST_DIRECT_ROWS;
}

/** Byte rows in the work area and the lists that name them, for codes of fewer than eight data rows. */
export type ByteRowLists = {
  readonly lists: ListArea;
  /** Row addresses. */
  readonly rows: PlacedList;
  /** Entries { plane row, byte row }. */
  readonly fromPlanes: PlacedList;
  /** Entries { byte row, plane row }. */
  readonly toPlanes: PlacedList;
};

/**
 * Lists for {@link storePayload} and {@link loadPayload}, in the upper half of the work area, which codes this small leave free.
 *
 * @param w - Columns of the stripe.
 * @returns undefined for codes that need none.
 */
export function byteRowLists(
  context: KernelContext,
  lists: ListArea,
  k: number,
  w: number,
): ByteRowLists | undefined {
  if (!isBelowKernel(k)) {
    return undefined;
  }
  const rows = new Uint32Array(k);
  const fromPlanes = new Uint32Array(2 * k);
  const toPlanes = new Uint32Array(2 * k);
  for (let row = 0; row < k; row += 1) {
    rows[row] = context.work + SCRATCH_OFFSET + 2 * w * row;
    const plane = context.work + 2 * w * row;
    fromPlanes.set([plane, rows[row]!], 2 * row);
    toPlanes.set([rows[row]!, plane], 2 * row);
  }
  return {
    lists,
    rows: lists.place(rows, 1),
    fromPlanes: lists.place(fromPlanes, 2),
    toPlanes: lists.place(toPlanes, 2),
  };
}

/** Byte rows of small codes start here in the work area; their sets of work rows end far below. */
const SCRATCH_OFFSET = 2 * 1024 * 1024;

/**
 * Set 0 of the work rows → payload.
 *
 * @param payload - Address of the stripe's first column.
 * @param small - What {@link byteRowLists} gave for k and w.
 */
export function storePayload(
  context: KernelContext,
  payload: number,
  k: number,
  w: number,
  small: ByteRowLists | undefined,
): void {
  const { kernel, work } = context;
  if (small === undefined) {
    kernel.payloadFromPlanes(payload, 2 * k, work, w, k);
    return;
  }
  kernel.rowsFromPlanesList(small.lists.address(small.fromPlanes), k, 0, w);
  kernel.payloadFromRows(payload, 2 * k, small.lists.address(small.rows), w, k);
}

/** Payload → set 0 of the work rows; parameters as {@link storePayload}. */
export function loadPayload(
  context: KernelContext,
  payload: number,
  k: number,
  w: number,
  small: ByteRowLists | undefined,
): void {
  const { kernel, work } = context;
  if (small === undefined) {
    kernel.planesFromPayload(payload, 2 * k, work, w, k, 0, 0);
    return;
  }
  kernel.rowsFromPayload(payload, 2 * k, small.lists.address(small.rows), w, k);
  kernel.planesFromRows(small.lists.address(small.toPlanes), k, 0, w);
}
