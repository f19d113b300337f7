/**
 * @module
 * Codec v1, the erasure code of Polkadot (erasure spec §2–4): which rows are transformed, scaled and
 * moved, in which order. All arithmetic on symbols is the engine's.
 */

import type { ErasureCodec } from './codec.ts';
import { reassembleReceived, reconstructReceived } from './decode-v1.ts';
import type { TransformEngine } from './engine.ts';
import { rowsFrom } from './engine.ts';
import { SCALAR_ENGINE } from './engine-scalar.ts';
import { chunkLayout, eachStripe, payloadLayout, stripeColumns } from './layout.ts';
import { columnCount, parametersV1 } from './parameters.ts';
import {
  admitShards,
  admitSystematicShards,
  bytesInOrder,
  type Shard,
  shardsOf,
} from './shards.ts';

/** Interpolates the payload's columns at positions 0 .. k-1 and evaluates at all others (§4.2). */
function encodeChunks(
  engine: TransformEngine,
  payload: Uint8Array,
  validatorCount: number,
): Uint8Array[] {
  const k = parametersV1(validatorCount).systematicThreshold;
  const columns = columnCount(payload.length, k);
  const chunks = Array.from({ length: validatorCount }, () => new Uint8Array(2 * columns));
  const stride = stripeColumns(engine, k, columns);
  const memory = engine.workspace(2 * k * stride);
  const data = { memory, start: 0, stride };
  const coset = { memory, start: k * stride, stride };

  eachStripe(columns, stride, (first, width) => {
    const range = { from: 0, to: width };
    const storeChunks = (rows: typeof data, base: number): void => {
      chunks.slice(base, base + k).forEach((bytes, row) => {
        const job = { rows: rowsFrom(rows, row), rowCount: 1, columns: range, bytes };
        engine.store({ ...job, layout: chunkLayout(first) });
      });
    };
    const layout = payloadLayout(k, first);
    engine.load({ rows: data, rowCount: k, columns: range, bytes: payload, layout });
    storeChunks(data, 0);
    engine.transform({ kind: 'ifft', base: 0, size: k, rows: data, columns: range });
    for (let base = k; base < validatorCount; base += k) {
      const used = Math.min(k, validatorCount - base);
      const place = { rows: coset, source: data, columns: range };
      engine.transform({ kind: 'fft', base, size: k, used, ...place });
      storeChunks(coset, base);
    }
  });
  return chunks;
}

/**
 * {@link ErasureCodec.reconstruct} over bare shards. For test vectors and for decoding where no root
 * is known; what comes out is as unverified as what went in.
 *
 * @throws {@link ErasureError} as {@link ErasureCodec.reconstruct}, in that order.
 */
export function reconstructUnchecked(
  shards: readonly Shard[],
  validatorCount: number,
  engine: TransformEngine = SCALAR_ENGINE,
): Uint8Array {
  const parameters = parametersV1(validatorCount);
  const received = admitShards(shards, validatorCount, parameters.systematicThreshold);
  return reconstructReceived(engine, parameters, received);
}

/**
 * {@link ErasureCodec.reassemble} over bare shards: `shards[i]` is taken for chunk `i`, and what
 * follows the systematic ones is not looked at. Use as {@link reconstructUnchecked}.
 *
 * @throws {@link ErasureError} as {@link ErasureCodec.reassemble}, in that order.
 */
export function reassembleUnchecked(
  shards: readonly Uint8Array[],
  validatorCount: number,
  engine: TransformEngine = SCALAR_ENGINE,
): Uint8Array {
  const k = parametersV1(validatorCount).systematicThreshold;
  return reassembleReceived(engine, k, admitSystematicShards(shards, k));
}

/** Codec v1 on a given engine. */
export function codecV1(engine: TransformEngine): ErasureCodec {
  return {
    id: 'v1',
    parameters: parametersV1,
    chunkBytes: (payloadBytes, validatorCount) =>
      2 * columnCount(payloadBytes, parametersV1(validatorCount).systematicThreshold),
    encodeChunks: (payload, validatorCount) => encodeChunks(engine, payload, validatorCount),
    reconstruct: (chunks, validatorCount) =>
      reconstructUnchecked(shardsOf(chunks), validatorCount, engine),
    reassemble: (chunks, validatorCount) => {
      const k = parametersV1(validatorCount).systematicThreshold;
      return reassembleUnchecked(bytesInOrder(chunks, k), validatorCount, engine);
    },
  };
}

/** Codec v1 on the scalar engine: the plain form, and the one to compare others with. */
export const PLAIN_CODEC_V1: ErasureCodec = codecV1(SCALAR_ENGINE);
