import { access, writeFile } from 'node:fs/promises';
import { delay, take } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { marbles } from './marbles.ts';
import { SEED, seeded, seedFrom } from './seed.ts';
import { tempFolder } from './temp-folder.ts';

describe('marbles', () => {
  it('counts one frame per millisecond of virtual time', () => {
    marbles(({ cold, expectObservable, expectSubscriptions, scheduler }) => {
      const source = cold('  a----b-|     ');
      const sourceSubs = '   ^----!       ';
      const expected = '  2s a----(b|)    ';
      expectObservable(source.pipe(take(2), delay(2_000, scheduler))).toBe(expected);
      expectSubscriptions(source.subscriptions).toBe(sourceSubs);
    });
  });

  it('fails when the frames differ', () => {
    expect(() => {
      marbles(({ cold, expectObservable }) => {
        expectObservable(cold('--a|')).toBe('---a|');
      });
    }).toThrow();
  });
});

describe('seedFrom', () => {
  it('takes an unsigned 32-bit integer', () => {
    expect(seedFrom('0')).toBe(0);
    expect(seedFrom('4294967295')).toBe(4_294_967_295);
    expect(Number.isInteger(seedFrom(undefined))).toBe(true);
  });

  it.each(['-1', '1.5', '4294967296', 'abc', '1e3'])('refuses %j', (text) => {
    expect(() => seedFrom(text)).toThrow(RangeError);
  });
});

describe('seeded', () => {
  it('prints the seed of this run', () => {
    expect(seeded('any k of n')).toBe(`any k of n (seed ${SEED})`);
  });
});

describe('tempFolder', () => {
  it('is gone, with its content, once disposed', async () => {
    let path: string;
    {
      await using folder = await tempFolder();
      path = folder.path;
      await writeFile(folder.at('file'), 'x');
      await access(folder.at('file'));
    }
    await expect(access(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
