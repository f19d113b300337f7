/**
 * @module
 * Options of the bench scripts: what is wrong is said in one line, with exit code 1.
 */

import { parseArgs } from 'node:util';
import { parseSize } from './sizes.ts';

/** Options by name, each with a value, or without one for a switch. */
export type OptionTypes = Readonly<Record<string, 'string' | 'boolean'>>;

/** Ends a script: its message is for people, its stack is not. */
export class Stop extends Error {}

/**
 * Reads `--name value` and `--switch`.
 *
 * @throws Stop for what is none of them.
 */
export function readOptions(types: OptionTypes): Readonly<Record<string, string | true>> {
  const options = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]));
  try {
    const { values } = parseArgs({ options, allowPositionals: false });
    return values as Record<string, string | true>;
  } catch (error: unknown) {
    throw new Stop(error instanceof Error ? error.message : String(error));
  }
}

/** A list of values with commas between them, each read by `read`. */
export function listOf<T>(
  name: string,
  text: string | true | undefined,
  fallback: string,
  read: (item: string) => T | undefined,
): T[] {
  return (typeof text === 'string' ? text : fallback).split(',').map((item) => {
    const value = read(item.trim());
    if (value === undefined) {
      throw new Stop(`--${name}: can't read "${item}"`);
    }
    return value;
  });
}

/** Sizes such as `10MiB,100KiB`. */
export function sizesOf(name: string, text: string | true | undefined, fallback: string): number[] {
  return listOf(name, text, fallback, parseSize);
}

/** Whole numbers from `from` to `to`. */
export function countsOf(
  name: string,
  text: string | true | undefined,
  fallback: string,
  { from, to }: { readonly from: number; readonly to: number },
): number[] {
  return listOf(name, text, fallback, (item) => {
    const value = Number(item);
    return Number.isInteger(value) && value >= from && value <= to ? value : undefined;
  });
}

/** Runs a script; a {@link Stop}, and a size that can't be, end it with their message and code 1. */
export async function runScript(main: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error: unknown) {
    if (!(error instanceof Stop || error instanceof RangeError)) {
      throw error;
    }
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
