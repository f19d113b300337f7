/**
 * @module
 * What a case of the interop run checks with, and the shape of a case. Works in and outside vitest.
 */

import { deepStrictEqual } from 'node:assert/strict';

/** One case: what is done, and what was seen in one line. Throws on a mismatch. */
export type InteropCase = {
  /** Which end is ours. */
  readonly ours: 'requester' | 'responder';
  readonly name: string;
  /** Whether the case belongs to the subset of the ordinary test run: under a second. */
  readonly isQuick: boolean;
  run(): Promise<string>;
};

/** Fails unless the two are deeply equal. */
export function same(actual: unknown, expected: unknown, what: string): void {
  deepStrictEqual(actual, expected, `${what}: ${text(actual)} instead of ${text(expected)}`);
}

/** Fails unless the condition holds. */
export function check(holds: boolean, what: string): void {
  if (!holds) {
    throw new Error(what);
  }
}

/** Fails unless the number lies in the range. */
export function within(value: number, low: number, high: number, what: string): void {
  check(value >= low && value <= high, `${what}: ${value} is not in ${low}..${high}`);
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
