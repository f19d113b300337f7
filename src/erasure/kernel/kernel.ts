/**
 * @module
 * The kernel as TypeScript sees it: its functions and how it is loaded. Arguments are addresses (bytes
 * in the kernel's memory), sizes and counts; nothing is checked.
 *
 * "Planes" are work rows: `w` low bytes, then `w` high bytes, in tower coordinates (erasure spec §1.4), so a
 * row takes `2w` bytes and rows follow one another without gap. `w` is a multiple of 32. "Byte rows" are
 * chunks: big-endian symbols. Row lists hold 32-bit little-endian words.
 */

import type { EngineId } from './engine-choice.ts';
import type { HashExports } from './hash-exports.ts';
import { PLAIN, RELAXED } from './kernel-bytes.ts';
import { requireWebAssembly, type WasmMemory, type WasmModule } from './web-assembly.ts';

/** The engines that run on the kernel. */
export type SimdEngineId = Exclude<EngineId, 'scalar'>;

/** Bytes and byte rows. */
export type ByteExports = {
  /** Zeroes bytes. */
  clear(address: number, bytes: number): void;
  /** Copies bytes; the two ranges may overlap. */
  copy(to: number, from: number, bytes: number): void;
  /** Copies `count` ranges; entries { from, to, bytes }. */
  copyList(list: number, count: number): void;
  /** 1 when the two ranges hold the same bytes, else 0. */
  equal(a: number, b: number, bytes: number): number;
  /** `target += source`; `bytes` is a multiple of 16, the ranges do not overlap. */
  addRows(target: number, source: number, bytes: number): void;
};

/** Layers of transforms over planes, and what else is done to rows between them. */
export type TransformExports = {
  /**
   * One layer of the FFT (erasure spec §4.1), any twiddle: butterflies of half-width `2^layer` over the rows
   * `0 .. size - 1`, whose row 0 is position `position` (a multiple of `2^(layer+1)`).
   *
   * @param stride - Bytes from row to row.
   * @param size - Rows to work on; a multiple of `2^(layer+1)`, not necessarily a power of two.
   */
  forwardLayer(
    base: number,
    stride: number,
    w: number,
    layer: number,
    size: number,
    position: number,
  ): void;
  /** One layer of the inverse FFT. Arguments as {@link TransformExports.forwardLayer}. */
  inverseLayer(
    base: number,
    stride: number,
    w: number,
    layer: number,
    size: number,
    position: number,
  ): void;
  /**
   * Layers `layer + 1` and `layer` of the FFT in one pass; all twiddles must be below 256
   * (`(position + size - 1) >> layer`). `size` and `position` are multiples of `2^(layer+2)`.
   */
  forwardLayers2(
    base: number,
    stride: number,
    w: number,
    layer: number,
    size: number,
    position: number,
  ): void;
  /** Layers `layer` and `layer + 1` of the inverse FFT; limits as {@link TransformExports.forwardLayers2}. */
  inverseLayers2(
    base: number,
    stride: number,
    w: number,
    layer: number,
    size: number,
    position: number,
  ): void;
  /**
   * The top layer of the FFTs of one polynomial on the cosets 1, 2 and 3 of `size` positions: their
   * twiddles are 2, 4 and 6 whatever the size is. Reads `2 * halfBytes` at `source` and writes as much at
   * each coset's address.
   *
   * @param halfBytes - Bytes of `size / 2` rows; a multiple of 16.
   */
  fanOut(source: number, coset1: number, coset2: number, coset3: number, halfBytes: number): void;
  /**
   * The top layer of the FFT of `size` rows from one place to another: `fanOut` for one coset. The twiddle
   * is `2 * coset`, below 256.
   *
   * @param halfBytes - Bytes of `size / 2` rows; a multiple of 16.
   */
  topLayer(source: number, target: number, halfBytes: number, twiddle: number): void;
  /**
   * `target += the top two layers of the inverse FFT of source`, over `size` rows of each.
   *
   * @param quarterBytes - Bytes of `size / 4` rows; a multiple of 16.
   * @param twiddle - That of the lower of the two layers: `4 * position / size`, neither 0 nor above 255.
   */
  addTopLayers(source: number, target: number, quarterBytes: number, twiddle: number): void;
  /** Adds the formal derivative, see `DerivativeJob`; rows of `rowBytes` bytes, a multiple of 64, follow one another. */
  addDerivative(base: number, rowBytes: number, size: number): void;
  /** `target += factor * source` over planes; the factor is in tower coordinates, in two bytes. */
  addScaled(target: number, source: number, w: number, factorLow: number, factorHigh: number): void;
  /** Multiplies rows in place; entries { row, row, factorLow, factorHigh }, factor in tower coordinates. */
  scalePlanes(list: number, count: number, w: number): void;
  /**
   * One linear combination of `k` rows. `coefficients`: for each row, three addresses of product tables,
   * those of `c0`, `c1 * v7` and `c0 + c1` for a coefficient `(c0, c1)` in tower coordinates.
   * Writes one row of planes to `out`.
   */
  combineRows1(work: number, w: number, k: number, coefficients: number, out: number): void;
  /** Two combinations; for each row the three addresses of the one, then those of the other. */
  combineRows2(work: number, w: number, k: number, coefficients: number, out: number): void;
  /** Four combinations. */
  combineRows4(work: number, w: number, k: number, coefficients: number, out: number): void;
};

/** Between payloads, byte rows and planes. */
export type LayoutExports = {
  /**
   * `w` columns of the payload to `k` planes, `k >= 8`; with `rows` other than 0 to byte rows, too.
   *
   * @param payload - Address of the first column.
   * @param payloadRowBytes - Bytes from column to column, `2k`.
   * @param rows - Address of the first column of byte row 0.
   */
  planesFromPayload(
    payload: number,
    payloadRowBytes: number,
    work: number,
    w: number,
    k: number,
    rows: number,
    rowStride: number,
  ): void;
  /** `k` planes to `w` columns of the payload, `k >= 8`. */
  payloadFromPlanes(
    payload: number,
    payloadRowBytes: number,
    work: number,
    w: number,
    k: number,
  ): void;
  /** Columns of the payload to `k` byte rows, any k; `columns` is a multiple of 32; list = row addresses. */
  rowsFromPayload(
    payload: number,
    payloadRowBytes: number,
    list: number,
    columns: number,
    k: number,
  ): void;
  /** `k` byte rows to columns of the payload; arguments as {@link LayoutExports.rowsFromPayload}. */
  payloadFromRows(
    payload: number,
    payloadRowBytes: number,
    list: number,
    columns: number,
    k: number,
  ): void;
  /** Byte rows to planes; entries { byte row, plane row }. `byteOffset` is added to the byte row. */
  planesFromRows(list: number, count: number, byteOffset: number, w: number): void;
  /** Byte rows, multiplied, to planes; entries { byte row, plane row, factorLow, factorHigh }. */
  scaledPlanesFromRows(list: number, count: number, byteOffset: number, w: number): void;
  /** `count` planes to byte rows. */
  rowsFromPlanes(work: number, w: number, count: number, rows: number, rowStride: number): void;
  /** Planes to byte rows; entries { plane row, byte row }. `byteOffset` is added to the byte row. */
  rowsFromPlanesList(list: number, count: number, byteOffset: number, w: number): void;
  /**
   * The last layer of the FFT (`forwardLayer` with `layer` 0) and `rowsFromPlanes` in one pass. The planes
   * stay as they are.
   *
   * @param count - Rows wanted; of an odd number the last pair still is computed in whole.
   * @param position - Position of row 0; even.
   */
  rowsFromLastLayer(
    work: number,
    w: number,
    count: number,
    rows: number,
    rowStride: number,
    position: number,
  ): void;
  /**
   * The same for listed pairs of rows; entries { first plane row of the pair, its byte row, byte row of the
   * second, position of the first }. `byteOffset` is added to byte rows; a byte row 0 is not wanted.
   *
   * @param discard - Address of `2 * w` bytes for rows that are not wanted; garbage afterwards.
   */
  rowsFromLastLayerList(
    list: number,
    count: number,
    byteOffset: number,
    w: number,
    discard: number,
  ): void;
};

/** All functions of the kernel. */
export type KernelExports = ByteExports & TransformExports & LayoutExports & HashExports;

/** Which of the four modules. */
export type KernelModuleOptions = {
  readonly engine: SimdEngineId;
  /** Whether the memory is shared. */
  readonly isShared: boolean;
};

/** Everything to load a kernel. */
export type LoadKernelOptions = KernelModuleOptions & {
  readonly memory: WasmMemory;
  /** From {@link kernelModule}, of the same choices; on a worker, as it was sent. */
  readonly module?: WasmModule;
};

/** Name and kind of the imported memory: `env`, `memory`, a memory; its limits follow. */
const IMPORT = [3, 0x65, 0x6e, 0x76, 6, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 2] as const;
/** Flags of limits: has a maximum; has a maximum and is shared. */
const HAS_MAXIMUM = 1;
const IS_SHARED = 3;

/**
 * The bytes of a module. Those for a shared memory differ in one byte, the flags of the import's limits.
 *
 * @throws RangeError when the bytes are not those of our kernel.
 */
export function kernelBytes({ engine, isShared }: KernelModuleOptions): Uint8Array<ArrayBuffer> {
  const text = atob(engine === 'simd_relaxed' ? RELAXED : PLAIN);
  const bytes = new Uint8Array(text.length);
  // Not `from` with a callback: in a fresh process its 70,000 calls take 6 ms, this loop half a millisecond.
  for (let at = 0; at < bytes.length; at += 1) {
    bytes[at] = text.charCodeAt(at);
  }
  if (isShared) {
    const start = bytes.findIndex((_, at) => IMPORT.every((byte, i) => bytes[at + i] === byte));
    const flags = start + IMPORT.length;
    if (start < 0 || bytes[flags] !== HAS_MAXIMUM) {
      throw new RangeError('kernel bytes: expected an imported memory with a maximum');
    }
    bytes[flags] = IS_SHARED;
  }
  return bytes;
}

const modules = new Map<string, WasmModule>();

/** The compiled module, compiled once for each of the four choices. It can be sent to workers. */
export function kernelModule(options: KernelModuleOptions): WasmModule {
  const key = `${options.engine} ${options.isShared}`;
  const known = modules.get(key);
  if (known !== undefined) {
    return known;
  }
  const { Module } = requireWebAssembly();
  const compiled = new Module(kernelBytes(options));
  modules.set(key, compiled);
  return compiled;
}

/**
 * A kernel on a memory. Writes the tables below `TABLES_END`, as every kernel on that memory does, with
 * the same bytes.
 *
 * @throws TypeError where the host has no WebAssembly.
 */
export function loadKernel(options: LoadKernelOptions): KernelExports {
  const { Instance } = requireWebAssembly();
  const module = options.module ?? kernelModule(options);
  const { exports } = new Instance(module, { env: { memory: options.memory } });
  return exports as KernelExports;
}
