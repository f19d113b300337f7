/**
 * @module
 * Receipts: the golden hashes, every accessor, both version rules byte by byte, misuse.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CandidateReceipt,
  candidateHashOf,
  candidateReceipt,
  descriptorVersion,
  encodeReceipt,
  type ReceiptFields,
  receiptCollator,
  receiptCommitmentsHash,
  receiptCoreIndex,
  receiptErasureRoot,
  receiptParaHeadHash,
  receiptParaId,
  receiptPovHash,
  receiptRelayParent,
  receiptSchedulingParent,
  receiptSchedulingSession,
  receiptSessionIndex,
  receiptSignature,
  receiptValidationCodeHash,
  receiptValidationDataHash,
} from '../../src/codec/candidate.ts';
import { SEED, seeded } from '../support/seed.ts';
import { faultOf } from './faults.ts';
import { Draws, someReceipt } from './generators.ts';

function fill(byte: number, length = 32): Uint8Array {
  return new Uint8Array(length).fill(byte);
}

/** The common fields of the golden receipts (recovery spec §2.3). */
const COMMON = {
  paraId: 2000,
  relayParent: fill(0x0a),
  validationDataHash: fill(1),
  povHash: fill(3),
  erasureRoot: fill(4),
  paraHeadHash: fill(5),
  validationCodeHash: fill(6),
  commitmentsHash: fill(7),
};
const V1 = encodeReceipt({
  ...COMMON,
  version: 'v1',
  collator: fill(8),
  signature: fill(9, 64),
});
const V2 = encodeReceipt({ ...COMMON, version: 'v2', coreIndex: 3, sessionIndex: 10 });
const V3 = encodeReceipt({
  ...COMMON,
  version: 'v3',
  coreIndex: 3,
  sessionIndex: 10,
  schedulingSession: 12,
  schedulingParent: fill(0x0b),
});

/** A receipt with some bytes changed. */
function withBytes(receipt: CandidateReceipt, ...changes: [at: number, byte: number][]) {
  const bytes = receipt.bytes.slice();
  for (const [at, byte] of changes) {
    bytes[at] = byte;
  }
  return candidateReceipt(bytes);
}

/** Everything the accessors say, in the shape of the fields. */
function fieldsFrom(receipt: CandidateReceipt): object {
  return {
    version: descriptorVersion(receipt),
    paraId: receiptParaId(receipt),
    relayParent: receiptRelayParent(receipt),
    validationDataHash: receiptValidationDataHash(receipt),
    povHash: receiptPovHash(receipt),
    erasureRoot: receiptErasureRoot(receipt),
    paraHeadHash: receiptParaHeadHash(receipt),
    validationCodeHash: receiptValidationCodeHash(receipt),
    commitmentsHash: receiptCommitmentsHash(receipt),
    coreIndex: receiptCoreIndex(receipt),
    sessionIndex: receiptSessionIndex(receipt),
    schedulingSession: receiptSchedulingSession(receipt),
    schedulingParent: receiptSchedulingParent(receipt),
    collator: receiptCollator(receipt),
    signature: receiptSignature(receipt),
  };
}

describe('candidateHashOf', () => {
  it.each([
    ['v1', V1, 'ee9d169e55ffc99a20bfc077228e80e6a540b7b6ac3d6984ef45b2da5565d2eb'],
    ['v2', V2, '1920ca74614dfdd439ab0cea578b8654db2d2f8f1df5565c5b09dc5bf1d93182'],
    ['v3', V3, 'eb705e7cd3ae2872b54b60fb978e93dfc6d85fe341c42fb8a9f7b94aad2525c8'],
  ])('gives the golden hash of %s', (_, receipt, hash) => {
    expect(candidateHashOf(receipt)).toBe(hash);
  });
});

describe('encodeReceipt', () => {
  it(seeded('is undone by the accessors'), () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const fields: ReceiptFields = someReceipt(new Draws(seed));
        const expected =
          fields.version === 'v2' ? { ...fields, schedulingSession: fields.sessionIndex } : fields;
        expect(fieldsFrom(encodeReceipt(fields))).toEqual(expected);
      }),
      { seed: SEED, numRuns: 400 },
    );
  });

  it('fills v1 with zeros by default; such bytes read as v2', () => {
    const receipt = encodeReceipt({ ...COMMON, version: 'v1' });
    expect(receipt.bytes.subarray(36, 68)).toEqual(fill(0));
    expect(receipt.bytes.subarray(164, 228)).toEqual(fill(0, 64));
    expect(descriptorVersion(receipt)).toBe('v2');
  });

  it('schedules v3 at its relay parent by default', () => {
    const receipt = encodeReceipt({ ...COMMON, version: 'v3', coreIndex: 0, sessionIndex: 7 });
    expect(receiptSchedulingSession(receipt)).toBe(7);
    expect(receiptSchedulingParent(receipt)).toEqual(COMMON.relayParent);
  });

  it.each([
    ['coreIndex', { coreIndex: 65_536 }],
    ['sessionIndex', { sessionIndex: 1.5 }],
    ['schedulingSession - sessionIndex', { schedulingSession: 266 }],
    ['schedulingSession - sessionIndex', { schedulingSession: 9 }],
    ['povHash', { povHash: fill(0, 31) }],
    ['paraId', { paraId: 2 ** 32 }],
  ])('names the field that does not fit: %s', (name, field) => {
    const fields = { ...COMMON, version: 'v3', coreIndex: 3, sessionIndex: 10, ...field } as const;
    expect(() => encodeReceipt(fields)).toThrow(RangeError);
    expect(() => encodeReceipt(fields)).toThrow(new RegExp(`^${name}: `));
  });
});

describe('candidateReceipt', () => {
  it.each([0, 323, 325])('refuses %d bytes', (length) => {
    expect(faultOf(() => candidateReceipt(new Uint8Array(length)))[0]).toBe('bad_length');
  });

  it('keeps the bytes as they are', () => {
    const bytes = fill(1, 324);
    expect(candidateReceipt(bytes).bytes).toBe(bytes);
  });
});

describe('descriptorVersion', () => {
  it.each([
    ['v1', V1, 'v1', 'v1'],
    ['v2', V2, 'v2', 'v2'],
    ['v3, which the old rules take for v1', V3, 'v3', 'v1'],
    ['v3 without scheduling, unknown to the old rules', withBytes(V2, [36, 1]), 'v3', 'unknown'],
    ['version byte 2', withBytes(V2, [36, 2]), 'unknown', 'unknown'],
  ])('tells %s', (_, receipt, current, old) => {
    expect(descriptorVersion(receipt)).toBe(current);
    expect(descriptorVersion(receipt, 'before_v3')).toBe(old);
  });

  it('looks at bytes 44..59 by the current rules, at 43..67 and 164..227 by the old ones', () => {
    for (let at = 0; at < 324; at += 1) {
      const receipt = withBytes(V2, [at, 0xff]);
      const isVersion = at === 36;
      const current = at >= 44 && at <= 59 ? 'v1' : isVersion ? 'unknown' : 'v2';
      const isOldMark = (at >= 43 && at <= 67) || (at >= 164 && at <= 227);
      const old = isOldMark ? 'v1' : isVersion ? 'unknown' : 'v2';
      expect(descriptorVersion(receipt), `byte ${at}`).toBe(current);
      expect(descriptorVersion(receipt, 'before_v3'), `byte ${at}, old rules`).toBe(old);
    }
  });
});

describe('receiptCoreIndex', () => {
  it('is read from an unknown version too, but not from v1', () => {
    const unknown = withBytes(V2, [36, 9]);
    expect([receiptCoreIndex(unknown), receiptSessionIndex(unknown)]).toEqual([3, 10]);
    expect([receiptCoreIndex(V1), receiptSessionIndex(V1)]).toEqual([undefined, undefined]);
  });
});

describe('receiptSchedulingSession', () => {
  it('ignores byte 43 in v2, adds it in v3, and is absent elsewhere', () => {
    expect(receiptSchedulingSession(withBytes(V2, [43, 5]))).toBe(10);
    expect(receiptSchedulingSession(withBytes(V3, [43, 255]))).toBe(265);
    expect(receiptSchedulingSession(withBytes(V2, [36, 9]))).toBeUndefined();
    expect(receiptSchedulingSession(V1)).toBeUndefined();
  });
});
