/**
 * @module
 * Bodies of requests and responses (recovery spec §1.4), without the length prefix of a frame. All
 * decoders read a prefix and leave trailing bytes alone, as the reference does; they throw nothing
 * but {@link CodecError}. What they return are views of the message.
 */

import {
  type AvailableData,
  type PoV,
  readAvailableData,
  readPov,
} from '../src/codec/available-data.ts';
import {
  partsBytes,
  readErasureChunk,
  readProof,
  writeErasureChunk,
  writeProof,
} from '../src/codec/erasure-chunk.ts';
import { ScaleReader, ScaleWriter } from '../src/codec/scale.ts';
import { fromHex, toHex } from '../src/primitives/bytes.ts';
import type { Chunk } from '../src/primitives/chunk.ts';
import { HASH_BYTES } from '../src/primitives/hash.ts';
import {
  type CandidateHash,
  candidateHash,
  chunkIndex,
  type ValidatorIndex,
  validatorIndex,
} from '../src/primitives/ids.ts';

/** First byte of a response that carries what was asked for. */
const FOUND = 0;
/** First and only byte of NoSuchChunk, NoSuchData and NoSuchPoV. */
const NO_SUCH = 1;

/** Body of `req_chunk/1` and `/2` requests: "the chunk that belongs to this validator". */
export type ChunkRequest = {
  readonly candidateHash: CandidateHash;
  readonly validatorIndex: ValidatorIndex;
};

/**
 * Body of a chunk request, 36 bytes, alike in both versions.
 *
 * @throws RangeError when the validator index is no 32-bit integer.
 */
export function encodeChunkRequest(request: ChunkRequest): Uint8Array {
  return new ScaleWriter(HASH_BYTES + 4)
    .fixed('candidateHash', fromHex(request.candidateHash), HASH_BYTES)
    .u32('validatorIndex', request.validatorIndex)
    .finish();
}

/**
 * Reads a chunk request. The index is any 32-bit number.
 *
 * @throws {@link CodecError} `unexpected_end`.
 */
export function decodeChunkRequest(bytes: Uint8Array): ChunkRequest {
  const reader = new ScaleReader(bytes);
  const hash = readCandidateHash(reader);
  return { candidateHash: hash, validatorIndex: validatorIndex(reader.u32()) };
}

/** Body of a `req_available_data/1` request: the candidate hash, 32 bytes. */
export function encodeDataRequest(hash: CandidateHash): Uint8Array {
  return fromHex(hash, HASH_BYTES);
}

/**
 * Reads a request for available data.
 *
 * @throws {@link CodecError} `unexpected_end`.
 */
export function decodeDataRequest(bytes: Uint8Array): CandidateHash {
  return readCandidateHash(new ScaleReader(bytes));
}

/** Body of a `req_pov/1` request: the candidate hash, 32 bytes. */
export function encodePovRequest(hash: CandidateHash): Uint8Array {
  return encodeDataRequest(hash);
}

/** Reads a request for a PoV; faults as {@link decodeDataRequest}. */
export function decodePovRequest(bytes: Uint8Array): CandidateHash {
  return decodeDataRequest(bytes);
}

/**
 * Body of a `req_chunk/2` response: chunk, index, proof; `undefined` is NoSuchChunk.
 *
 * Spec: recovery spec §1.4. RFC-47's prose has the proof before the index; deployed nodes do not.
 *
 * @throws RangeError when the index is no 32-bit integer or the proof is out of bounds.
 */
export function encodeChunkResponseV2(chunk: Chunk | undefined): Uint8Array {
  if (chunk === undefined) {
    return noSuch();
  }
  const writer = new ScaleWriter(1 + partsBytes(chunk) + 4).u8('found', FOUND);
  writeErasureChunk(writer, chunk);
  return writer.finish();
}

/**
 * Body of a `req_chunk/1` response: chunk, proof; `undefined` is NoSuchChunk. The index is lost, the
 * requester puts the validator index in its place.
 *
 * @throws RangeError when the proof is out of bounds.
 */
export function encodeChunkResponseV1(chunk: Chunk | undefined): Uint8Array {
  if (chunk === undefined) {
    return noSuch();
  }
  const writer = new ScaleWriter(1 + partsBytes(chunk)).u8('found', FOUND);
  writeProof(writer.byteString('chunk.bytes', chunk.bytes), chunk.proof);
  return writer.finish();
}

/**
 * Reads a `req_chunk/2` response.
 *
 * @returns The chunk with the index that the peer claims; `undefined` for NoSuchChunk.
 * @throws {@link CodecError} any code but `bad_length` and `bad_hex`.
 */
export function decodeChunkResponseV2(bytes: Uint8Array): Chunk | undefined {
  return readIfFound(bytes, readErasureChunk);
}

/**
 * Reads a `req_chunk/1` response.
 *
 * @param asked - Whose chunk was asked for; becomes the chunk index (recovery spec §1.5, rule 5).
 * @returns The chunk, `undefined` for NoSuchChunk. Faults as {@link decodeChunkResponseV2}.
 */
export function decodeChunkResponseV1(bytes: Uint8Array, asked: ValidatorIndex): Chunk | undefined {
  return readIfFound(bytes, (reader) => {
    const chunkBytes = reader.byteString();
    return { bytes: chunkBytes, chunkIndex: chunkIndex(asked), proof: readProof(reader) };
  });
}

/**
 * Body of a `req_available_data/1` response, in parts to be written one after the other, so that
 * megabytes are not copied.
 *
 * @param encodedData - SCALE of the available data as it was stored; `undefined` is NoSuchData.
 */
export function encodeDataResponse(encodedData: Uint8Array | undefined): readonly Uint8Array[] {
  return encodedData === undefined ? [noSuch()] : [Uint8Array.of(FOUND), encodedData];
}

/**
 * Reads a `req_available_data/1` response.
 *
 * @returns The data, `undefined` for NoSuchData. Faults as {@link decodeChunkResponseV2}, but for
 * `bad_proof_bounds`.
 */
export function decodeDataResponse(bytes: Uint8Array): AvailableData | undefined {
  return readIfFound(bytes, readAvailableData);
}

/**
 * Body of a `req_pov/1` response in parts, as {@link encodeDataResponse}.
 *
 * @param encodedPov - SCALE of the PoV; `undefined` is NoSuchPoV.
 */
export function encodePovResponse(encodedPov: Uint8Array | undefined): readonly Uint8Array[] {
  return encodeDataResponse(encodedPov);
}

/** Reads a `req_pov/1` response: the PoV, `undefined` for NoSuchPoV. */
export function decodePovResponse(bytes: Uint8Array): PoV | undefined {
  return readIfFound(bytes, readPov);
}

function noSuch(): Uint8Array {
  return Uint8Array.of(NO_SUCH);
}

function readCandidateHash(reader: ScaleReader): CandidateHash {
  return candidateHash(toHex(reader.fixed(HASH_BYTES)));
}

function readIfFound<T>(bytes: Uint8Array, read: (reader: ScaleReader) => T): T | undefined {
  const reader = new ScaleReader(bytes);
  const variant = reader.u8();
  if (variant !== FOUND && variant !== NO_SUCH) {
    throw reader.fault('unknown_variant', `response variant ${variant}`, 0, { variant });
  }
  return variant === FOUND ? read(reader) : undefined;
}
