/**
 * @module
 * The kernel behind the seam of engines: any job of `engine.ts`, for codecs that are written over the
 * seam, and the way to hold the kernel to the contract of engines. Codec v1 itself has paths of its own on
 * the kernel, which move fewer bytes.
 *
 * A row holds each aligned group of 32 columns as 32 low bytes and 32 high bytes in tower coordinates: planes
 * with `w = 32`, so that any split of the columns sees the same bytes.
 */

import type {
  ColumnRange,
  CopyJob,
  DerivativeJob,
  MultiplyAddJob,
  Rows,
  ScaleJob,
  TransformEngine,
  TransformJob,
} from '../engine.ts';
import { detectEngine } from './engine-choice.ts';
import type { SimdEngineId } from './kernel.ts';
import { createContext, type KernelContext } from './kernel-context.ts';
import { KernelMemory } from './kernel-memory.ts';
import { toTower } from './tower-field.ts';
import { transformRows } from './transform-rows.ts';

/** Columns of one group. */
const GROUP = 32;
/** Bytes of one group. */
const GROUP_BYTES = 64;

/** Columns that are staged or listed at a time. */
const SLICE_COLUMNS = 16_384;

/** Entries of four words that are listed at a time. */
const LISTED_FACTORS = 4096;

/** Cap of an engine's memory when the caller names none: as much as a memory can hold. */
const MAX_BYTES = 65_536 * 65_536;

/** Bytes of the groups that a range touches, from the first byte of the first group. */
function bytesOf({ from, to }: ColumnRange): number {
  return Math.ceil((to - from) / GROUP) * GROUP_BYTES;
}

/** Whether chunk bytes lie as the kernel reads and writes them: symbol after symbol, high byte first. */
function isByteRow({ layout }: CopyJob): boolean {
  return layout.columnStep === 2 && layout.byteOrder === 'big';
}

class SimdEngine implements TransformEngine {
  readonly id: SimdEngineId;
  readonly columnAlignment = GROUP;
  readonly #memory: KernelMemory;
  readonly #context: KernelContext;
  #region: { readonly address: number; readonly symbols: number } | undefined;

  constructor(id: SimdEngineId, maxBytes: number) {
    this.id = id;
    this.#memory = new KernelMemory({ isShared: false, maxBytes });
    const context = createContext(this.#memory, id);
    if (context === undefined) {
      throw new RangeError(`maxBytes: no room for the kernel's work area in ${maxBytes}`);
    }
    this.#context = context;
  }

  workspace(symbols: number): Uint16Array {
    if (this.#region === undefined || this.#region.symbols < symbols) {
      if (this.#region !== undefined) {
        this.#memory.give(this.#region.address);
        this.#region = undefined;
      }
      const address = this.#memory.take(2 * symbols);
      if (address === undefined) {
        throw new RangeError(
          `symbols: no room for ${symbols} below ${this.#memory.maxBytes} bytes`,
        );
      }
      this.#region = { address, symbols };
    }
    const { address, symbols: length } = this.#region;
    return new Uint16Array(this.#memory.memory.buffer, address, length);
  }

  load(job: CopyJob): void {
    this.#eachSlice(job, (row, columns) => {
      const direct = this.#directAddress(job, row, columns);
      const from = direct ?? this.#stage(job, row, columns);
      const to = this.#address(job.rows, row, columns.from);
      this.#listGroups(from, to, columns);
      this.#context.kernel.planesFromRows(
        this.#context.lists,
        bytesOf(columns) / GROUP_BYTES,
        0,
        GROUP,
      );
    });
  }

  store(job: CopyJob): void {
    this.#eachSlice(job, (row, columns) => {
      const isWhole = (columns.to - columns.from) % GROUP === 0;
      const direct = isWhole ? this.#directAddress(job, row, columns) : undefined;
      const from = this.#address(job.rows, row, columns.from);
      this.#listGroups(from, direct ?? this.#context.work, columns);
      this.#context.kernel.rowsFromPlanesList(
        this.#context.lists,
        bytesOf(columns) / GROUP_BYTES,
        0,
        GROUP,
      );
      if (direct === undefined) {
        this.#unstage(job, row, columns);
      }
    });
  }

  transform(job: TransformJob): void {
    const { kind, base: position, size, columns, used = size } = job;
    if (job.source !== undefined) {
      this.#copyRows(job.source, job.rows, kind === 'ifft' ? used : size, columns);
    }
    const stride = 2 * job.rows.stride;
    for (let from = columns.from; from < columns.to; from += GROUP) {
      const base = this.#address(job.rows, 0, from);
      transformRows(this.#context, { kind, base, stride, w: GROUP, size, position, used });
    }
  }

  scale(job: ScaleJob): void {
    const { kernel, lists } = this.#context;
    const words = this.#context.words();
    let count = 0;
    const flush = (): void => {
      kernel.scalePlanes(lists, count, GROUP);
      count = 0;
    };
    job.factors.forEach((factor, row) => {
      const constant = toTower(factor);
      for (let from = job.columns.from; from < job.columns.to; from += GROUP) {
        const at = this.#address(job.rows, row, from);
        words.set([at, at, constant & 255, constant >> 8], lists / 4 + 4 * count);
        count += 1;
        if (count === LISTED_FACTORS) {
          flush();
        }
      }
    });
    flush();
  }

  multiplyAdd(job: MultiplyAddJob): void {
    const { kernel } = this.#context;
    const { columns } = job;
    job.factors.forEach((factor, row) => {
      const constant = toTower(factor);
      const target = this.#address(job.target, row, columns.from);
      const source = this.#address(job.source, row, columns.from);
      const bytes = bytesOf(columns);
      if (constant === 1) {
        kernel.addRows(target, source, bytes);
        return;
      }
      for (let at = 0; constant !== 0 && at < bytes; at += GROUP_BYTES) {
        kernel.addScaled(target + at, source + at, GROUP, constant & 255, constant >> 8);
      }
    });
  }

  addDerivative(job: DerivativeJob): void {
    const { rows, columns, size } = job;
    for (let i = 1; i < size; i += 1) {
      const width = i & -i;
      for (let row = i; row < i + width; row += 1) {
        const target = this.#address(rows, row - width, columns.from);
        const source = this.#address(rows, row, columns.from);
        this.#context.kernel.addRows(target, source, bytesOf(columns));
      }
    }
  }

  /** Address of the group that column `from` begins. */
  #address(rows: Rows, row: number, from: number): number {
    return rows.memory.byteOffset + 2 * (rows.start + row * rows.stride + from);
  }

  #copyRows(source: Rows, target: Rows, rowCount: number, columns: ColumnRange): void {
    for (let row = 0; row < rowCount; row += 1) {
      const from = this.#address(source, row, columns.from);
      this.#context.kernel.copy(this.#address(target, row, columns.from), from, bytesOf(columns));
    }
  }

  /** Calls `work` for each row and each slice of its columns. */
  #eachSlice(job: CopyJob, work: (row: number, columns: ColumnRange) => void): void {
    for (let row = 0; row < job.rowCount; row += 1) {
      for (let from = job.columns.from; from < job.columns.to; from += SLICE_COLUMNS) {
        work(row, { from, to: Math.min(from + SLICE_COLUMNS, job.columns.to) });
      }
    }
  }

  /** Lists pairs of groups, 64 bytes apart on both sides. */
  #listGroups(from: number, to: number, columns: ColumnRange): void {
    const words = this.#context.words();
    let at = this.#context.lists / 4;
    for (let offset = 0; offset < bytesOf(columns); offset += GROUP_BYTES) {
      words[at] = from + offset;
      words[at + 1] = to + offset;
      at += 2;
    }
  }

  /** Where the kernel itself can read or write the bytes: in its memory, in its layout, all there. */
  #directAddress(job: CopyJob, row: number, columns: ColumnRange): number | undefined {
    const { bytes, layout } = job;
    const start = layout.offset + row * layout.rowStep + 2 * columns.from;
    const isOurs = bytes.buffer === this.#memory.memory.buffer && isByteRow(job);
    return isOurs && start + bytesOf(columns) <= bytes.length
      ? bytes.byteOffset + start
      : undefined;
  }

  /** Gathers a slice of a row as a byte row; bytes past the end read as 0. Its address. */
  #stage(job: CopyJob, row: number, columns: ColumnRange): number {
    const { bytes, layout } = job;
    const { work } = this.#context;
    const stage = this.#context.bytes().subarray(work, work + bytesOf(columns));
    let at = layout.offset + row * layout.rowStep + columns.from * layout.columnStep;
    const count = columns.to - columns.from;
    if (isByteRow(job)) {
      const there = bytes.subarray(Math.min(at, bytes.length), at + 2 * count);
      stage.set(there);
      stage.fill(0, there.length);
      return work;
    }
    const high = layout.byteOrder === 'big' ? 0 : 1;
    for (let c = 0; c < count; c += 1) {
      stage[2 * c + high] = bytes[at] ?? 0;
      stage[2 * c + 1 - high] = bytes[at + 1] ?? 0;
      at += layout.columnStep;
    }
    return work;
  }

  /** Spreads a staged slice over the bytes. */
  #unstage(job: CopyJob, row: number, columns: ColumnRange): void {
    const { bytes, layout } = job;
    const { work } = this.#context;
    const count = columns.to - columns.from;
    const stage = this.#context.bytes().subarray(work, work + 2 * count);
    let at = layout.offset + row * layout.rowStep + columns.from * layout.columnStep;
    if (isByteRow(job)) {
      bytes.set(stage, at);
      return;
    }
    const high = layout.byteOrder === 'big' ? 0 : 1;
    for (let c = 0; c < count; c += 1) {
      bytes[at] = stage[2 * c + high]!;
      bytes[at + 1] = stage[2 * c + 1 - high]!;
      at += layout.columnStep;
    }
  }
}

/**
 * A new engine on the kernel, with a memory of its own. Bytes in that memory are read and written where
 * they are, when a chunk's symbols lie one after the other; all others go through a small buffer.
 *
 * @param id - The build; the best of the host when absent.
 * @param maxBytes - Cap of its memory; the largest possible when absent.
 * @throws TypeError where the host has no WebAssembly or, with no `id`, no SIMD; RangeError when the cap leaves no room.
 */
export function simdEngine(
  id: SimdEngineId | undefined = undefined,
  maxBytes: number = MAX_BYTES,
): TransformEngine {
  const best = id ?? detectEngine();
  if (best === 'scalar') {
    throw new TypeError('simdEngine: the host has no WebAssembly SIMD; use the scalar engine');
  }
  return new SimdEngine(best, maxBytes);
}
