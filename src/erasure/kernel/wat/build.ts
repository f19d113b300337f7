/**
 * @module
 * What kernel functions are made for: two builds from one source, which differ in one instruction.
 */

import { type FunctionText, type V128, vector } from './function-text.ts';

/** Choices of one build. */
export type Build = {
  /**
   * Byte `i` of the result is byte `index[i]` of `table`. Indices are below 16, where the relaxed and the
   * plain instruction agree; the relaxed one is a bare table look-up on all current processors.
   */
  readonly swizzle: (table: V128, index: V128) => V128;
};

/** Makes functions for a build. */
export type FunctionMaker = (build: Build) => readonly FunctionText[];

/** The build with relaxed SIMD, or the one without. */
export function buildFor(isRelaxed: boolean): Build {
  const name = isRelaxed ? 'i8x16.relaxed_swizzle' : 'i8x16.swizzle';
  return { swizzle: (table, index) => vector(name, table, index) };
}
