import { describe, expect, it } from 'vitest';
import { counted, readableBytes, readableMs } from '../../src/cli/readable.ts';

describe('counted', () => {
  it.each([
    [0, '0 chunks'],
    [1, '1 chunk'],
    [2, '2 chunks'],
  ])('writes %d as %s', (count, text) => {
    expect(counted(count, 'chunk')).toBe(text);
  });
});

describe('readableBytes', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.00 KiB'],
    [102_297, '99.9 KiB'],
    [102_399, '100 KiB'],
    [1023 * 1024, '1023 KiB'],
    [1_048_575, '1.00 MiB'],
    [2_097_152, '2.00 MiB'],
    [123_456_789, '118 MiB'],
    [2 ** 40, '1024 GiB'],
  ])('%i is %s', (bytes, text) => {
    expect(readableBytes(bytes)).toBe(text);
  });
});

describe('readableMs', () => {
  it.each([
    [0, '0 ms'],
    [-1, '0 ms'],
    [0.000_4, 'under 1 µs'],
    [0.04, '40 µs'],
    [0.999, '999 µs'],
    [1, '1 ms'],
    [12.345, '12.3 ms'],
    [999, '999 ms'],
    [1_000, '1 s'],
    [1_049, '1.05 s'],
    [59_949, '59.9 s'],
    [59_950, '1 min 0 s'],
    [3_599_999, '60 min 0 s'],
    [86_400_000, '1440 min 0 s'],
  ])('%d is %s', (ms, text) => {
    expect(readableMs(ms)).toBe(text);
  });
});
