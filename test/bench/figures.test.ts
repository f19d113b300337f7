import { describe, expect, it } from 'vitest';
import { loadResults } from '../../bench/all-results.ts';
import { PAGES, readPage, regenerated } from '../../bench/pages.ts';

describe('regenerated', () => {
  it.each(PAGES)('%s shows the stored results', (page) => {
    const text = readPage(page);
    expect(text).toMatch(/^<!-- begin \S+ -->$/m);
    expect(regenerated(text, loadResults()), 'npm run bench:figures').toBe(text);
  });

  it('replaces what stands between the marks, and nothing else', () => {
    const page = 'a\n<!-- begin memory -->\nold\n<!-- end memory -->\nb\n';
    expect(regenerated(page, {})).toBe(
      'a\n<!-- begin memory -->\n\nNot measured yet.\n\n<!-- end memory -->\nb\n',
    );
  });

  it('refuses a mark that nothing is made for', () => {
    expect(() => regenerated('<!-- begin x -->\n<!-- end x -->', {})).toThrow(RangeError);
  });
});
