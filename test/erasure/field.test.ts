/**
 * @module
 * Tables of the field against their definition and the values printed in the specification.
 */

import { describe, expect, it } from 'vitest';
import {
  CANTOR_BASIS,
  FIELD_SIZE,
  fieldTables,
  inverse,
  multiply,
  UNITS,
} from '../../src/erasure/field.ts';
import { multiplyPolynomials, product, reciprocal, symbolOf } from './naive.ts';

const { exp: EXP, log: LOG } = fieldTables();

const hex = (text: string): number => Number.parseInt(text, 16);

describe('CANTOR_BASIS', () => {
  it('is 1 and then a root of X^2 + X = the element before', () => {
    expect(CANTOR_BASIS[0]).toBe(1);
    for (let i = 0; i + 1 < 16; i += 1) {
      const next = CANTOR_BASIS[i + 1]!;
      expect(multiplyPolynomials(next, next) ^ next, `v${i}`).toBe(CANTOR_BASIS[i]);
    }
  });
});

describe('fieldTables', () => {
  it('are the powers of x, walked by hand', () => {
    let power = 1;
    for (let e = 0; e < 2 * UNITS; e += 1) {
      const symbol = symbolOf(power);
      if (EXP[e] !== symbol || LOG[symbol] !== e % UNITS) {
        expect.unreachable(`x^${e}`);
      }
      power = multiplyPolynomials(power, 2);
    }
  });

  it('start with the symbols of x^0 … x^15 of the specification', () => {
    const listed =
      '0001 4690 65d8 62d0 5734 45f0 53b8 1e38 7cae 4e38 6708 c25c 7a64 9eac 1124 523a';
    expect([...EXP.subarray(0, 16)]).toEqual(listed.split(' ').map(hex));
  });

  it('generate the subfields: EXP[257] = 007a, EXP[4369] = 0005', () => {
    expect([EXP[257], EXP[4369]]).toEqual([0x7a, 0x05]);
  });
});

describe('multiply', () => {
  it.each(
    (
      '0002 0002 0003, 0002 0003 0001, 0010 0010 0018, 0080 0080 00c0, 00ff 00ff 0080, ' +
      '0100 0100 0180, 0100 0002 02cf, 0203 0003 019d, 1234 abcd 43c1, ffff ffff 8000, ' +
      '8000 8000 c000, 5555 aaaa b7d6, 00ff ff00 80fb, beef cafe 3f0a, 0203 0002 039e, ' +
      '0202 0002 039c, 0053 00ca 0033, 0080 0002 00e7, 001b 00e7 0001, 0004 0004 0006'
    ).split(', '),
  )('gives the value of the specification: %s', (row) => {
    const [a, b, expected] = row.split(' ').map(hex);
    expect(multiply(a!, b!)).toBe(expected);
  });

  it('agrees with the product of polynomials, also with 0', () => {
    for (let i = 0; i < 4096; i += 1) {
      const a = (i * 40_503) % FIELD_SIZE;
      const b = (i * i * 7 + 1) % FIELD_SIZE;
      expect(multiply(a, b), `${a} * ${b}`).toBe(product(a, b));
    }
    expect([multiply(0, 5), multiply(5, 0), multiply(0, 0)]).toEqual([0, 0, 0]);
  });

  it.each([2, 4, 16, 256])('keeps the symbols below %i among themselves', (size) => {
    for (let a = 0; a < size; a += 1) {
      for (let b = 0; b < size; b += 1) {
        if (multiply(a, b) >= size) {
          expect.unreachable(`${a} * ${b}`);
        }
      }
    }
  });
});

describe('inverse', () => {
  it.each([
    ['0002', '0003', 21_845],
    ['0003', '0002', 43_690],
    ['0004', '000c', 17_476],
    ['0010', '0071', 7_196],
    ['00ff', '003d', 58_853],
    ['0100', '2371', 31_823],
    ['1234', '371e', 15_737],
    ['8000', '0bf2', 26_315],
  ])('of %s is %s, its logarithm %i', (a, expected, log) => {
    expect(inverse(hex(a))).toBe(hex(expected));
    expect(LOG[hex(a)]).toBe(log);
    expect(reciprocal(hex(a))).toBe(hex(expected));
  });

  it('undoes multiply for every unit', () => {
    for (let a = 1; a < FIELD_SIZE; a += 1) {
      if (multiply(a, inverse(a)) !== 1) {
        expect.unreachable(`inverse of ${a}`);
      }
    }
  });

  it('refuses 0', () => {
    expect(() => inverse(0)).toThrow(RangeError);
  });
});
