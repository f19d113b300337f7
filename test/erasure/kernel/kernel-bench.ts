/**
 * @module
 * A kernel on a memory full of garbage, with helpers that put symbols into rows of either form and read
 * them, symbol by symbol and independent of the kernel.
 */

import type { KernelExports, SimdEngineId } from '../../../src/erasure/kernel/kernel.ts';
import { createContext, type KernelContext } from '../../../src/erasure/kernel/kernel-context.ts';
import { KernelMemory } from '../../../src/erasure/kernel/kernel-memory.ts';

/** Both builds. */
export const SIMD_ENGINES: readonly SimdEngineId[] = ['simd_relaxed', 'simd'];

/** Rows of symbols. */
export type Table = number[][];

/** `b_i` of erasure spec §1.4, spelled again on purpose. */
const TOWER_STEPS = [0x00, 0xcf, 0xab, 0x21, 0x8a, 0x9d, 0x27, 0x1f];

/** A symbol in tower coordinates, or back. */
export function tower(symbol: number): number {
  return TOWER_STEPS.reduce((sum, step, i) => ((symbol >> (8 + i)) & 1 ? sum ^ step : sum), symbol);
}

/** Numbers from a seed: 16 bits each (xorshift32). */
export function numbers(seed: number): () => number {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state & 0xffff;
  };
}

/** A table of random symbols. */
export function randomTable(rows: number, columns: number, seed: number): Table {
  const next = numbers(seed);
  return Array.from({ length: rows }, () => Array.from({ length: columns }, next));
}

/** A kernel and a region of its memory. */
export class KernelBench {
  readonly context: KernelContext;
  readonly kernel: KernelExports;
  readonly #memory: KernelMemory;

  constructor(engine: SimdEngineId, maxBytes: number = 64 * 1024 * 1024) {
    this.#memory = new KernelMemory({ isShared: false, maxBytes });
    const context = createContext(this.#memory, engine);
    if (context === undefined) {
      throw new Error('no room for a context');
    }
    this.context = context;
    this.kernel = context.kernel;
  }

  /** A region full of garbage. */
  take(byteCount: number): number {
    const address = this.#memory.take(byteCount);
    if (address === undefined) {
      throw new Error('no room');
    }
    const bytes = this.context.bytes();
    for (let i = address; i < address + byteCount; i += 1) {
      bytes[i] = 0xa5 ^ (i * 7);
    }
    return address;
  }

  /** Gives a region back. */
  give(address: number): void {
    this.#memory.give(address);
  }

  /** A copy of bytes. */
  bytes(address: number, byteCount: number): Uint8Array {
    return this.context.bytes().slice(address, address + byteCount);
  }

  /** Puts a list of words into memory. */
  list(words: readonly number[]): number {
    const address = this.take(4 * words.length);
    this.context.words().set(words, address / 4);
    return address;
  }

  /** Puts a table into planes; the columns beyond the table are left as they are. */
  putPlanes(address: number, w: number, table: Table, stride: number = 2 * w): void {
    const bytes = this.context.bytes();
    table.forEach((row, r) => {
      row.forEach((symbol, c) => {
        const value = tower(symbol);
        bytes[address + r * stride + c] = value & 255;
        bytes[address + r * stride + w + c] = value >> 8;
      });
    });
  }

  /** Reads `w` columns of planes. */
  planes(address: number, w: number, rowCount: number, stride: number = 2 * w): Table {
    const bytes = this.context.bytes();
    return Array.from({ length: rowCount }, (_, r) =>
      Array.from({ length: w }, (_, c) => {
        const at = address + r * stride + c;
        return tower(bytes[at]! + 256 * bytes[at + w]!);
      }),
    );
  }

  /** Puts a table into byte rows. */
  putRows(address: number, stride: number, table: Table): void {
    const bytes = this.context.bytes();
    table.forEach((row, r) => {
      row.forEach((symbol, c) => {
        bytes[address + r * stride + 2 * c] = symbol >> 8;
        bytes[address + r * stride + 2 * c + 1] = symbol & 255;
      });
    });
  }

  /** Reads columns of byte rows. */
  rows(address: number, stride: number, rowCount: number, columns: number): Table {
    const bytes = this.context.bytes();
    return Array.from({ length: rowCount }, (_, r) =>
      Array.from({ length: columns }, (_, c) => {
        const at = address + r * stride + 2 * c;
        return 256 * bytes[at]! + bytes[at + 1]!;
      }),
    );
  }

  /** Puts a table (a row for each data row) into a payload: column after column. */
  putPayload(address: number, table: Table): void {
    this.putRows(
      address,
      2 * table.length,
      table[0]!.map((_, c) => table.map((row) => row[c]!)),
    );
  }

  /** Reads a payload of `k` rows. */
  payload(address: number, k: number, columns: number): Table {
    const byColumn = this.rows(address, 2 * k, columns, k);
    return Array.from({ length: k }, (_, r) => byColumn.map((column) => column[r]!));
  }
}
