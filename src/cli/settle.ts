/**
 * @module
 * From the streams of ports to the promises of commands.
 */

import { lastValueFrom, type Observable } from 'rxjs';
import { CliError } from './failure.ts';

/** The value of a stream that emits exactly one. */
export async function soleValue<T>(stream: Observable<T>): Promise<T> {
  const value = await lastValueFrom<T, undefined>(stream, { defaultValue: undefined });
  if (value === undefined) {
    throw new CliError('local_fault', 'an operation ended without its result');
  }
  return value;
}

/** Waits until a stream completes. */
export async function completed(stream: Observable<unknown>): Promise<void> {
  await lastValueFrom(stream, { defaultValue: undefined });
}
