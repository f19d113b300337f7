/**
 * @module
 * The whole kernel as WebAssembly text. To add functions: write a {@link FunctionMaker} in a file
 * beside this one and name it in `MAKERS`; constants go into `kernelData`, with their place in `memory-map.ts`.
 */

import { blake2bTables } from './blake2b-tables.ts';
import { type Build, buildFor, type FunctionMaker } from './build.ts';
import { byteFunctions } from './bytes.ts';
import { type DataSegment, type FunctionText, moduleText } from './function-text.ts';
import { hashFunctions } from './hash-rows.ts';
import { lastLayerFunctions } from './last-layer.ts';
import { layerFunctions } from './layers.ts';
import { payloadFunctions } from './payload.ts';
import { rowFunctions } from './rows.ts';
import { fieldTables } from './tables.ts';

/** All functions of the kernel. */
const MAKERS: readonly FunctionMaker[] = [
  byteFunctions,
  layerFunctions,
  lastLayerFunctions,
  payloadFunctions,
  rowFunctions,
  hashFunctions,
];

/** All tables and constants. */
export const kernelData: readonly DataSegment[] = [...fieldTables, ...blake2bTables];

/** Choices of the text. */
export type KernelTextOptions = {
  /** Relaxed SIMD, or what every host with SIMD has. */
  readonly isRelaxed: boolean;
  /** For a memory that threads share. */
  readonly isShared: boolean;
};

/** All functions of the kernel for one build. */
export function kernelFunctions(build: Build): readonly FunctionText[] {
  return MAKERS.flatMap((make) => make(build));
}

/** The text of one build. */
export function kernelText({ isRelaxed, isShared }: KernelTextOptions): string {
  return moduleText(kernelFunctions(buildFor(isRelaxed)), kernelData, isShared);
}
