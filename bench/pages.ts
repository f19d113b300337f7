/**
 * @module
 * The generated parts of the pages: what stands between `<!-- begin NAME -->` and `<!-- end NAME -->`.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Results } from './all-results.ts';
import { nativeMarks, nativeRatios, nativeTargets } from './native-tables.ts';
import { figures } from './readme-figures.ts';
import {
  arrival,
  coldStart,
  eventLoop,
  growth,
  hash,
  jobs,
  loopback,
  memory,
  planner,
} from './tables.ts';

/** What makes each part. */
const PARTS: Readonly<Record<string, (results: Results) => string>> = {
  figures,
  'native-targets': nativeTargets,
  'native-ratios': nativeRatios,
  'native-marks': nativeMarks,
  jobs,
  planner,
  hash,
  growth,
  arrival,
  'cold-start': coldStart,
  memory,
  'event-loop': eventLoop,
  loopback,
};

/** Pages with generated parts, from the root of the checkout. */
export const PAGES: readonly string[] = ['README.md', 'bench/README.md'];

const ROOT = join(import.meta.dirname, '..');

/** Absolute path of a page. */
export function pagePath(page: string): string {
  return join(ROOT, page);
}

/** The text of a page as it is. */
export function readPage(page: string): string {
  return readFileSync(pagePath(page), 'utf8');
}

/**
 * A page with its generated parts made anew; the rest stays.
 *
 * @throws RangeError for a part that nothing makes.
 */
export function regenerated(text: string, results: Results): string {
  return text.replaceAll(
    /^<!-- begin (\S+) -->\n.*?^<!-- end \1 -->$/gms,
    (_part, name: string) => {
      const make = PARTS[name];
      if (make === undefined) {
        throw new RangeError(`no table is called ${name}`);
      }
      return `<!-- begin ${name} -->\n\n${make(results)}\n\n<!-- end ${name} -->`;
    },
  );
}
