import { describe, expect, it } from 'vitest';
import { byName, firstOf, shownName } from '../../src/cli/source-names.ts';

describe('byName', () => {
  it('orders as people count', () => {
    expect(['v10', 'v2', 'v1'].sort(byName)).toEqual(['v1', 'v2', 'v10']);
  });
});

describe('firstOf', () => {
  it.each([
    [[], 2, ''],
    [['a'], 2, 'a'],
    [['a', 'b'], 2, 'a, b'],
    [['a', 'b', 'c', 'd'], 2, 'a, b and 2 more'],
  ])('of %j, %i: %j', (items, count, text) => {
    expect(firstOf(items, count)).toBe(text);
  });
});

describe('shownName', () => {
  it('leaves keys and addresses as they are', () => {
    const key = `0x${'ab'.repeat(32)}`;
    expect(shownName(key)).toBe(key);
  });

  it('replaces what is no visible character', () => {
    expect(shownName('a\n\u001b[0mb\u202ec\u2028\u0000')).toBe('a??[0mb?c??');
  });

  it('cuts a long name', () => {
    expect(shownName('y'.repeat(500))).toBe(`${'y'.repeat(71)}…`);
  });
});
