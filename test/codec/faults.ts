/**
 * @module
 * What a decoder said about bytes that it refused, as one comparable value.
 */

import { CodecError } from '../../src/primitives/errors.ts';

/** Code and offset of the {@link CodecError} that `run` ends with; anything else is passed on. */
export function faultOf(run: () => unknown): readonly [code: string, offset: unknown] {
  try {
    run();
  } catch (error: unknown) {
    if (error instanceof CodecError) {
      return [error.code, error.details['offset']];
    }
    throw error;
  }
  throw new Error('was not refused');
}
