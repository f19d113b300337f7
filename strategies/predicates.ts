/**
 * @module
 * The arithmetic of the chunk strategies: how many requests to have on the way, and when to give up
 * (recovery spec §4.6, §4.7). Pure.
 */

/** How many there are at one moment. */
export type WindowCounts = {
  /** Chunks held that count towards the threshold. */
  readonly held: number;
  /** Attempts without an answer, late ones included. */
  readonly inFlight: number;
  /** Sources still to be asked. */
  readonly queued: number;
};

/** Whether the threshold can no longer be reached. */
export function isUnavailable(counts: WindowCounts, threshold: number): boolean {
  return counts.held + counts.inFlight + counts.queued < threshold;
}

/** Live requests wanted by the systematic strategy: what is missing, without allowance for errors. */
export function desiredSystematic(held: number, threshold: number, parallel: number): number {
  return Math.max(0, Math.min(parallel, threshold, threshold - held));
}

/** What the regular strategy has seen so far. */
export type AnswerCounts = { readonly responses: number; readonly errors: number };

/**
 * Live requests wanted by the regular strategy: what is missing, plus an allowance that follows the
 * rate of errors so far.
 */
export function desiredRegular(
  held: number,
  threshold: number,
  parallel: number,
  { responses, errors }: AnswerCounts,
): number {
  const missing = Math.max(0, threshold - held);
  const allowance = errors === 0 ? 0 : Math.floor(missing / Math.floor(responses / errors));
  return Math.min(parallel, threshold, missing + allowance);
}
