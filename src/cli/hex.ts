/**
 * @module
 * Hex of megabytes, on Node's buffers: the portable helpers of `primitives/bytes.ts` take seconds
 * where this takes milliseconds. Reading is as strict as theirs.
 */

/** Lower-case hex without prefix. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** The bytes of a hex text of any case, with or without `0x`; `undefined` when it is none. */
export function tryBytesOfHex(text: string): Uint8Array | undefined {
  const digits = text.startsWith('0x') ? text.slice(2) : text;
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) {
    return undefined;
  }
  return new Uint8Array(Buffer.from(digits, 'hex'));
}
