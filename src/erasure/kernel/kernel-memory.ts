/**
 * @module
 * The arena: one WebAssembly memory from which regions are taken and to which they are given back.
 * It grows rarely, never beyond its cap, and never shrinks; what was used once is used again, because
 * the first touch of fresh memory costs more than any kernel's work on it.
 */

import { TABLES_END } from './memory-map.ts';
import { PAGE_BYTES, requireWebAssembly, type WasmMemory } from './web-assembly.ts';

/** Regions start at multiples of a cache line, and so do the rows in them. */
const REGION_ALIGNMENT = 64;

/** Growth comes in steps of so many pages at least, 4 MiB, so that views are seldom renewed. */
const STEP_PAGES = 64;

/** Options of a memory. */
export type KernelMemoryOptions = {
  /** Whether workers may share it. */
  readonly isShared: boolean;
  /** Cap in bytes, all tables included; at least one page, at most 4 GiB. */
  readonly maxBytes: number;
};

/**
 * Views of a memory's bytes that are renewed after growth. A view must not be kept across anything that
 * may grow the memory.
 */
export class MemoryViews {
  readonly memory: WasmMemory;
  #bytes: Uint8Array;
  #words: Uint32Array;

  constructor(memory: WasmMemory) {
    this.memory = memory;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#words = new Uint32Array(memory.buffer);
  }

  /** All bytes. */
  bytes(): Uint8Array {
    this.#renew();
    return this.#bytes;
  }

  /** All 32-bit words: the one at address `a` is `words()[a >>> 2]`. */
  words(): Uint32Array {
    this.#renew();
    return this.#words;
  }

  #renew(): void {
    const { buffer } = this.memory;
    if (this.#bytes.buffer !== buffer) {
      this.#bytes = new Uint8Array(buffer);
      this.#words = new Uint32Array(buffer);
    }
  }
}

/** A free region, or a taken one. */
type Region = { readonly address: number; readonly byteCount: number };

/** The arena. Its regions hold garbage when they are taken. Only the thread that made it may take and give. */
export class KernelMemory {
  readonly memory: WasmMemory;
  readonly isShared: boolean;
  readonly maxBytes: number;
  readonly #views: MemoryViews;
  readonly #taken = new Map<number, number>();
  /** By address; neighbours are merged, so no two touch. */
  #free: Region[] = [];
  #end = TABLES_END;
  #usedBytes = 0;

  /** @throws TypeError where the host has no WebAssembly, RangeError for a cap below one page. */
  constructor({ isShared, maxBytes }: KernelMemoryOptions) {
    const maximum = Math.min(65_536, Math.floor(maxBytes / PAGE_BYTES));
    if (!(maximum >= 1)) {
      throw new RangeError(`maxBytes: expected at least ${PAGE_BYTES}, got ${maxBytes}`);
    }
    const { Memory } = requireWebAssembly();
    this.memory = new Memory(
      isShared ? { initial: 1, maximum, shared: true } : { initial: 1, maximum },
    );
    this.isShared = isShared;
    this.maxBytes = maximum * PAGE_BYTES;
    this.#views = new MemoryViews(this.memory);
  }

  /** Views of a memory that another thread owns. */
  static attach(memory: WasmMemory): MemoryViews {
    return new MemoryViews(memory);
  }

  /** All bytes, see {@link MemoryViews}. */
  bytes(): Uint8Array {
    return this.#views.bytes();
  }

  /** All words, see {@link MemoryViews}. */
  words(): Uint32Array {
    return this.#views.words();
  }

  /** Bytes taken and not given back, each region rounded up to 64. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Bytes that the memory has grown to. */
  get heldBytes(): number {
    return this.memory.buffer.byteLength;
  }

  /**
   * Takes a region: the first free one that is large enough, or new memory at the end.
   *
   * @param byteCount - At least 0; 0 takes a region of its own, too.
   * @returns The address, a multiple of 64; undefined when the cap would be passed
   *   or the host has no memory left.
   */
  take(byteCount: number): number | undefined {
    const wanted = Math.max(1, Math.ceil(byteCount / REGION_ALIGNMENT)) * REGION_ALIGNMENT;
    const at = this.#free.findIndex((region) => region.byteCount >= wanted);
    const address = at < 0 ? this.#takeEnd(wanted) : this.#takeFree(at, wanted);
    if (address !== undefined) {
      this.#taken.set(address, wanted);
      this.#usedBytes += wanted;
    }
    return address;
  }

  /**
   * Gives a region back.
   *
   * @throws RangeError for an address that is not of a taken region: given twice, say.
   */
  give(address: number): void {
    const byteCount = this.#taken.get(address);
    if (byteCount === undefined) {
      throw new RangeError(`address: expected one that take() gave, got ${address}`);
    }
    this.#taken.delete(address);
    this.#usedBytes -= byteCount;
    this.#insert({ address, byteCount });
  }

  #takeFree(at: number, wanted: number): number | undefined {
    const region = this.#free[at];
    if (region === undefined) {
      return undefined;
    }
    const rest = region.byteCount - wanted;
    const remaining = rest === 0 ? [] : [{ address: region.address + wanted, byteCount: rest }];
    this.#free.splice(at, 1, ...remaining);
    return region.address;
  }

  #takeEnd(wanted: number): number | undefined {
    const last = this.#free.at(-1);
    const joins = last !== undefined && last.address + last.byteCount === this.#end;
    const address = joins ? last.address : this.#end;
    if (!this.#grow(address + wanted)) {
      return undefined;
    }
    if (joins) {
      this.#free.pop();
    }
    this.#end = address + wanted;
    return address;
  }

  /** Makes sure that the memory reaches to `end`. */
  #grow(end: number): boolean {
    if (end > this.maxBytes) {
      return false;
    }
    const missing = Math.ceil((end - this.heldBytes) / PAGE_BYTES);
    if (missing <= 0) {
      return true;
    }
    const allowed = (this.maxBytes - this.heldBytes) / PAGE_BYTES;
    try {
      this.memory.grow(Math.min(allowed, Math.max(missing, STEP_PAGES)));
      return true;
    } catch (error: unknown) {
      if (error instanceof RangeError) {
        return false;
      }
      throw error;
    }
  }

  #insert(region: Region): void {
    const at = this.#free.findIndex(({ address }) => address > region.address);
    const index = at < 0 ? this.#free.length : at;
    const before = this.#free[index - 1];
    const after = this.#free[index];
    let { address, byteCount } = region;
    const joinsBefore = before !== undefined && before.address + before.byteCount === address;
    const joinsAfter = after !== undefined && address + byteCount === after.address;
    if (joinsBefore) {
      address = before.address;
      byteCount += before.byteCount;
    }
    if (joinsAfter) {
      byteCount += after.byteCount;
    }
    const start = joinsBefore ? index - 1 : index;
    this.#free.splice(start, Number(joinsBefore) + Number(joinsAfter), { address, byteCount });
  }
}
