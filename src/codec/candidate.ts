/**
 * @module
 * The candidate receipt: 324 opaque bytes with named accessors (recovery spec §2.3). All descriptor
 * versions have this size and are hashed alike, so nothing is lost by not parsing them.
 */

import { toHex } from '../primitives/bytes.ts';
import { CodecError, unreachable } from '../primitives/errors.ts';
import { blake2b256, HASH_BYTES } from '../primitives/hash.ts';
import { type CandidateHash, candidateHash } from '../primitives/ids.ts';
import { RECEIPT_BYTES } from '../primitives/limits.ts';
import { ScaleReader, ScaleWriter } from './scale.ts';

declare const checkedSize: unique symbol;

/** A candidate receipt of any version: exactly 324 bytes. Made by {@link candidateReceipt}. */
export type CandidateReceipt = {
  /** The SCALE form. Accessors return views of it. */
  readonly bytes: Uint8Array;
  readonly [checkedSize]: true;
};

/** What a receipt's descriptor turned out to be; `unknown` has a version byte without a meaning. */
export type DescriptorVersion = 'v1' | 'v2' | 'v3' | 'unknown';

/**
 * How the version is told from the bytes. `current`: bytes 44..59. `before_v3`: bytes 43..67 and
 * 164..227; it takes a v3 descriptor for v1 and rules validation until a session has the v3 feature.
 */
export type VersionRules = 'current' | 'before_v3';

/** Offsets of the fields (recovery spec §2.3, table). */
const AT = {
  paraId: 0,
  relayParent: 4,
  /** v1: collator key, 32 bytes. v2 and v3: version, core, session, offset, reserved. */
  collator: 36,
  version: 36,
  coreIndex: 37,
  sessionIndex: 39,
  schedulingSessionOffset: 43,
  validationDataHash: 68,
  povHash: 100,
  erasureRoot: 132,
  /** v1: signature, 64 bytes. v3: scheduling parent, then 32 zeros. */
  signature: 164,
  paraHeadHash: 228,
  validationCodeHash: 260,
  commitmentsHash: 292,
} as const;

const COLLATOR_BYTES = 32;
const SIGNATURE_BYTES = 64;
const V2_VERSION = 0;
const V3_VERSION = 1;

/**
 * Takes bytes as a receipt. Any 324 bytes are one.
 *
 * Buffers: kept as they are, not copied.
 *
 * @throws {@link CodecError} `bad_length`.
 */
export function candidateReceipt(bytes: Uint8Array): CandidateReceipt {
  if (bytes.length !== RECEIPT_BYTES) {
    throw new CodecError('bad_length', `receipt: expected ${RECEIPT_BYTES} bytes`, {
      offset: Math.min(bytes.length, RECEIPT_BYTES),
      expected: RECEIPT_BYTES,
      length: bytes.length,
    });
  }
  return { bytes } as CandidateReceipt;
}

/** The candidate hash: BLAKE2b-256 of all 324 bytes. */
export function candidateHashOf(receipt: CandidateReceipt): CandidateHash {
  return candidateHash(toHex(blake2b256(receipt.bytes)));
}

/** Id of the parachain. */
export function receiptParaId(receipt: CandidateReceipt): number {
  return readerAt(receipt, AT.paraId).u32();
}

/** Hash of the relay chain block in whose context the candidate was made. */
export function receiptRelayParent(receipt: CandidateReceipt): Uint8Array {
  return hashAt(receipt, AT.relayParent);
}

/** Hash that the recovered validation data must have. */
export function receiptValidationDataHash(receipt: CandidateReceipt): Uint8Array {
  return hashAt(receipt, AT.validationDataHash);
}

/** Hash that the recovered PoV must have. */
export function receiptPovHash(receipt: CandidateReceipt): Uint8Array {
  return hashAt(receipt, AT.povHash);
}

/** Root that the proofs of all chunks lead to. */
export function receiptErasureRoot(receipt: CandidateReceipt): Uint8Array {
  return hashAt(receipt, AT.erasureRoot);
}

/** Hash of the parachain head that the candidate produces. */
export function receiptParaHeadHash(receipt: CandidateReceipt): Uint8Array {
  return hashAt(receipt, AT.paraHeadHash);
}

/** Hash of the validation code. */
export function receiptValidationCodeHash(receipt: CandidateReceipt): Uint8Array {
  return hashAt(receipt, AT.validationCodeHash);
}

/** Hash of the candidate's commitments, which themselves are not in the receipt. */
export function receiptCommitmentsHash(receipt: CandidateReceipt): Uint8Array {
  return hashAt(receipt, AT.commitmentsHash);
}

/** Tells the descriptor's version from its bytes. Hash and roots do not depend on it. */
export function descriptorVersion(
  receipt: CandidateReceipt,
  rules: VersionRules = 'current',
): DescriptorVersion {
  const isOld = rules === 'before_v3';
  const isV1 = isOld
    ? hasNonZero(receipt, 43, 67) || hasNonZero(receipt, 164, 227)
    : hasNonZero(receipt, 44, 59);
  if (isV1) {
    return 'v1';
  }
  const version = readerAt(receipt, AT.version).u8();
  if (version === V2_VERSION) {
    return 'v2';
  }
  return version === V3_VERSION && !isOld ? 'v3' : 'unknown';
}

/** Core that the descriptor names; none in v1. Recovery takes the core from its request instead. */
export function receiptCoreIndex(receipt: CandidateReceipt): number | undefined {
  return isV1(receipt) ? undefined : readerAt(receipt, AT.coreIndex).u16();
}

/** Session of the relay parent that the descriptor names; none in v1. */
export function receiptSessionIndex(receipt: CandidateReceipt): number | undefined {
  return isV1(receipt) ? undefined : readerAt(receipt, AT.sessionIndex).u32();
}

/** Session of the scheduling parent: in v3 the session plus an offset, in v2 the session itself. */
export function receiptSchedulingSession(receipt: CandidateReceipt): number | undefined {
  const version = descriptorVersion(receipt);
  if (version !== 'v2' && version !== 'v3') {
    return undefined;
  }
  const sessionIndex = readerAt(receipt, AT.sessionIndex).u32();
  const offset = version === 'v3' ? readerAt(receipt, AT.schedulingSessionOffset).u8() : 0;
  return sessionIndex + offset;
}

/** Hash of the scheduling parent; only v3 has one. */
export function receiptSchedulingParent(receipt: CandidateReceipt): Uint8Array | undefined {
  return descriptorVersion(receipt) === 'v3' ? hashAt(receipt, AT.signature) : undefined;
}

/** The collator's sr25519 key, 32 bytes; only v1 has one. */
export function receiptCollator(receipt: CandidateReceipt): Uint8Array | undefined {
  return isV1(receipt) ? readerAt(receipt, AT.collator).fixed(COLLATOR_BYTES) : undefined;
}

/** The collator's signature, 64 bytes; only v1 has one. */
export function receiptSignature(receipt: CandidateReceipt): Uint8Array | undefined {
  return isV1(receipt) ? readerAt(receipt, AT.signature).fixed(SIGNATURE_BYTES) : undefined;
}

/** What every receipt carries. Hashes are 32 bytes. */
export type CommonReceiptFields = {
  readonly paraId: number;
  readonly relayParent: Uint8Array;
  readonly validationDataHash: Uint8Array;
  readonly povHash: Uint8Array;
  readonly erasureRoot: Uint8Array;
  readonly paraHeadHash: Uint8Array;
  readonly validationCodeHash: Uint8Array;
  readonly commitmentsHash: Uint8Array;
};

/** The fields of a receipt by descriptor version. */
export type ReceiptFields =
  | (CommonReceiptFields & {
      readonly version: 'v1';
      /** 32 bytes, default zero. */
      readonly collator?: Uint8Array;
      /** 64 bytes, default zero. */
      readonly signature?: Uint8Array;
    })
  | (CommonReceiptFields & {
      readonly version: 'v2';
      /** 16 bits. */
      readonly coreIndex: number;
      readonly sessionIndex: number;
    })
  | (CommonReceiptFields & {
      readonly version: 'v3';
      /** 16 bits. */
      readonly coreIndex: number;
      readonly sessionIndex: number;
      /** `sessionIndex` to `sessionIndex + 255`, default `sessionIndex`. */
      readonly schedulingSession?: number;
      /** 32 bytes, default the relay parent. */
      readonly schedulingParent?: Uint8Array;
    });

/**
 * Builds a receipt. The bytes carry no tag for v1: one whose collator key has zeros at bytes 8..23
 * (an all-zero key, for instance) reads as v2 or later; its hash is that of the v1 receipt all the same.
 *
 * @throws RangeError when a number or hash does not fit its field.
 */
export function encodeReceipt(fields: ReceiptFields): CandidateReceipt {
  const writer = new ScaleWriter(RECEIPT_BYTES)
    .u32('paraId', fields.paraId)
    .fixed('relayParent', fields.relayParent, HASH_BYTES);
  writeVersionPart(writer, fields);
  writer
    .fixed('validationDataHash', fields.validationDataHash, HASH_BYTES)
    .fixed('povHash', fields.povHash, HASH_BYTES)
    .fixed('erasureRoot', fields.erasureRoot, HASH_BYTES);
  writeSignaturePart(writer, fields);
  writer
    .fixed('paraHeadHash', fields.paraHeadHash, HASH_BYTES)
    .fixed('validationCodeHash', fields.validationCodeHash, HASH_BYTES)
    .fixed('commitmentsHash', fields.commitmentsHash, HASH_BYTES);
  return candidateReceipt(writer.finish());
}

/** The 32 bytes from 36. */
function writeVersionPart(writer: ScaleWriter, fields: ReceiptFields): void {
  switch (fields.version) {
    case 'v1':
      writer.fixed('collator', fields.collator ?? new Uint8Array(COLLATOR_BYTES), COLLATOR_BYTES);
      break;
    case 'v2':
      writer.u8('version', V2_VERSION).u16('coreIndex', fields.coreIndex);
      writer.u32('sessionIndex', fields.sessionIndex).zeros(25);
      break;
    case 'v3': {
      const schedulingSession = fields.schedulingSession ?? fields.sessionIndex;
      writer.u8('version', V3_VERSION).u16('coreIndex', fields.coreIndex);
      writer.u32('sessionIndex', fields.sessionIndex);
      writer.u8('schedulingSession - sessionIndex', schedulingSession - fields.sessionIndex);
      writer.zeros(24);
      break;
    }
    default:
      unreachable(fields);
  }
}

/** The 64 bytes from 164. */
function writeSignaturePart(writer: ScaleWriter, fields: ReceiptFields): void {
  switch (fields.version) {
    case 'v1':
      writer.fixed(
        'signature',
        fields.signature ?? new Uint8Array(SIGNATURE_BYTES),
        SIGNATURE_BYTES,
      );
      break;
    case 'v2':
      writer.zeros(SIGNATURE_BYTES);
      break;
    case 'v3':
      writer.fixed('schedulingParent', fields.schedulingParent ?? fields.relayParent, HASH_BYTES);
      writer.zeros(SIGNATURE_BYTES - HASH_BYTES);
      break;
    default:
      unreachable(fields);
  }
}

function isV1(receipt: CandidateReceipt): boolean {
  return descriptorVersion(receipt) === 'v1';
}

/** Whether any byte from `first` to `last`, both included, is not zero. */
function hasNonZero(receipt: CandidateReceipt, first: number, last: number): boolean {
  return receipt.bytes.subarray(first, last + 1).some((byte) => byte !== 0);
}

function readerAt(receipt: CandidateReceipt, offset: number): ScaleReader {
  return new ScaleReader(receipt.bytes.subarray(offset));
}

function hashAt(receipt: CandidateReceipt, offset: number): Uint8Array {
  return readerAt(receipt, offset).fixed(HASH_BYTES);
}
