/**
 * @module
 * Available data: hashes over the SCALE form, padding, views, misuse.
 */

import { describe, expect, it } from 'vitest';
import {
  type AvailableData,
  decodeAvailableData,
  encodeAvailableData,
  encodePov,
  hashPov,
  hashValidationData,
} from '../../src/codec/available-data.ts';
import { concatBytes, fromHex, toHex } from '../../src/primitives/bytes.ts';
import { faultOf } from './faults.ts';

/** The 110-byte example of recovery spec §2.2. */
const DATA: AvailableData = {
  pov: { blockData: new Uint8Array(64).fill(0x2a) },
  validationData: {
    parentHead: fromHex('070809'),
    relayParentNumber: 0,
    relayParentStorageRoot: new Uint8Array(32),
    maxPovSize: 1024,
  },
};

describe('encodeAvailableData', () => {
  it('puts the PoV first and takes exactly the memory it needs', () => {
    const bytes = encodeAvailableData(DATA);
    expect(toHex(bytes)).toBe(`0101${'2a'.repeat(64)}0c07080900000000${'00'.repeat(32)}00040000`);
    expect(bytes.buffer.byteLength).toBe(110);
  });

  it('names the field that does not fit', () => {
    const withField = (field: object): AvailableData => ({
      ...DATA,
      validationData: { ...DATA.validationData, ...field },
    });
    expect(() => encodeAvailableData(withField({ relayParentNumber: 2 ** 32 }))).toThrow(
      /^relayParentNumber: /,
    );
    expect(() => encodeAvailableData(withField({ maxPovSize: -1 }))).toThrow(/^maxPovSize: /);
    expect(() =>
      encodeAvailableData(withField({ relayParentStorageRoot: new Uint8Array(33) })),
    ).toThrow(/^relayParentStorageRoot: expected 32 bytes, got 33/);
  });
});

describe('decodeAvailableData', () => {
  it('ignores the padding of reconstruction and says where the data ends', () => {
    const bytes = encodeAvailableData(DATA);
    const padded = concatBytes([bytes, new Uint8Array(18)]);
    expect(decodeAvailableData(padded)).toEqual({ value: DATA, bytesRead: 110 });
  });

  it('gives views of its input', () => {
    const bytes = encodeAvailableData(DATA);
    const { pov, validationData } = decodeAvailableData(bytes).value;
    for (const part of [
      pov.blockData,
      validationData.parentHead,
      validationData.relayParentStorageRoot,
    ]) {
      expect(part.buffer).toBe(bytes.buffer);
    }
  });

  it('refuses a PoV of 2^30 bytes that are not there', () => {
    expect(faultOf(() => decodeAvailableData(fromHex('03000000402a')))).toEqual([
      'unexpected_end',
      5,
    ]);
  });
});

describe('hashPov', () => {
  it('covers the length prefix', () => {
    expect(toHex(hashPov(DATA.pov))).toBe(
      '02821456913b8afde414a2631ed98963bad7421f25e3c3a2e86c821baaaa3a3e',
    );
    expect(toHex(encodePov(DATA.pov)).slice(0, 6)).toBe('01012a');
  });
});

describe('hashValidationData', () => {
  it('gives the hash of the example', () => {
    expect(toHex(hashValidationData(DATA.validationData))).toBe(
      'c90a1dbe6f42168e6ddb7b02b7b5a24f9097bc54412ccf187404bc599fc00871',
    );
  });
});
