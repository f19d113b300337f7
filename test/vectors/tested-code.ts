/**
 * @module
 * The erasure code that vectors are run on: what the package ships, unless a test brings another engine.
 */

import {
  CODEC_V1,
  type ErasureCodec,
  reassembleUnchecked,
  reconstructUnchecked,
  type Shard,
} from '../../src/erasure/index.ts';

/** A codec and its decoders of bare shards. */
export type TestedCode = {
  readonly codec: ErasureCodec;
  readonly reconstruct: (shards: readonly Shard[], validatorCount: number) => Uint8Array;
  readonly reassemble: (shards: readonly Uint8Array[], validatorCount: number) => Uint8Array;
};

/** The package's codec, and the scalar decoders. */
export const SHIPPED_CODE: TestedCode = {
  codec: CODEC_V1,
  reconstruct: reconstructUnchecked,
  reassemble: reassembleUnchecked,
};
