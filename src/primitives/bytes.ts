/**
 * @module
 * Helpers over `Uint8Array`: hex, comparison, joining. No Node API, no views kept on the inputs.
 */

import { CodecError } from './errors.ts';

/** Lower-case hex without prefix. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) {
    text += byte.toString(16).padStart(2, '0');
  }
  return text;
}

/**
 * Reads hex of any case, with or without `0x`.
 *
 * @param expectedBytes - Exact size in bytes, when it is known.
 * @throws {@link CodecError} `bad_hex`, `bad_length`.
 */
export function fromHex(text: string, expectedBytes?: number): Uint8Array {
  const digits = text.startsWith('0x') ? text.slice(2) : text;
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) {
    throw new CodecError('bad_hex', 'expected an even number of hex digits', {
      digits: digits.length,
    });
  }
  const length = digits.length / 2;
  if (expectedBytes !== undefined && length !== expectedBytes) {
    throw new CodecError('bad_length', `expected ${expectedBytes} bytes of hex, got ${length}`, {
      expected: expectedBytes,
      length,
    });
  }
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i += 1) {
    bytes[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  }
  return bytes;
}

/** Whether two byte strings are equal. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) {
    return false;
  }
  for (let i = 0; i < a.length; i += 1) {
    if (a[i] !== b[i]) {
      return false;
    }
  }
  return true;
}

/** A new array with all parts in order. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
