/**
 * @module
 * SCALE of the available data and its two parts, and their hashes (recovery spec §2.2). The PoV is
 * opaque here: nothing decompresses it, and `maxPovSize` is not enforced.
 */

import { blake2b256, HASH_BYTES } from '../primitives/hash.ts';
import {
  compactBytes,
  type Decoded,
  decodePrefix,
  type ScaleReader,
  ScaleWriter,
} from './scale.ts';

/** Proof of validity: what a validator needs to execute the candidate. */
export type PoV = {
  /** The block data as it travels, usually compressed. */
  readonly blockData: Uint8Array;
};

/** The inputs of validation that the relay chain committed to. */
export type PersistedValidationData = {
  /** Head data of the parent parachain block. */
  readonly parentHead: Uint8Array;
  /** Number of the relay parent block, 32 bits. */
  readonly relayParentNumber: number;
  /** Storage root of the relay parent, 32 bytes. */
  readonly relayParentStorageRoot: Uint8Array;
  /** Largest PoV allowed, in bytes, 32 bits. Recovery does not enforce it. */
  readonly maxPovSize: number;
};

/** What recovery gives back. Its SCALE form is the payload of the erasure code. */
export type AvailableData = {
  readonly pov: PoV;
  readonly validationData: PersistedValidationData;
};

/**
 * SCALE of the available data: PoV first.
 *
 * @throws RangeError when a number or hash does not fit its field.
 */
export function encodeAvailableData(data: AvailableData): Uint8Array {
  const writer = new ScaleWriter(povBytes(data.pov) + validationDataBytes(data.validationData));
  writePov(writer, data.pov);
  writeValidationData(writer, data.validationData);
  return writer.finish();
}

/**
 * Reads available data from the front of `bytes`. What follows is tolerated, as reconstruction pads
 * with zeros; `bytesRead === bytes.length` holds exactly for the canonical encoding of the value.
 *
 * Buffers: `blockData`, `parentHead` and the storage root are views of `bytes`.
 *
 * @throws {@link CodecError} `unexpected_end`, `non_canonical_compact`, `out_of_range`.
 */
export function decodeAvailableData(bytes: Uint8Array): Decoded<AvailableData> {
  return decodePrefix(bytes, readAvailableData);
}

/** As {@link decodeAvailableData}, inside a longer message. */
export function readAvailableData(reader: ScaleReader): AvailableData {
  const pov = readPov(reader);
  return { pov, validationData: readValidationData(reader) };
}

/** SCALE of a PoV: the block data with its length in front. */
export function encodePov(pov: PoV): Uint8Array {
  const writer = new ScaleWriter(povBytes(pov));
  writePov(writer, pov);
  return writer.finish();
}

/** Reads a PoV from the front of `bytes`, as a view. Faults as {@link decodeAvailableData}. */
export function decodePov(bytes: Uint8Array): Decoded<PoV> {
  return decodePrefix(bytes, readPov);
}

/** As {@link decodePov}, inside a longer message. */
export function readPov(reader: ScaleReader): PoV {
  return { blockData: reader.byteString() };
}

/** The PoV hash of a receipt: over the SCALE form, length prefix included. 32 bytes. */
export function hashPov(pov: PoV): Uint8Array {
  return blake2b256(encodePov(pov));
}

/**
 * SCALE of the validation data.
 *
 * @throws RangeError when a number or hash does not fit its field.
 */
export function encodeValidationData(data: PersistedValidationData): Uint8Array {
  const writer = new ScaleWriter(validationDataBytes(data));
  writeValidationData(writer, data);
  return writer.finish();
}

/** Reads validation data from the front of `bytes`. Faults as {@link decodeAvailableData}. */
export function decodeValidationData(bytes: Uint8Array): Decoded<PersistedValidationData> {
  return decodePrefix(bytes, readValidationData);
}

/** The validation data hash of a receipt, 32 bytes. */
export function hashValidationData(data: PersistedValidationData): Uint8Array {
  return blake2b256(encodeValidationData(data));
}

function readValidationData(reader: ScaleReader): PersistedValidationData {
  const parentHead = reader.byteString();
  const relayParentNumber = reader.u32();
  const relayParentStorageRoot = reader.fixed(HASH_BYTES);
  return { parentHead, relayParentNumber, relayParentStorageRoot, maxPovSize: reader.u32() };
}

function writePov(writer: ScaleWriter, pov: PoV): void {
  writer.byteString('blockData', pov.blockData);
}

function writeValidationData(writer: ScaleWriter, data: PersistedValidationData): void {
  writer
    .byteString('parentHead', data.parentHead)
    .u32('relayParentNumber', data.relayParentNumber)
    .fixed('relayParentStorageRoot', data.relayParentStorageRoot, HASH_BYTES)
    .u32('maxPovSize', data.maxPovSize);
}

/** Sizes are computed first so that megabytes are copied once. */
function povBytes(pov: PoV): number {
  return compactBytes(pov.blockData.length) + pov.blockData.length;
}

function validationDataBytes(data: PersistedValidationData): number {
  return compactBytes(data.parentHead.length) + data.parentHead.length + 4 + HASH_BYTES + 4;
}
