/**
 * @module
 * The kernel program: `npm run kernel` assembles the kernel and writes `kernel-bytes.ts`;
 * `npm run kernel -- --check` only compares.
 *
 * Exit codes: 0 written or equal, 1 misuse or text that does not assemble, 3 not equal.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { kernelBytesSource } from './assemble.ts';

const TARGET = new URL('../../src/erasure/kernel/kernel-bytes.ts', import.meta.url);

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { check: { type: 'boolean' } } });
  const source = await kernelBytesSource();
  if (values.check === true) {
    const isEqual = readFileSync(TARGET, 'utf8') === source;
    console.log(
      isEqual ? 'kernel-bytes.ts is up to date' : 'kernel-bytes.ts differs: npm run kernel',
    );
    return isEqual ? 0 : 3;
  }
  writeFileSync(TARGET, source);
  console.log(`kernel-bytes.ts written, ${source.length} characters`);
  return 0;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
