/**
 * @module
 * The kernel as other folders see it. Re-exports only.
 */

export type { ColumnRange } from '../engine.ts';
export {
  COLUMN_ALIGNMENT,
  type OutputRows,
  paddedColumns,
  payloadBytesInArena,
  rowStride,
  stripeWidth,
} from './code-shape.ts';
export { coefficientRows } from './coefficient-rows.ts';
export type {
  DecodeColumnsJob,
  EncodeColumnsJob,
  ReassembleColumnsJob,
  RecoverRowsColumnsJob,
  RevealColumnsJob,
} from './column-jobs.ts';
export { decodeColumns } from './decode-columns.ts';
export { decodePlan } from './decode-plan.ts';
export { encodeColumns } from './encode-columns.ts';
export {
  chooseEngine,
  detectEngine,
  ENGINE_IDS,
  type EngineChoice,
  type EngineId,
  isEngineId,
} from './engine-choice.ts';
export { chooseHashKernel } from './hash-kernel-choice.ts';
export {
  kernelModule,
  type SimdEngineId,
} from './kernel.ts';
export { kernelCodec, kernelDecoder } from './kernel-codec.ts';
export {
  attachContext,
  type ContextAreas,
  createContext,
  type KernelContext,
  LIST_BYTES,
  SCRATCH_BYTES,
  takeAreas,
  WORK_BYTES,
} from './kernel-context.ts';
export { KernelMemory, MemoryViews } from './kernel-memory.ts';
export { revealColumns } from './reveal-columns.ts';
export { reassembleColumns, recoverRowsColumns } from './row-columns.ts';
export {
  HASH_GROUP_ALIGNMENT,
  HASH_KERNELS,
  HASH_STATE_BYTES,
  type HashKernel,
  type HashRowGroupJob,
  type HashRowsJob,
  hashRowGroup,
  hashRows,
} from './row-hasher.ts';
export type { WasmMemory, WasmModule } from './web-assembly.ts';
