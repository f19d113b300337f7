/**
 * @module
 * BLAKE2b-256 of many rows of one length in a kernel's memory, whole or group by group of columns; and
 * the choice of the kernel that is fastest on this host.
 */

import {
  HASH_ENTRY_WORDS,
  HASH_IS_FIRST,
  HASH_IS_LAST,
  type HashRowsFunction,
} from './hash-exports.ts';
import { type KernelContext, LIST_BYTES } from './kernel-context.ts';

/**
 * How rows are hashed: two at a time in one set of vectors (`pair`), four in two sets (`pairs`), or five,
 * one of them beside two sets in plain registers (`hybrid`). The digests are the same; which is fastest
 * depends on the processor. 1000 rows of 40,960 bytes, one thread, minima in ms on Zen 3, Node 24:
 *
 * | | pair | pairs | hybrid |
 * |---|---|---|---|
 * | relaxed SIMD | 27.5 | 28.4 | 27.9 |
 * | plain SIMD | 28.9 | 31.0 | 36.3 |
 *
 * On processors with more vector and integer units (Zen 5) one pair alone takes 1.5 times as long as `hybrid`.
 */
export type HashKernel = 'pair' | 'pairs' | 'hybrid';

/** All of them. */
export const HASH_KERNELS: readonly HashKernel[] = ['pair', 'pairs', 'hybrid'];

/** Rows to hash. Plain data. */
export type HashRowsJob = {
  /** Addresses, any alignment. */
  readonly rows: Uint32Array;
  /** Length of every row; may be 0. */
  readonly bytes: number;
  /** Addresses of 32 bytes each, any alignment; outside of the rows. */
  readonly digests: Uint32Array;
  readonly kernel?: HashKernel;
};

/** One group of columns of rows that are hashed group by group. Plain data. */
export type HashRowGroupJob = {
  /** Addresses of this group in each row. */
  readonly rows: Uint32Array;
  /** Bytes of this group: a multiple of 128 except in the last; 0 only where rows are empty. */
  readonly bytes: number;
  /** Bytes of each row in the groups before. */
  readonly before: number;
  /** Address of {@link HASH_STATE_BYTES} for each row, in the order of `rows`. */
  readonly states: number;
  /** The states are made new, whatever is there. */
  readonly isFirst: boolean;
  /** The digests are written, and the states are not. */
  readonly isLast: boolean;
  /** As in {@link HashRowsJob}; read for the last group only. */
  readonly digests?: Uint32Array;
  readonly kernel?: HashKernel;
};

/** Bytes of one row's state between groups. */
export const HASH_STATE_BYTES = 64;

/** Groups but the last end on the border of a BLAKE2b block. */
export const HASH_GROUP_ALIGNMENT = 128;

/** Rows that fit into the list area of a context. */
const ROWS_PER_LIST = Math.floor(LIST_BYTES / (4 * HASH_ENTRY_WORDS));

/** Rows that a kernel takes at once. */
const BATCH_ROWS: { readonly [Name in HashKernel]: number } = { pair: 1, pairs: 4, hybrid: 5 };

/** Rows below this are short: starting and ending a batch counts, and most in the kernel of five rows. */
const SHORT_ROW_BYTES = 1024;

/**
 * The kernel to use before anything is measured. With relaxed SIMD `hybrid`, which is the best or within a few
 * percent of it wherever it was measured, but `pairs` for short rows (20 % faster for nodes of 36 bytes);
 * without, `pair`, which was the fastest everywhere.
 */
export function defaultHashKernel(
  { engine }: Pick<KernelContext, 'engine'>,
  rowBytes: number,
): HashKernel {
  if (engine !== 'simd_relaxed') {
    return 'pair';
  }
  return rowBytes < SHORT_ROW_BYTES ? 'pairs' : 'hybrid';
}

/**
 * Hashes rows.
 *
 * Buffers: reads the rows, writes the digests; the context's `lists` and `scratch` hold garbage afterwards.
 *
 * @throws RangeError when there are not as many digests as rows.
 */
export function hashRows(context: KernelContext, job: HashRowsJob): void {
  const { rows, bytes, digests, kernel } = job;
  const group = { rows, bytes, digests, before: 0, states: 0, isFirst: true, isLast: true };
  hashRowGroup(context, kernel === undefined ? group : { ...group, kernel });
}

/**
 * Hashes one group of columns of rows, from the states that the group before left.
 *
 * Buffers: reads the rows and states; writes the states, or the digests if it is the last group. The
 * context's `lists` and `scratch` hold garbage afterwards.
 *
 * @throws RangeError for digests that are fewer or more than the rows, or bytes that are no such group.
 */
export function hashRowGroup(context: KernelContext, job: HashRowGroupJob): void {
  assertGroup(job);
  const { rows, bytes, before, isFirst, isLast } = job;
  const flags = (isFirst ? HASH_IS_FIRST : 0) | (isLast ? HASH_IS_LAST : 0);
  for (let from = 0; from < rows.length; from += ROWS_PER_LIST) {
    const to = Math.min(rows.length, from + ROWS_PER_LIST);
    writeList(context, job, from, to);
    hashList(
      context,
      job.kernel ?? defaultHashKernel(context, bytes),
      to - from,
      (hash, entry, count) => {
        const list = context.lists + 4 * HASH_ENTRY_WORDS * entry;
        hash(list, count, bytes, before, flags, context.scratch);
      },
    );
  }
}

function assertGroup({ rows, bytes, before, isFirst, isLast, digests }: HashRowGroupJob): void {
  if (isLast && digests?.length !== rows.length) {
    throw new RangeError(`digests: expected ${rows.length}, got ${digests?.length}`);
  }
  const isWhole = bytes % HASH_GROUP_ALIGNMENT === 0;
  if (!(Number.isInteger(bytes) && bytes >= 0) || (!isLast && !isWhole)) {
    throw new RangeError(`bytes: expected a multiple of 128 before the last group, got ${bytes}`);
  }
  if (isFirst !== (before === 0) || before % HASH_GROUP_ALIGNMENT !== 0 || !(before >= 0)) {
    throw new RangeError(`before: expected a multiple of 128, 0 at first, got ${before}`);
  }
  if (bytes === 0 && !(isFirst && isLast)) {
    throw new RangeError('bytes: expected more than 0 unless the rows are empty');
  }
}

function writeList(context: KernelContext, job: HashRowGroupJob, from: number, to: number): void {
  const { rows, digests, states } = job;
  const words = context.words();
  let at = context.lists >>> 2;
  for (let row = from; row < to; row += 1) {
    words[at] = rows[row]!;
    words[at + 1] = states + HASH_STATE_BYTES * row;
    words[at + 2] = digests?.[row] ?? 0;
    at += HASH_ENTRY_WORDS;
  }
}

/** Whole batches to the kernel that is wanted, and what is left to the pair. */
function hashList(
  context: KernelContext,
  wanted: HashKernel,
  count: number,
  call: (hash: HashRowsFunction, entry: number, count: number) => void,
): void {
  const whole = count - (count % BATCH_ROWS[wanted]);
  if (whole > 0) {
    call(kernelFunction(context, wanted), 0, whole);
  }
  if (whole < count) {
    call(context.kernel.hashPair, whole, count - whole);
  }
}

function kernelFunction({ kernel }: KernelContext, name: HashKernel): HashRowsFunction {
  switch (name) {
    case 'pair':
      return kernel.hashPair;
    case 'pairs':
      return kernel.hashPairs;
    default:
      return kernel.hashHybrid;
  }
}
