/**
 * @module
 * `npm run bench:figures`: writes the tables of the pages from the stored results.
 */

import { writeFileSync } from 'node:fs';
import { loadResults } from './all-results.ts';
import { PAGES, pagePath, readPage, regenerated } from './pages.ts';

const results = loadResults();
for (const page of PAGES) {
  writeFileSync(pagePath(page), regenerated(readPage(page), results));
}
