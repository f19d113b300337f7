/**
 * @module
 * Decoding that yields the missing parity rows as well as the data (erasure spec §4.7): every block is
 * transformed back, and nothing is encoded anew.
 */

import { loadBlock } from './block-load.ts';
import { COLUMN_ALIGNMENT, eachStripeOf, stripeWidth } from './code-shape.ts';
import type { RevealColumnsJob } from './column-jobs.ts';
import { type BlockLists, type DecodeLists, decodeLists, writeMissing } from './decode-lists.ts';
import { type KernelContext, WORK_BYTES } from './kernel-context.ts';
import { loadPayload, storePayload } from './payload-planes.ts';
import { towerExp, towerLog } from './tower-field.ts';
import { transformRows } from './transform-rows.ts';

/** Units of the field; logarithms are added modulo it. */
const UNITS = 65_535;

/** One stripe of a job. */
type RevealStripe = {
  readonly lists: DecodeLists;
  readonly k: number;
  readonly first: number;
  /**
   * Set of work rows of each block's coefficients; 0 for blocks without received rows. All are 1 when there is
   * no room for more, and then they are made again for each block that is revealed.
   */
  readonly sets: readonly number[];
  readonly areKept: boolean;
};

/**
 * By which the coefficients of block `from`, loaded with the weights of the plan, enter the sum for block
 * `to`, once that sum is divided by `ω_to` as the weights of its erased rows expect: `ω_from / (ω_to ·
 * ω_(to ⊕ from))`, with `ω_0` read as 1. Blocks are few, so this is a constant of GF(2^8).
 */
function crossFactor(to: number, from: number): number {
  const log = (block: number): number => towerLog(Math.max(1, block));
  return towerExp((log(from) + 2 * UNITS - log(to) - log(to ^ from)) % UNITS);
}

/** Leaves in set 0 what the transform of one block takes. */
function sumFor(context: KernelContext, stripe: RevealStripe, target: number): void {
  const { kernel, work } = context;
  const { lists, k, first, sets, areKept } = stripe;
  const rowBytes = 2 * lists.w;
  const setBytes = rowBytes * k;
  const planesOf = (index: number): number => {
    const planes = work + sets[index]! * setBytes;
    if (!areKept) {
      loadBlock(context, lists.blocks[index]!.load, {
        lists: lists.lists,
        planes,
        first,
        w: lists.w,
      });
    }
    return planes;
  };
  if (sets[target] === 0) {
    kernel.clear(work, setBytes);
  } else {
    kernel.copy(work, planesOf(target), setBytes);
    kernel.addDerivative(work, rowBytes, k);
  }
  sets.forEach((set, index) => {
    if (set === 0 || index === target) {
      return;
    }
    const source = planesOf(index);
    const factor = crossFactor(target, index);
    if (factor === 1) {
      kernel.addRows(work, source, setBytes);
      return;
    }
    // A constant of GF(2^8) multiplies byte by byte, so the whole set may count as one row.
    kernel.addScaled(work, source, setBytes / 2, factor, 0);
  });
}

/** Leaves the rows of a block that were not received in set 0, and writes those of parity. */
function revealBlock(context: KernelContext, stripe: RevealStripe, block: BlockLists): void {
  const { lists, k, first } = stripe;
  const { kernel, work } = context;
  const { w } = lists;
  const { base, used, scale } = block;
  if (scale.count > 0) {
    sumFor(context, stripe, base / k);
    transformRows(context, { kind: 'fft', base: work, w, size: k, position: base, used });
    kernel.scalePlanes(lists.lists.address(scale), scale.count, w);
    if (base > 0) {
      writeMissing(context, lists, block, first);
    }
  }
}

function revealStripe(
  context: KernelContext,
  stripe: RevealStripe,
  { payload, chunks }: RevealColumnsJob,
): void {
  const { lists, k, first, sets, areKept } = stripe;
  const { w, blocks, keep, small } = lists;
  if (areKept) {
    sets.forEach((set, index) => {
      if (set > 0) {
        const planes = context.work + set * 2 * w * k;
        loadBlock(context, blocks[index]!.load, { lists: lists.lists, planes, first, w });
      }
    });
  }
  blocks.forEach((block, index) => {
    revealBlock(context, stripe, block);
    if (index === 0) {
      if (keep.count > 0) {
        context.kernel.planesFromRows(lists.lists.address(keep), keep.count, 2 * first, w);
      }
      storePayload(context, payload + 2 * k * first, k, w, small);
      loadPayload(context, payload + 2 * k * first, k, w, small);
      writeDataRows(context, stripe, chunks);
    }
  });
}

/** Writes the data rows in set 0 to the output: all of them, as the payload has them. */
function writeDataRows(
  { kernel, work }: KernelContext,
  { lists, k, first }: RevealStripe,
  { start, stride, firstColumn }: RevealColumnsJob['chunks'],
): void {
  kernel.rowsFromPlanes(work, lists.w, k, start + 2 * (first - firstColumn), stride);
}

/** By block: its set, from 1 on; 0 for those without received rows. */
function blockSets({ plan }: RevealColumnsJob, areKept: boolean): number[] {
  const { systematicThreshold: k, validatorCount, received } = plan;
  const sets = new Array<number>(Math.ceil(validatorCount / k)).fill(0);
  let next = 1;
  for (const position of received) {
    const block = Math.floor(position / k);
    if (sets[block] === 0) {
      sets[block] = next;
      next += areKept ? 1 : 0;
    }
  }
  return sets;
}

/**
 * Does a {@link RevealColumnsJob}. Data rows are written all, received or not, from the payload: so that whoever
 * hashes them knows that the payload is right (parity does not say so, as it was not made from it).
 *
 * Of more than k rows all are used, as in decoding: the rows revealed then are those of the polynomial
 * through all of them.
 *
 * Cost: an inverse transform for each block with received rows, a transform for each block with missing
 * ones, and `k` products for each pair of such blocks.
 */
export function revealColumns(context: KernelContext, job: RevealColumnsJob): void {
  const { plan, received, columns, chunks } = job;
  const k = plan.systematicThreshold;
  const keptSets = 1 + Math.max(...blockSets(job, true));
  const areKept = keptSets * 2 * k * COLUMN_ALIGNMENT <= WORK_BYTES;
  const sets = blockSets(job, areKept);
  let lists: DecodeLists | undefined;
  eachStripeOf(columns, stripeWidth(k, areKept ? keptSets : 2), (first, w) => {
    if (lists?.w !== w) {
      const setBytes = 2 * k * w;
      lists = decodeLists(context, { plan, received, output: chunks, from: columns.from }, w, {
        load: (block) => context.work + sets[block]! * setBytes,
        write: () => context.work,
        isLastLayerLeft: () => false,
      });
    }
    revealStripe(context, { lists, k, first, sets, areKept }, job);
  });
}
