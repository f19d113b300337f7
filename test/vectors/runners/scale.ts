/**
 * @module
 * Runner of `scale.json`: compact integers, available data, receipts, node features and the bodies
 * of all messages, encoded and decoded, and what the reference's decoder refuses.
 */

import {
  decodeAvailableData,
  decodePov,
  decodeValidationData,
  encodeAvailableData,
  encodePov,
  encodeValidationData,
  hashPov,
  hashValidationData,
} from '../../../src/codec/available-data.ts';
import {
  candidateHashOf,
  candidateReceipt,
  descriptorVersion,
  receiptCoreIndex,
  receiptErasureRoot,
  receiptPovHash,
  receiptSchedulingSession,
  receiptSessionIndex,
} from '../../../src/codec/candidate.ts';
import { decodeNodeFeatures, encodeNodeFeatures } from '../../../src/codec/node-features.ts';
import { ScaleReader, ScaleWriter } from '../../../src/codec/scale.ts';
import { fromHex, toHex } from '../../../src/primitives/bytes.ts';
import { AVAILABILITY_CHUNK_MAPPING_BIT } from '../../../src/primitives/node-features.ts';
import { type Expected, inFormOf, type Source, sourceBytes } from '../payload.ts';
import type { Checks } from '../runner.ts';
import {
  availableData,
  checkMessage,
  checkMessageDecode,
  type DataFields,
  type Message,
  type MessageDecode,
  refuses,
} from './scale-messages.ts';

type Value = DataFields & {
  readonly pov_source: Source;
  readonly parent_head?: string;
  readonly parent_head_source?: Source;
  readonly pov: Expected;
  readonly pov_hash: string;
  readonly persisted_validation_data: Expected;
  readonly persisted_validation_data_hash: string;
  readonly available_data: Expected;
};

type Receipt = {
  readonly what: string;
  readonly scale: string;
  readonly descriptor_len: number;
  readonly candidate_hash: string;
  readonly pov_hash: string;
  readonly erasure_root: string;
  readonly version: string;
  readonly version_old_rules: string;
  readonly core_index: number | null;
  readonly session_index: number | null;
  readonly scheduling_session: number | null;
};

type Features = {
  readonly what: string;
  readonly bits: string;
  readonly scale: string;
  readonly chunk_mapping: boolean;
};

type FeaturesDecode = Partial<Features> & {
  readonly what: string;
  readonly scale: string;
  readonly unread?: number;
  readonly reencoded?: string;
  readonly error?: string;
};

/** A file may leave sections out. */
type File = {
  readonly compact_u64?: readonly (readonly [value: string, scale: string])[];
  readonly compact_u32_decode?: readonly (
    | readonly [scale: string, error: 'error']
    | readonly [scale: string, value: number, unread: number]
  )[];
  readonly values?: readonly Value[];
  readonly receipts?: readonly Receipt[];
  readonly node_features?: {
    readonly encode: readonly Features[];
    readonly decode: readonly FeaturesDecode[];
  };
  readonly messages?: readonly Message[];
  readonly message_decode?: readonly MessageDecode[];
};

/** Compares everything in a file of this format. */
export function scaleRunner(content: unknown, checks: Checks): void {
  const file = content as File;
  checkCompacts(file, checks);
  for (const value of file.values ?? []) {
    checkValue(value, checks);
  }
  for (const receipt of file.receipts ?? []) {
    checkReceipt(receipt, checks);
  }
  for (const features of file.node_features?.encode ?? []) {
    checkFeatures(features, checks);
  }
  for (const features of file.node_features?.decode ?? []) {
    checkFeaturesDecode(features, checks);
  }
  for (const message of file.messages ?? []) {
    checkMessage(message, checks);
  }
  for (const message of file.message_decode ?? []) {
    checkMessageDecode(message, checks);
  }
}

function checkCompacts(file: File, checks: Checks): void {
  for (const [value, scale] of file.compact_u64 ?? []) {
    const bytes = new ScaleWriter().compact('value', BigInt(value)).finish();
    checks.equal(toHex(bytes), scale, `compact ${value}`);
    const read = new ScaleReader(fromHex(scale)).compactU64();
    checks.equal(read.toString(), value, `compact from ${scale}`);
  }
  for (const [scale, value, unread] of file.compact_u32_decode ?? []) {
    const reader = new ScaleReader(fromHex(scale));
    if (value === 'error') {
      refuses(checks, () => reader.compactU32(), `compact u32 from ${scale}`);
    } else {
      const got = [reader.compactU32(), reader.remaining];
      checks.equal(got, [value, unread], `compact u32 from ${scale}`);
    }
  }
}

function checkValue(value: Value, checks: Checks): void {
  const what = `value ${value.pov_source.join(' ')}`;
  const head = sourceBytes(value.parent_head ?? value.parent_head_source ?? '');
  const data = availableData(sourceBytes(value.pov_source), head, value);
  const { pov, validationData } = data;
  const parts = [
    [encodePov(pov), decodePov, value.pov, 'PoV'],
    [
      encodeValidationData(validationData),
      decodeValidationData,
      value.persisted_validation_data,
      'validation data',
    ],
    [encodeAvailableData(data), decodeAvailableData, value.available_data, 'available data'],
  ] as const;
  const sources = [pov, validationData, data];
  for (const [i, [bytes, decode, expected, part]] of parts.entries()) {
    checks.equal(inFormOf(expected, bytes), expected, `${what}: ${part}`);
    const decoded = decode(bytes);
    checks.equal(decoded.bytesRead, bytes.length, `${what}: ${part}, bytes read`);
    checks.equal(decoded.value, sources[i], `${what}: ${part}, decoded`);
  }
  checks.equal(toHex(hashPov(pov)), value.pov_hash, `${what}: PoV hash`);
  checks.equal(
    toHex(hashValidationData(validationData)),
    value.persisted_validation_data_hash,
    `${what}: validation data hash`,
  );
}

function checkReceipt(expected: Receipt, checks: Checks): void {
  const what = `receipt ${expected.what}`;
  const receipt = candidateReceipt(fromHex(expected.scale));
  checks.equal(receipt.bytes.length - 32, expected.descriptor_len, `${what}: descriptor`);
  checks.equal(candidateHashOf(receipt), expected.candidate_hash, `${what}: candidate hash`);
  checks.equal(toHex(receiptPovHash(receipt)), expected.pov_hash, `${what}: PoV hash`);
  checks.equal(toHex(receiptErasureRoot(receipt)), expected.erasure_root, `${what}: root`);
  const version = versionText(descriptorVersion(receipt), receipt.bytes);
  checks.equal(version, expected.version, `${what}: version`);
  const old = versionText(descriptorVersion(receipt, 'before_v3'), receipt.bytes);
  checks.equal(old, expected.version_old_rules, `${what}: version by the old rules`);
  checks.equal(receiptCoreIndex(receipt) ?? null, expected.core_index, `${what}: core`);
  checks.equal(receiptSessionIndex(receipt) ?? null, expected.session_index, `${what}: session`);
  checks.equal(
    receiptSchedulingSession(receipt) ?? null,
    expected.scheduling_session,
    `${what}: scheduling session`,
  );
}

function checkFeatures(expected: Features, checks: Checks): void {
  const what = `node features, ${expected.what} ${expected.bits}`;
  const bits = bitsFrom(expected.bits);
  checks.equal(toHex(encodeNodeFeatures(bits)), expected.scale, what);
  const decoded = decodeNodeFeatures(fromHex(expected.scale)).value;
  checks.equal(decoded, bits, `${what}: decoded`);
  const hasMapping = decoded[AVAILABILITY_CHUNK_MAPPING_BIT] ?? false;
  checks.equal(hasMapping, expected.chunk_mapping, `${what}: chunk mapping`);
}

function checkFeaturesDecode(expected: FeaturesDecode, checks: Checks): void {
  const what = `node features, ${expected.what}`;
  const bytes = fromHex(expected.scale);
  if (expected.error !== undefined) {
    refuses(checks, () => decodeNodeFeatures(bytes), what);
    return;
  }
  const { value, bytesRead } = decodeNodeFeatures(bytes);
  checks.equal(value, bitsFrom(expected.bits ?? ''), what);
  checks.equal(bytes.length - bytesRead, expected.unread, `${what}: unread`);
  checks.equal(toHex(encodeNodeFeatures(value)), expected.reencoded, `${what}: encoded again`);
  const hasMapping = value[AVAILABILITY_CHUNK_MAPPING_BIT] ?? false;
  checks.equal(hasMapping, expected.chunk_mapping, `${what}: chunk mapping`);
}

/** The reference's spelling of a version: `V2`, `Unknown(7)`. */
function versionText(version: string, receipt: Uint8Array): string {
  return version === 'unknown' ? `Unknown(${receipt[36]})` : version.toUpperCase();
}

function bitsFrom(text: string): boolean[] {
  return Array.from(text, (bit) => bit === '1');
}
