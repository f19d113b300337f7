/**
 * @module
 * Whole transforms over rows of planes: which kernel function does which layers, and which blocks need
 * not be done (erasure spec §4.1, §4.2).
 */

import type { KernelExports } from './kernel.ts';

/** One additive FFT of the code or its inverse over rows of planes. */
export type TransformRowsJob = {
  /** `fft`: coefficients to values; `ifft`: values to coefficients. */
  readonly kind: 'fft' | 'ifft';
  /** Address of row 0. */
  readonly base: number;
  /** Columns, a multiple of 32. */
  readonly w: number;
  /** Number of rows, a power of two; 1 changes nothing. */
  readonly size: number;
  /** Position of row 0; a multiple of `size`. */
  readonly position: number;
  /**
   * How many leading rows matter; all when absent. `ifft`: the others count as zero, whatever they hold.
   * `fft`: the others hold garbage afterwards.
   */
  readonly used?: number;
  /** `ifft`: how many of the lowest layers were done by the caller; none when absent. */
  readonly doneLayers?: number;
  /** `fft`: how many of the lowest layers are left to the caller; none when absent. */
  readonly leftLayers?: number;
  /** Bytes from row to row; `2 * w` when absent, which is fastest. */
  readonly stride?: number;
};

/** What a job needs of a context. */
type KernelOnly = { readonly kernel: KernelExports };

/** Two layers in one pass are for byte twiddles. */
const TWIDDLES_OF_TWO_LAYERS = 256;

/** Rows up to the end of the last block that has a row below `used`. */
function rowsOfBlocks(used: number, blockRows: number): number {
  return Math.ceil(used / blockRows) * blockRows;
}

/** Whether the layers `layer` and `layer + 1` can be done in one pass over so many rows. */
function isOnePass(layer: number, rows: number, position: number): boolean {
  return (position + rows - 1) >> layer < TWIDDLES_OF_TWO_LAYERS;
}

function forward(kernel: KernelExports, job: TransformRowsJob, layers: number): void {
  const { base, w, position, used = job.size, stride = 2 * w, leftLayers = 0 } = job;
  for (let layer = layers - 1; layer >= leftLayers; ) {
    const rows = rowsOfBlocks(used, 2 << layer);
    if (layer > leftLayers && isOnePass(layer - 1, rows, position)) {
      kernel.forwardLayers2(base, stride, w, layer - 1, rows, position);
      layer -= 2;
    } else {
      kernel.forwardLayer(base, stride, w, layer, rows, position);
      layer -= 1;
    }
  }
}

function inverse(kernel: KernelExports, job: TransformRowsJob, layers: number): void {
  const { base, w, position, used = job.size, stride = 2 * w, doneLayers = 0 } = job;
  for (let layer = doneLayers; layer < layers; ) {
    const rows = rowsOfBlocks(used, 4 << layer);
    if (layer + 1 < layers && isOnePass(layer, rows, position)) {
      kernel.inverseLayers2(base, stride, w, layer, rows, position);
      layer += 2;
    } else {
      kernel.inverseLayer(base, stride, w, layer, rowsOfBlocks(used, 2 << layer), position);
      layer += 1;
    }
  }
}

/** Zeroes the rows behind `used`. */
function clearUnused(kernel: KernelExports, job: TransformRowsJob, used: number): void {
  const { base, w, size, stride = 2 * w } = job;
  if (stride === 2 * w) {
    kernel.clear(base + used * stride, (size - used) * stride);
    return;
  }
  for (let row = used; row < size; row += 1) {
    kernel.clear(base + row * stride, 2 * w);
  }
}

/**
 * Transforms rows of planes in place.
 *
 * Cost: `size / 2 * log2(size)` butterflies of `w` columns, less those of blocks behind `used`.
 */
export function transformRows({ kernel }: KernelOnly, job: TransformRowsJob): void {
  const layers = Math.log2(job.size);
  if (job.kind === 'fft') {
    forward(kernel, job, layers);
    return;
  }
  if (job.used !== undefined && job.used < job.size) {
    clearUnused(kernel, job, job.used);
  }
  inverse(kernel, job, layers);
}
