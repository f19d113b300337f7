/**
 * @module
 * From the coefficients of the data to the parity rows of one stripe: a transform for each block of k
 * positions behind the data (erasure spec §4.2).
 */

import type { KernelContext } from './kernel-context.ts';
import { transformRows } from './transform-rows.ts';

/** One stripe of work rows: set s of k rows lies at `work + s * setBytes`. */
export type ParityStripe = {
  /** Data rows, k. */
  readonly systematicThreshold: number;
  /** Chunk rows of the code, N. */
  readonly validatorCount: number;
  /** Columns. */
  readonly w: number;
  /**
   * Takes the rows of one block away. Where {@link leavesLastLayer} the last layer of their transform is left, for
   * the kernel does it on the way out to byte rows.
   *
   * @param planes - Address of the block's first row; the rows are overwritten after the call.
   * @param base - Chunk index of that row.
   * @param used - Rows that exist; the others hold garbage.
   */
  readonly store: (planes: number, base: number, used: number) => void;
};

/** Sets of work rows that {@link evaluateParity} uses. */
export const PARITY_SETS = 4;

/**
 * Blocks whose first layer is shared: the kernel's `fanOut` makes three at a time. With a single one there
 * is nothing to share.
 */
const FAN = 3;

/** Whether blocks of k rows are handed on without the last layer: if that isn't the top one as well. */
export function leavesLastLayer(k: number): boolean {
  return k >= 4;
}

/** Whether the first blocks of parity share their top layer. */
function isFanned(k: number, blocks: number): boolean {
  return k > 1 && blocks > 2;
}

/** The set of work rows in which {@link evaluateParity} leaves a block of a code of so many blocks. */
export function paritySet(block: number, k: number, blocks: number): number {
  return isFanned(k, blocks) && block <= FAN ? block : Math.min(block, 1);
}

/**
 * Evaluates the polynomials at all positions from k to N, but for the last layer of {@link leavesLastLayer}.
 *
 * Buffers: set 0 holds the coefficients, before and after; sets 1 to 3 hold garbage afterwards.
 */
export function evaluateParity(context: KernelContext, stripe: ParityStripe): void {
  const { systematicThreshold: k, validatorCount, w, store } = stripe;
  const { kernel, work } = context;
  const setBytes = 2 * k * w;
  const blocks = Math.ceil(validatorCount / k);
  const first = work + setBytes;
  const isShared = isFanned(k, blocks);
  if (isShared) {
    kernel.fanOut(work, first, first + setBytes, first + 2 * setBytes, setBytes / 2);
  }
  for (let block = 1; block < blocks; block += 1) {
    const base = block * k;
    const used = Math.min(k, validatorCount - base);
    const planes = work + paritySet(block, k, blocks) * setBytes;
    if (k === 1) {
      kernel.copy(planes, work, setBytes);
    } else {
      if (!isShared || block > FAN) {
        kernel.topLayer(work, planes, setBytes / 2, 2 * block);
      }
      lowerLayers(context, { planes, base, used, k, w });
    }
    store(planes, base, used);
  }
}

/** A block of rows whose top layer is done. */
type FannedBlock = {
  readonly planes: number;
  readonly base: number;
  readonly used: number;
  readonly k: number;
  readonly w: number;
};

/** The layers below the top one that are not left to `store`: what remains are two transforms of half the size. */
function lowerLayers(context: KernelContext, block: FannedBlock): void {
  const { planes, base, used, w } = block;
  const size = block.k / 2;
  const job = { kind: 'fft', w, size, leftLayers: leavesLastLayer(block.k) ? 1 : 0 } as const;
  const low = Math.min(size, used);
  transformRows(context, { ...job, base: planes, position: base, used: low });
  if (used > size) {
    const upper = { base: planes + 2 * w * size, position: base + size, used: used - size };
    transformRows(context, { ...job, ...upper });
  }
}
