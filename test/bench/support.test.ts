import { describe, expect, it } from 'vitest';
import { payloadOf, pick } from '../../bench/support/fixture.ts';
import { alternate, median, minimum } from '../../bench/support/rounds.ts';
import { parseSize, sizeText } from '../../bench/support/sizes.ts';
import { markdownTable, plainTable, short } from '../../bench/support/table.ts';

describe('parseSize', () => {
  it.each([
    ['10MiB', 10 * 2 ** 20],
    ['2.5MiB', 2.5 * 2 ** 20],
    ['100KiB', 100 * 2 ** 10],
    ['62B', 62],
    ['62', 62],
  ])('reads %s', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
    expect(parseSize(sizeText(bytes))).toBe(bytes);
  });

  it.each(['', '0', '-1', '1GB', '1.5B', 'MiB', '1 MiB'])('refuses "%s"', (text) => {
    expect(parseSize(text)).toBeUndefined();
  });
});

describe('alternate', () => {
  it('runs jobs in turns, once more than the rounds, and waits for promises', async () => {
    const calls: string[] = [];
    const times = await alternate(
      {
        a: () => calls.push('a'),
        b: async () => {
          await Promise.resolve();
          calls.push('b');
        },
      },
      2,
    );
    expect(calls.join('')).toBe('ababab');
    expect([times.a.length, times.b.length]).toEqual([2, 2]);
  });
});

describe('minimum and median', () => {
  it('are of all values, and of none no number', () => {
    expect([minimum([3, 1, 2]), median([3, 1, 2]), median([4, 1])]).toEqual([1, 2, 4]);
    expect([minimum([]), median([])]).toEqual([Number.NaN, Number.NaN]);
  });
});

describe('tables', () => {
  it('align columns, numbers to the right', () => {
    const table = [
      ['job', 'ms'],
      ['encode', '1.5'],
      ['x', '12'],
    ];
    expect(plainTable(table)).toBe('job      ms\nencode  1.5\nx        12');
    expect(markdownTable(table)).toBe('| job | ms |\n|---|---|\n| encode | 1.5 |\n| x | 12 |');
  });

  it.each([
    [123.4, '123'],
    [12.34, '12.3'],
    [1.234, '1.23'],
    [0.1234, '0.123'],
    [Number.NaN, '–'],
    [undefined, '–'],
  ])('shorten %s to %s', (value, text) => {
    expect(short(value)).toBe(text);
  });
});

describe('the fixture', () => {
  it('has payloads of every size that available data can have', () => {
    expect([44, 105, 107, 4096, 20_000].map((size) => payloadOf(size).length)).toEqual([
      44, 105, 107, 4096, 20_000,
    ]);
    expect(() => payloadOf(106)).toThrow(RangeError);
  });

  it('picks different indices in order, the same ones each time', () => {
    const picked = pick(100, 32);
    expect(new Set(picked).size).toBe(32);
    expect(picked).toEqual(picked.toSorted((a, b) => a - b));
    expect(pick(100, 32)).toEqual(picked);
  });
});
