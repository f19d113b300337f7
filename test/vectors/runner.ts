/**
 * @module
 * What a runner of one vector file format is: it reads the parsed file and reports each comparison.
 */

import type { TestedCode } from './tested-code.ts';

/** Collects the outcome of every comparison of one file. */
export class Checks {
  /** How many comparisons were made. */
  count = 0;
  /** What differed, in words. */
  readonly failed: string[] = [];

  /** Records whether a statement holds. */
  ok(holds: boolean, what: string): void {
    this.count += 1;
    if (!holds) {
      this.failed.push(what);
    }
  }

  /** Records whether two values are the same JSON. */
  equal(actual: unknown, expected: unknown, what: string): void {
    const a = JSON.stringify(actual);
    const b = JSON.stringify(expected);
    this.ok(a === b, a === b ? what : `${what}: got ${clip(a)}, expected ${clip(b)}`);
  }

  /** Records that a computation must end with this error code. */
  throws(run: () => unknown, code: string, what: string): void {
    try {
      run();
      this.ok(false, `${what}: no error, expected ${code}`);
    } catch (error: unknown) {
      this.equal((error as { code?: unknown }).code ?? String(error), code, what);
    }
  }
}

/**
 * Checks one file of its format. A thrown error counts as a failed check by the caller; without
 * `tested` the package's code is run.
 */
export type VectorRunner = (content: unknown, checks: Checks, tested?: TestedCode) => void;

function clip(text: string | undefined): string {
  return text === undefined ? 'undefined' : text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
