/**
 * @module
 * Reader and writer of SCALE primitives: strictness, bounds, views, and no need of Node's globals.
 */

import { describe, expect, it } from 'vitest';
import { compactBytes, decodePrefix, ScaleReader, ScaleWriter } from '../../src/codec/scale.ts';
import { fromHex, toHex } from '../../src/primitives/bytes.ts';
import { faultOf } from './faults.ts';

function reader(hex: string): ScaleReader {
  return new ScaleReader(fromHex(hex));
}

describe('ScaleReader', () => {
  it('reads integers little-endian and counts what it read', () => {
    const bytes = reader('ff0102efbeadde00');
    expect([bytes.u8(), bytes.u16(), bytes.u32()]).toEqual([0xff, 0x0201, 0xdeadbeef]);
    expect([bytes.offset, bytes.remaining]).toEqual([7, 1]);
  });

  it.each([
    ['one byte too many for zero', '0100'],
    ['63 in two bytes', 'fd00'],
    ['16,383 in four bytes', 'feff0000'],
    ['zero in four bytes', '02000000'],
    ['2^30 - 1 in five bytes', '03ffffff3f'],
    ['zero in five bytes', '0300000000'],
  ])('refuses a compact integer in a longer form: %s', (_, hex) => {
    expect(faultOf(() => reader(hex).compactU32())).toEqual(['non_canonical_compact', 0]);
    expect(faultOf(() => reader(hex).compactU64())).toEqual(['non_canonical_compact', 0]);
  });

  it.each([
    ['a leading zero in six bytes', '07ffffffff00'],
    ['a leading zero in nine bytes', '13ffffffffffffff00'],
  ])('refuses a compact 64-bit integer with %s', (_, hex) => {
    expect(faultOf(() => reader(hex).compactU64())).toEqual(['non_canonical_compact', 0]);
  });

  it('refuses compact integers wider than asked for, before it reads them', () => {
    expect(faultOf(() => reader('07').compactU32())).toEqual(['out_of_range', 0]);
    expect(faultOf(() => reader('17').compactU64())).toEqual(['out_of_range', 0]);
    expect(faultOf(() => reader('ff').compactU64())).toEqual(['out_of_range', 0]);
  });

  it('accepts exactly one form of every integer at the edges of the rows', () => {
    const edges = [0, 63, 64, 16_383, 16_384, 2 ** 30 - 1, 2 ** 30, 2 ** 32 - 1];
    for (const value of edges) {
      const bytes = new ScaleWriter().compact('value', value).finish();
      expect(bytes.length, `${value}`).toBe(compactBytes(value));
      expect(new ScaleReader(bytes).compactU32(), `${value}`).toBe(value);
    }
  });

  it('refuses a length beyond the bytes left without taking memory for it', () => {
    // 2^30 and 2^32 - 1, each followed by a single byte.
    for (const hex of ['030000004000', '03ffffffff00']) {
      expect(faultOf(() => reader(hex).byteString())).toEqual(['unexpected_end', 5]);
      expect(faultOf(() => reader(hex).skipByteString())).toEqual(['unexpected_end', 5]);
    }
  });

  it('refuses a bit count above the limit, and one beyond the bytes left', () => {
    expect(faultOf(() => reader('0300000040ff').bits(1_000))).toEqual(['out_of_range', 0]);
    expect(faultOf(() => reader('0300000040ff').bits(2 ** 32))).toEqual(['unexpected_end', 5]);
    expect(faultOf(() => reader('240c').bits(1_000))).toEqual(['unexpected_end', 1]);
  });

  it('says where the refused value starts', () => {
    const bytes = reader('0411fd00');
    bytes.byteString();
    expect(faultOf(() => bytes.compactU32())).toEqual(['non_canonical_compact', 2]);
  });

  it('gives views of the input, not copies', () => {
    const bytes = fromHex('000c010203');
    const part = new ScaleReader(bytes.subarray(1)).byteString();
    bytes[2] = 9;
    expect(part).toEqual(Uint8Array.of(9, 2, 3));
    expect(part.buffer).toBe(bytes.buffer);
  });

  it('gives plain arrays for subclasses of Uint8Array', () => {
    const part = new ScaleReader(Buffer.from('0c010203', 'hex')).byteString();
    expect(Object.getPrototypeOf(part)).toBe(Uint8Array.prototype);
    expect(toHex(part)).toBe('010203');
  });
});

describe('decodePrefix', () => {
  it('says how many bytes the value took and ignores the rest', () => {
    const bytes = fromHex('0401ffff');
    const decoded = decodePrefix(bytes, (input) => input.byteString());
    expect(decoded).toEqual({ value: Uint8Array.of(1), bytesRead: 2 });
  });
});

describe('ScaleWriter', () => {
  it('grows beyond the capacity that it was given', () => {
    const long = new Uint8Array(1_000).fill(7);
    const bytes = new ScaleWriter(0).u8('a', 1).byteString('b', long).u16('c', 2).finish();
    expect(toHex(bytes)).toBe(`01a10f${'07'.repeat(1_000)}0200`);
  });

  it('owns the whole buffer behind what it returns', () => {
    for (const capacity of [0, 6, 64]) {
      const bytes = new ScaleWriter(capacity).u32('a', 1).u16('b', 2).finish();
      expect(bytes.buffer.byteLength, `capacity ${capacity}`).toBe(6);
    }
  });

  it.each([-1, 1.5, Number.NaN, 2 ** 32, Number.POSITIVE_INFINITY])(
    'names the argument that does not fit: %d',
    (value) => {
      expect(() => new ScaleWriter().u32('paraId', value)).toThrow(
        new RangeError(`paraId: expected an integer in 0..4294967295, got ${value}`),
      );
    },
  );

  it('refuses 64-bit integers out of range and bytes of another size', () => {
    expect(() => new ScaleWriter().compact('n', 2n ** 64n)).toThrow(RangeError);
    expect(() => new ScaleWriter().compact('n', -1n)).toThrow(RangeError);
    expect(() => new ScaleWriter().fixed('root', new Uint8Array(31), 32)).toThrow(
      new RangeError('root: expected 32 bytes, got 31'),
    );
  });

  it('works without the globals of Node', () => {
    const { Buffer, process } = globalThis;
    let text: string;
    try {
      Object.assign(globalThis, { Buffer: undefined, process: undefined });
      const written = new ScaleWriter(1)
        .compact('n', 2n ** 40n)
        .bits('b', [true])
        .finish();
      const input = new ScaleReader(written);
      text = `${input.compactU64()} ${input.bits(8).join()}`;
    } finally {
      Object.assign(globalThis, { Buffer, process });
    }
    expect(text).toBe('1099511627776 true');
  });
});
