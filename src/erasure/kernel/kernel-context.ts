/**
 * @module
 * What one thread needs to run kernel jobs: the kernel, the memory, and areas of its own in it.
 */

import type { EngineId } from './engine-choice.ts';
import { type KernelExports, loadKernel, type SimdEngineId } from './kernel.ts';
import { type KernelMemory, MemoryViews } from './kernel-memory.ts';
import type { WasmMemory, WasmModule } from './web-assembly.ts';

/** Bytes of work rows. Pages of it that no job reaches are never touched. */
export const WORK_BYTES: number = 4 * 1024 * 1024;
/** Bytes of lists for kernel functions. */
export const LIST_BYTES: number = 1024 * 1024;
/** Bytes for the state of hashing. */
export const SCRATCH_BYTES: number = 16 * 1024;

/** One thread's kernel, memory and areas. A job that runs on it holds all of it until it returns. */
export type KernelContext = {
  readonly kernel: KernelExports;
  readonly engine: EngineId;
  /** All bytes of the memory; renewed after growth, so never kept. */
  bytes(): Uint8Array;
  /** All 32-bit words of the memory; as {@link KernelContext.bytes}. */
  words(): Uint32Array;
  /** Address of {@link WORK_BYTES} bytes. */
  readonly work: number;
  /** Address of {@link LIST_BYTES} bytes. */
  readonly lists: number;
  /** Address of {@link SCRATCH_BYTES} bytes. */
  readonly scratch: number;
};

/** The areas of a context: plain data, taken by the owner of the memory for another thread. */
export type ContextAreas = {
  readonly work: number;
  readonly lists: number;
  readonly scratch: number;
};

/**
 * Takes the areas of one context.
 *
 * @returns undefined when the memory has no room for them; then nothing was taken.
 */
export function takeAreas(memory: KernelMemory): ContextAreas | undefined {
  const work = memory.take(WORK_BYTES + LIST_BYTES + SCRATCH_BYTES);
  return work === undefined
    ? undefined
    : { work, lists: work + WORK_BYTES, scratch: work + WORK_BYTES + LIST_BYTES };
}

/** Gives the areas of a context back, once nothing runs on it. */
export function giveAreas(memory: KernelMemory, areas: ContextAreas): void {
  memory.give(areas.work);
}

/** What a worker is told to build its context. All of it can be sent to a worker. */
export type ContextSource = {
  readonly memory: WasmMemory;
  readonly isShared: boolean;
  readonly engine: SimdEngineId;
  readonly areas: ContextAreas;
  /** From {@link kernelModule}; compiled anew when absent. */
  readonly module?: WasmModule;
};

/** A context on a memory and areas that another thread took. */
export function attachContext(source: ContextSource): KernelContext {
  const views = new MemoryViews(source.memory);
  return {
    kernel: loadKernel(source),
    engine: source.engine,
    bytes: () => views.bytes(),
    words: () => views.words(),
    ...source.areas,
  };
}

/**
 * A context for this thread.
 *
 * @returns undefined when the memory has no room for its areas.
 * @throws TypeError where the host has no WebAssembly.
 */
export function createContext(
  memory: KernelMemory,
  engine: SimdEngineId,
): KernelContext | undefined {
  const areas = takeAreas(memory);
  return areas === undefined
    ? undefined
    : attachContext({ memory: memory.memory, isShared: memory.isShared, engine, areas });
}
