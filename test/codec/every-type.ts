/**
 * @module
 * Every encoder with its decoder, as one table that the property tests run over. A decoder of a new
 * type gets a row here and with it all of the properties.
 */

import {
  decodeChunkRequest,
  decodeChunkResponseV1,
  decodeChunkResponseV2,
  decodeDataRequest,
  decodeDataResponse,
  decodePovRequest,
  decodePovResponse,
  encodeChunkRequest,
  encodeChunkResponseV1,
  encodeChunkResponseV2,
  encodeDataRequest,
  encodeDataResponse,
  encodePovRequest,
  encodePovResponse,
} from '../../protocol/messages.ts';
import {
  type AvailableData,
  decodeAvailableData,
  decodePov,
  decodeValidationData,
  encodeAvailableData,
  encodePov,
  encodeValidationData,
  type PoV,
} from '../../src/codec/available-data.ts';
import {
  type CandidateReceipt,
  candidateReceipt,
  encodeReceipt,
} from '../../src/codec/candidate.ts';
import {
  decodeErasureChunk,
  decodeProof,
  encodeErasureChunk,
  encodeProof,
} from '../../src/codec/erasure-chunk.ts';
import { decodeNodeFeatures, encodeNodeFeatures } from '../../src/codec/node-features.ts';
import { decodePrefix, ScaleWriter } from '../../src/codec/scale.ts';
import { concatBytes } from '../../src/primitives/bytes.ts';
import { chunkIndex, validatorIndex } from '../../src/primitives/ids.ts';
import type { NodeFeatures } from '../../src/primitives/node-features.ts';
import * as some from './generators.ts';

/** One row: how to make a value, its bytes, and the value back. */
export type TypeRow = {
  readonly name: string;
  /** Whether two different byte strings never decode to the same value. */
  readonly isCanonical: boolean;
  /** The error of an encoding that was cut short. */
  readonly cutCode: 'unexpected_end' | 'bad_length';
  readonly make: (draws: some.Draws) => unknown;
  readonly encode: (value: unknown) => Uint8Array;
  /** The value at the front of the bytes; `bytesRead` where the decoder tells it. */
  readonly decode: (bytes: Uint8Array) => { readonly value: unknown; readonly bytesRead?: number };
};

/** The validator asked for in version-1 answers, which carry no index. */
const ASKED = validatorIndex(7);

function row<T>(
  name: string,
  make: (draws: some.Draws) => T,
  encode: (value: T) => Uint8Array,
  decode: (bytes: Uint8Array) => { readonly value: T; readonly bytesRead?: number },
  more: Partial<Pick<TypeRow, 'isCanonical' | 'cutCode'>> = {},
): TypeRow {
  return {
    name,
    isCanonical: true,
    cutCode: 'unexpected_end',
    make,
    encode: (value) => encode(value as T),
    decode,
    ...more,
  };
}

/** One in eight is the answer "no such". */
function maybe<T>(make: (draws: some.Draws) => T): (draws: some.Draws) => T | undefined {
  return (draws) => (draws.below(8) === 0 ? undefined : make(draws));
}

function bare<T>(decode: (bytes: Uint8Array) => T): (bytes: Uint8Array) => { readonly value: T } {
  return (bytes) => ({ value: decode(bytes) });
}

/** Every type, in the order of the digests. */
export const EVERY_TYPE: readonly TypeRow[] = [
  row(
    'compact_u32',
    (draws) => draws.u32(),
    (value) => new ScaleWriter().compact('value', value).finish(),
    (bytes) => decodePrefix(bytes, (reader) => reader.compactU32()),
  ),
  row(
    'compact_u64',
    (draws) => (BigInt(draws.u32()) << BigInt(draws.below(33))) + BigInt(draws.below(2)),
    (value) => new ScaleWriter().compact('value', value).finish(),
    (bytes) => decodePrefix(bytes, (reader) => reader.compactU64()),
  ),
  row<AvailableData>(
    'available_data',
    some.someAvailableData,
    encodeAvailableData,
    decodeAvailableData,
  ),
  row<PoV>('pov', (draws) => some.someAvailableData(draws).pov, encodePov, decodePov),
  row(
    'validation_data',
    (draws) => some.someAvailableData(draws).validationData,
    encodeValidationData,
    decodeValidationData,
  ),
  row<CandidateReceipt>(
    'receipt',
    (draws) => encodeReceipt(some.someReceipt(draws)),
    (receipt) => receipt.bytes,
    bare(candidateReceipt),
    { cutCode: 'bad_length' },
  ),
  row('proof', some.someProof, encodeProof, decodeProof),
  row('erasure_chunk', some.someChunk, encodeErasureChunk, decodeErasureChunk),
  row<NodeFeatures>('node_features', some.someFeatures, encodeNodeFeatures, decodeNodeFeatures, {
    isCanonical: false,
  }),
  row(
    'chunk_request',
    (draws) => ({
      candidateHash: some.someHash(draws),
      validatorIndex: validatorIndex(draws.u32()),
    }),
    encodeChunkRequest,
    bare(decodeChunkRequest),
  ),
  row('data_request', some.someHash, encodeDataRequest, bare(decodeDataRequest)),
  row('pov_request', some.someHash, encodePovRequest, bare(decodePovRequest)),
  row(
    'chunk_response_v1',
    maybe((draws) => ({ ...some.someChunk(draws), chunkIndex: chunkIndex(ASKED) })),
    encodeChunkResponseV1,
    bare((bytes) => decodeChunkResponseV1(bytes, ASKED)),
  ),
  row(
    'chunk_response_v2',
    maybe(some.someChunk),
    encodeChunkResponseV2,
    bare(decodeChunkResponseV2),
  ),
  row(
    'data_response',
    maybe(some.someAvailableData),
    (data) =>
      concatBytes(encodeDataResponse(data === undefined ? undefined : encodeAvailableData(data))),
    bare(decodeDataResponse),
  ),
  row(
    'pov_response',
    maybe((draws) => some.someAvailableData(draws).pov),
    (pov) => concatBytes(encodePovResponse(pov === undefined ? undefined : encodePov(pov))),
    bare(decodePovResponse),
  ),
];
