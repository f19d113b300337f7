/**
 * @module
 * The rotation on bare numbers, with the values printed in the specification.
 */

import { describe, expect, it } from 'vitest';
import { assertCoreIndex, rotate, rotateBack } from '../../src/mapping/rotation.ts';

describe('rotate', () => {
  it.each([
    [0, '0123456'],
    [1, '2345601'],
    [2, '4560123'],
    [3, '6012345'],
    [4, '1234560'],
  ])('gives the table of the specification for 7 validators, core %i', (coreIndex, expected) => {
    const rotation = { validatorCount: 7, systematicThreshold: 2, coreIndex };
    const table = [0, 1, 2, 3, 4, 5, 6].map((place) => rotate(place, rotation));
    expect(table.join('')).toBe(expected);
    expect(table.map((position) => rotateBack(position, rotation))).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('turns by the threshold that it is given, not by one of its own', () => {
    const rotation = { validatorCount: 7, systematicThreshold: 3, coreIndex: 1 };
    expect([0, 6].map((place) => rotate(place, rotation))).toEqual([3, 2]);
  });

  it('is exact for the largest core index and the largest threshold', () => {
    const rotation = {
      validatorCount: 65_535,
      systematicThreshold: 16_384,
      coreIndex: 2 ** 32 - 1,
    };
    const expected = Number((BigInt(2 ** 32 - 1) * 16_384n + 5n) % 65_535n);
    expect(rotate(5, rotation)).toBe(expected);
    expect(rotateBack(expected, rotation)).toBe(5);
  });
});

describe('assertCoreIndex', () => {
  it.each([-1, 0.5, 2 ** 32, Number.NaN])('refuses %d', (coreIndex) => {
    expect(() => {
      assertCoreIndex(coreIndex);
    }).toThrow(RangeError);
  });
});
