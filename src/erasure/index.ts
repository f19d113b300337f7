/**
 * @module
 * The erasure code as other folders see it. Re-exports only.
 */

export { CODEC_V1, codecOn } from './best-codec.ts';
export type { CodecId, CodeParameters, ErasureCodec } from './codec.ts';
export {
  codecV1,
  PLAIN_CODEC_V1,
  reassembleUnchecked,
  reconstructUnchecked,
} from './codec-v1.ts';
export type {
  ByteLayout,
  ColumnRange,
  CopyJob,
  DerivativeJob,
  MultiplyAddJob,
  Rows,
  ScaleJob,
  TransformEngine,
  TransformJob,
} from './engine.ts';
export { SCALAR_ENGINE, scalarEngine } from './engine-scalar.ts';
export type { Shard } from './shards.ts';
