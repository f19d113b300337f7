/**
 * @module
 * Why something was aborted, as an error. Signals carry any value; promises reject with errors.
 */

/** The value itself when it is an error, else an error around it. */
export function errorOf(value: unknown): Error {
  return value instanceof Error ? value : new Error('aborted', { cause: value });
}
