/**
 * @module
 * The errors of vector files, which spell kinds as the reference does, beside ours.
 */

import type { Checks } from './runner.ts';

/** An outcome in a vector file. */
export type Outcome =
  | 'ok'
  | {
      readonly error: string;
      readonly chunk_index?: number;
      readonly n_validators?: number;
    };

/** `ChunkIndexOutOfBounds` -> `chunk_index_out_of_bounds`. */
export function codeOf(kind: string): string {
  return kind.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

/** Checks that a computation ends as the vector says, with the numbers of its error. */
export function checkOutcome(
  checks: Checks,
  outcome: Outcome,
  run: () => unknown,
  what: string,
): void {
  if (outcome === 'ok') {
    run();
    checks.ok(true, what);
    return;
  }
  checks.throws(run, codeOf(outcome.error), what);
  if (outcome.chunk_index !== undefined) {
    const details = { chunkIndex: outcome.chunk_index, validatorCount: outcome.n_validators };
    checks.equal(detailsOf(run), details, `${what}: details`);
  }
}

function detailsOf(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error: unknown) {
    return (error as { details?: unknown }).details;
  }
}
