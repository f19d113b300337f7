/**
 * @module
 * Decoding of a range of columns on the kernel, in blocks of k positions (erasure spec §4.6), and in the same
 * stripe the rows that were not received, by encoding the payload anew.
 */

import { addBlock, loadBlock } from './block-load.ts';
import { eachStripeOf, stripeWidth } from './code-shape.ts';
import type { DecodeColumnsJob } from './column-jobs.ts';
import { type DecodeLists, decodeLists, writeMissing } from './decode-lists.ts';
import type { KernelContext } from './kernel-context.ts';
import { evaluateParity, leavesLastLayer, PARITY_SETS, paritySet } from './parity-rows.ts';
import { loadPayload, storePayload } from './payload-planes.ts';
import { transformRows } from './transform-rows.ts';

/** Sets of work rows that decoding uses: the sum, and one block. */
const DECODE_SETS = 2;

/** The first block with received rows: it is loaded into the sum itself. */
function firstBlock({ received, systematicThreshold: k }: DecodeColumnsJob['plan']): number {
  return Math.floor(received[0]! / k);
}

/** Leaves in set 0 what the transform at 0 takes: the sum over the blocks of §4.6. */
function sumBlocks(context: KernelContext, lists: DecodeLists, k: number, first: number): void {
  const { kernel, work } = context;
  const rowBytes = 2 * lists.w;
  let planes = work;
  for (const block of lists.blocks) {
    if (block.load.received > 0) {
      const stripe = { lists: lists.lists, planes, first, w: lists.w };
      if (planes === work) {
        loadBlock(context, block.load, stripe);
      } else {
        addBlock(context, block.load, stripe, work);
      }
      if (block.base === 0) {
        kernel.addDerivative(work, rowBytes, k);
      }
      planes = work + rowBytes * k;
    }
  }
}

/** Leaves the k data rows of one stripe in set 0. */
function decodeStripe(context: KernelContext, lists: DecodeLists, k: number, first: number): void {
  const { kernel, work } = context;
  const { w, keep } = lists;
  const { scale } = lists.blocks[0]!;
  if (scale.count > 0) {
    sumBlocks(context, lists, k, first);
    transformRows(context, { kind: 'fft', base: work, w, size: k, position: 0 });
    kernel.scalePlanes(lists.lists.address(scale), scale.count, w);
  }
  if (keep.count > 0) {
    kernel.planesFromRows(lists.lists.address(keep), keep.count, 2 * first, w);
  }
}

/**
 * Writes the rows that were not received. They are encoded from the payload as it was written, not from
 * the data rows at hand: there are at least k of them, so whoever finds their hashes right knows that the
 * payload is, also if the kernel's way out to it should be wrong. It costs a twentieth of decoding and encoding.
 */
function reencodeStripe(
  context: KernelContext,
  lists: DecodeLists,
  { plan, payload }: DecodeColumnsJob,
  first: number,
): void {
  const { work } = context;
  const { w, blocks, small } = lists;
  const { systematicThreshold: k, validatorCount } = plan;
  loadPayload(context, payload + 2 * k * first, k, w, small);
  writeMissing(context, lists, blocks[0]!, first);
  transformRows(context, { kind: 'ifft', base: work, w, size: k, position: 0 });
  evaluateParity(context, {
    systematicThreshold: k,
    validatorCount,
    w,
    store: (_, base) => writeMissing(context, lists, blocks[base / k]!, first),
  });
}

/**
 * Does a {@link DecodeColumnsJob}.
 *
 * Of more than k rows all are used, and received data rows stay as they came (erasure spec §4.5).
 *
 * Cost: one inverse transform of k rows for each block with received rows and one transform; with
 * `reencode` what encoding from work rows costs besides.
 */
export function decodeColumns(context: KernelContext, job: DecodeColumnsJob): void {
  const { plan, received, payload, columns, reencode } = job;
  const k = plan.systematicThreshold;
  const width = stripeWidth(k, reencode === undefined ? DECODE_SETS : PARITY_SETS);
  let lists: DecodeLists | undefined;
  eachStripeOf(columns, width, (first, w) => {
    if (lists?.w !== w) {
      const setBytes = 2 * k * w;
      const blocks = Math.ceil(plan.validatorCount / k);
      lists = decodeLists(context, { plan, received, output: reencode, from: columns.from }, w, {
        load: (block) => context.work + (block === firstBlock(plan) ? 0 : setBytes),
        write: (block) => context.work + paritySet(block, k, blocks) * setBytes,
        isLastLayerLeft: (block) => block > 0 && leavesLastLayer(k),
      });
    }
    decodeStripe(context, lists, k, first);
    storePayload(context, payload + 2 * k * first, k, w, lists.small);
    if (reencode !== undefined) {
      reencodeStripe(context, lists, job, first);
    }
  });
}
