/**
 * @module
 * A kernel context in a small arena for tests of column jobs: everything is filled with garbage before a job,
 * and after it every byte that the job does not name must be as it was.
 */

import { expect } from 'vitest';
import { PLAIN_CODEC_V1 } from '../../../src/erasure/index.ts';
import {
  createContext,
  type KernelContext,
  KernelMemory,
  LIST_BYTES,
  type OutputRows,
  paddedColumns,
  payloadBytesInArena,
  rowStride,
  SCRATCH_BYTES,
  type SimdEngineId,
} from '../../../src/erasure/kernel/index.ts';
import { plainKernel } from './plain-kernel.ts';

/** The kernels to test: both builds, and the functions as they are documented. */
export const KERNELS = ['simd_relaxed', 'simd', 'plain'] as const;

/** One of {@link KERNELS}. */
export type KernelName = (typeof KERNELS)[number];

/** What memory holds where nothing was put. */
const GARBAGE = 0xa5;

/** Bytes of the work area that are filled anew before each job: more than the codes under test use. */
const DIRTY_BYTES = 1024 * 1024;

/** Untouched bytes between regions. */
const GAP_BYTES = 128;

/** Bytes that a job may write: `from <= address < to`. */
export type Stretch = { readonly from: number; readonly to: number };

/** Rows of chunks in the arena. */
export type Rows = OutputRows & { readonly addresses: Uint32Array };

/** See the module. */
export class Rig {
  readonly context: KernelContext;
  readonly #start: number;
  readonly #end: number;
  #next: number;

  constructor(kernel: KernelName, arenaBytes: number) {
    const memory = new KernelMemory({ isShared: false, maxBytes: arenaBytes + 8 * 2 ** 20 });
    const engine: SimdEngineId = kernel === 'plain' ? 'simd' : kernel;
    const context = createContext(memory, engine)!;
    this.context =
      kernel === 'plain'
        ? { ...context, kernel: { ...context.kernel, ...plainKernel(() => memory.bytes()) } }
        : context;
    this.#start = memory.take(arenaBytes)!;
    this.#end = this.#start + arenaBytes;
    this.#next = this.#start;
  }

  /** Forgets all regions and fills the arena with garbage. */
  reset(): void {
    this.context.bytes().fill(GARBAGE, this.#start, this.#end);
    this.#next = this.#start;
  }

  /** A region of garbage. */
  take(byteCount: number): number {
    const address = this.#next + GAP_BYTES;
    this.#next = address + Math.ceil(byteCount / 64) * 64;
    if (this.#next + GAP_BYTES > this.#end) {
      throw new RangeError(`arena: ${byteCount} bytes do not fit`);
    }
    return address;
  }

  /** Bytes at an address, copied. */
  read(address: number, byteCount: number): Uint8Array {
    return this.context.bytes().slice(address, address + byteCount);
  }

  /** A region with a payload of zero-padded columns, or with room for one. */
  payload(k: number, columns: number, bytes?: Uint8Array): number {
    const byteCount = payloadBytesInArena(k, columns);
    const address = this.take(byteCount);
    if (bytes !== undefined) {
      this.context
        .bytes()
        .fill(0, address, address + byteCount)
        .set(bytes, address);
    }
    return address;
  }

  /** Rows of `chunkBytes`, with a line of their own between them; those given are filled. */
  rows(count: number, chunkBytes: number, chunks: readonly (Uint8Array | undefined)[] = []): Rows {
    const stride = rowStride(chunkBytes) + 64;
    const start = this.take(count * stride);
    const addresses = Uint32Array.from({ length: count }, (_, row) => start + row * stride);
    chunks.forEach((chunk, row) => {
      if (chunk !== undefined) {
        this.context.bytes().set(chunk, addresses[row]);
      }
    });
    return { start, stride, firstColumn: 0, addresses };
  }

  /** Does a job over garbage and checks that it wrote nothing but what it may. */
  run(mayWrite: readonly Stretch[], job: (context: KernelContext) => void): void {
    const { context } = this;
    const { work, lists, scratch } = context;
    context
      .bytes()
      .fill(GARBAGE, work, work + DIRTY_BYTES)
      .fill(GARBAGE, lists, lists + LIST_BYTES);
    const end = this.#next + GAP_BYTES;
    const areas = [
      { from: 0, to: work },
      { from: scratch + SCRATCH_BYTES, to: end },
    ];
    const before = areas.map(({ from, to }) => Buffer.from(context.bytes().slice(from, to)));
    job(context);
    areas.forEach((area, i) => {
      const after = Buffer.from(context.bytes().buffer, area.from, area.to - area.from);
      expectUntouched(before[i]!, after, area, mayWrite);
    });
  }
}

/** Everything in an area but what may be written is as it was. */
function expectUntouched(
  before: Buffer,
  after: Buffer,
  area: Stretch,
  mayWrite: readonly Stretch[],
): void {
  const expectEqual = (from: number, to: number): void => {
    const [start, end] = [from - area.from, to - area.from];
    if (start < end && after.compare(before, start, end, start, end) !== 0) {
      expect.unreachable(`wrote between ${from} and ${to}`);
    }
  };
  const within = mayWrite.filter(({ from, to }) => from < area.to && to > area.from);
  let from = area.from;
  for (const stretch of within.sort((a, b) => a.from - b.from)) {
    expectEqual(from, stretch.from);
    from = Math.max(from, stretch.to);
  }
  expectEqual(from, area.to);
}

/** Columns of a range in rows, whole groups. */
export function stretchesOf(
  addresses: Iterable<number>,
  { from, to }: { readonly from: number; readonly to: number },
): Stretch[] {
  return Array.from(addresses, (row) => ({
    from: row + 2 * from,
    to: row + 2 * (from + paddedColumns(to - from)),
  }));
}

/** The columns of a range in a payload, whole groups. */
export function payloadStretch(
  address: number,
  k: number,
  { from, to }: { readonly from: number; readonly to: number },
): Stretch {
  return {
    from: address + 2 * k * from,
    to: address + 2 * k * (from + paddedColumns(to - from)),
  };
}

/** Data rows of the code. */
export const dataRowsOf = (validatorCount: number): number =>
  PLAIN_CODEC_V1.parameters(validatorCount).systematicThreshold;

/** Deterministic bytes: a linear congruential generator. */
export function noise(byteCount: number, seed: number): Uint8Array {
  let state = seed >>> 0;
  return Uint8Array.from({ length: byteCount }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}

/** `count` distinct numbers below `end`, ascending. */
export function sample(end: number, count: number, seed: number): number[] {
  const all = Array.from({ length: end }, (_, i) => i);
  let state = (seed * 2_654_435_761) >>> 0;
  for (let i = 0; i < count; i += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = i + Math.floor((state / 2 ** 32) * (end - i));
    [all[i], all[other]] = [all[other]!, all[i]!];
  }
  return all.slice(0, count).sort((a, b) => a - b);
}

/** Cuts columns into ranges whose inner ends are multiples of 32, in an order that is not theirs. */
export function ranges(columns: number, seed: number): { from: number; to: number }[] {
  const groups = Math.ceil(columns / 32);
  const cuts = sample(groups, Math.min(groups, 1 + (seed % 4)), seed).map((group) => 32 * group);
  const starts = [...new Set([0, ...cuts])];
  const cut = starts.map((from, i) => ({ from, to: starts[i + 1] ?? columns }));
  return seed % 2 === 0 ? cut.reverse() : cut;
}
