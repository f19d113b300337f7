/**
 * @module
 * The sizes of one payload and its chunks in the arena, and the cutting of a region into parts. No memory
 * is taken here.
 */

import { CODEC_V1, type CodeParameters } from '../erasure/index.ts';
import {
  COLUMN_ALIGNMENT,
  type OutputRows,
  payloadBytesInArena,
  rowStride,
  stripeWidth,
} from '../erasure/kernel/index.ts';

/** The sizes of one code word's rows. */
export type CodeLayout = {
  readonly validatorCount: number;
  /** Data rows, k. */
  readonly systematicThreshold: number;
  /** Symbols of a chunk. */
  readonly columns: number;
  /** Bytes of a chunk, `2 * columns`. */
  readonly chunkBytes: number;
  /** Bytes from row to row where whole chunks lie in the arena. */
  readonly stride: number;
  /** Bytes of the padded payload, `2 * k * columns`. */
  readonly payloadBytes: number;
  /** Bytes that it takes in the arena. */
  readonly payloadSpace: number;
  /** Columns that a kernel takes at a time. */
  readonly stripe: number;
};

/** Work rows that the largest job holds at once, in sets of k: one for each block, and one more. */
const WORK_SETS = 5;

/**
 * The layout for chunks of so many bytes.
 *
 * @throws {@link ErasureError} `too_many_validators`, `not_enough_validators`.
 */
export function codeLayout(validatorCount: number, chunkBytes: number): CodeLayout {
  const { systematicThreshold } = CODEC_V1.parameters(validatorCount);
  const columns = chunkBytes / 2;
  const width = stripeWidth(systematicThreshold, WORK_SETS);
  return {
    validatorCount,
    systematicThreshold,
    columns,
    chunkBytes,
    stride: rowStride(chunkBytes),
    payloadBytes: systematicThreshold * chunkBytes,
    payloadSpace: payloadBytesInArena(systematicThreshold, columns),
    stripe: Math.max(COLUMN_ALIGNMENT, width),
  };
}

/**
 * The layout for a payload.
 *
 * @throws {@link ErasureError} as {@link codeLayout}, and `bad_payload` for an empty one.
 */
export function payloadLayout(validatorCount: number, payloadBytes: number): CodeLayout {
  return codeLayout(validatorCount, CODEC_V1.chunkBytes(payloadBytes, validatorCount));
}

/** The code's parameters, as plans ask for them. */
export function codeParameters({ validatorCount }: CodeLayout): CodeParameters {
  return CODEC_V1.parameters(validatorCount);
}

/** Regions start at multiples of a cache line. */
const LINE_BYTES = 64;

/** Cuts a region into parts that start at multiples of 64, one behind the other. */
export class RegionCutter {
  readonly #start: number;
  #end: number;

  /** @param start - A multiple of 64; 0 to find out how many bytes the parts need. */
  constructor(start = 0) {
    this.#start = start;
    this.#end = start;
  }

  /** Address of the next part. */
  part(byteCount: number): number {
    const address = this.#end;
    this.#end = address + Math.ceil(byteCount / LINE_BYTES) * LINE_BYTES;
    return address;
  }

  /** Addresses of so many parts of one size. */
  parts(count: number, byteCount: number): readonly number[] {
    return Array.from({ length: count }, () => this.part(byteCount));
  }

  /** Bytes of all parts so far. */
  get byteCount(): number {
    return this.#end - this.#start;
  }
}

/** Address of column 0 of each of some rows. */
export function rowAddresses(rows: OutputRows, indices: readonly number[]): Uint32Array {
  const addresses = new Uint32Array(indices.length);
  indices.forEach((index, i) => {
    addresses[i] = rows.start + index * rows.stride;
  });
  return addresses;
}

/** Writes a payload and the zeros behind it, up to the whole groups of columns that kernels read. */
export function loadPayload(
  memory: Uint8Array,
  payload: Uint8Array,
  { address, layout }: { readonly address: number; readonly layout: CodeLayout },
): void {
  memory.set(payload, address);
  memory.fill(0, address + payload.length, address + layout.payloadSpace);
}
