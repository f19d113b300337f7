/**
 * @module
 * SCALE primitives: integers, byte strings and bit vectors; the types of the protocol are in the files
 * beside it. Our own, because the library that checks bounds is under the GPL and loads Node's
 * `assert`, and the other well-kept one returns short slices and throws untyped errors.
 */

import { CodecError, type CodecErrorCode, type ErrorDetails } from '../primitives/errors.ts';

const U32_MAX = 0xffff_ffff;
const U64_MAX = 0xffff_ffff_ffff_ffffn;

/** A value and how many bytes it took from the front of the input; the rest was not looked at. */
export type Decoded<T> = { readonly value: T; readonly bytesRead: number };

/**
 * Reads SCALE values from the front of a byte string.
 *
 * Guarantees: throws nothing but {@link CodecError}, whatever the bytes; `details.offset` is where
 * the refused value starts. Takes no memory in proportion to a length before that length was
 * compared with the bytes left.
 *
 * Buffers: byte strings are **views** of the input, always plain `Uint8Array`. They change when the
 * input changes and keep all of it alive; whoever stores one for long copies it.
 */
export class ScaleReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #offset = 0;

  /** @param bytes - Foreign bytes; not copied. */
  constructor(bytes: Uint8Array) {
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** How many bytes were read. */
  get offset(): number {
    return this.#offset;
  }

  /** How many bytes are left. */
  get remaining(): number {
    return this.#bytes.length - this.#offset;
  }

  /** Makes the error of a value that started at `offset`. */
  fault(code: CodecErrorCode, message: string, offset: number, more?: ErrorDetails): CodecError {
    return new CodecError(code, `${message} (at byte ${offset})`, { offset, ...more });
  }

  /**
   * Refuses to go on unless this many bytes are left.
   *
   * @throws {@link CodecError} `unexpected_end`.
   */
  need(count: number): void {
    if (count > this.remaining) {
      throw this.fault(
        'unexpected_end',
        `needs ${count} bytes, ${this.remaining} left`,
        this.#offset,
        {
          needed: count,
          left: this.remaining,
        },
      );
    }
  }

  /** Steps over bytes that must be there; returns where they start. */
  #advance(count: number): number {
    this.need(count);
    this.#offset += count;
    return this.#offset - count;
  }

  /** An unsigned 8-bit integer. */
  u8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  /** An unsigned 16-bit integer, little-endian. */
  u16(): number {
    return this.#view.getUint16(this.#advance(2), true);
  }

  /** An unsigned 32-bit integer, little-endian. */
  u32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  /**
   * A compact integer of at most 32 bits; every length in SCALE is one.
   *
   * @throws {@link CodecError} `unexpected_end`, `out_of_range`, `non_canonical_compact`.
   */
  compactU32(): number {
    return Number(this.#compact(4));
  }

  /** A compact integer of at most 64 bits; faults as {@link compactU32}. */
  compactU64(): bigint {
    return BigInt(this.#compact(8));
  }

  /**
   * Spec: recovery spec §2.1, a value in a longer form than its row is an error.
   * Impl: the first byte tells the form, the value the only form allowed for it.
   */
  #compact(maxBytes: 4 | 8): number | bigint {
    const start = this.#offset;
    this.need(1);
    const first = this.#bytes[start] ?? 0;
    if ((first & 3) === 0) {
      // The only form of one byte. Apart for speed: a hostile proof is 16 MiB of these; measured on one
      // core, 110 ms instead of 220 until it is refused.
      this.#offset += 1;
      return first >> 2;
    }
    const bigBytes = (first & 3) === 3 ? (first >> 2) + 4 : 0;
    if (bigBytes > maxBytes) {
      throw this.fault('out_of_range', `compact integer of ${bigBytes} bytes`, start, { maxBytes });
    }
    const formBytes = bigBytes > 0 ? 1 + bigBytes : 1 << (first & 3);
    this.#advance(formBytes);
    const value = bigBytes > 0 ? this.#big(start + 1, bigBytes) : this.#small(start, formBytes);
    if (formBytes !== compactBytes(value)) {
      throw this.fault('non_canonical_compact', 'compact integer in a longer form', start, {
        formBytes,
        expected: compactBytes(value),
      });
    }
    return value;
  }

  /** The value of a compact integer of two or four bytes, whose two low bits tell the form. */
  #small(start: number, formBytes: number): number {
    return formBytes === 2
      ? this.#view.getUint16(start, true) >>> 2
      : this.#view.getUint32(start, true) >>> 2;
  }

  /** A little-endian integer of 4 to 8 bytes. */
  #big(start: number, count: number): bigint {
    let value = 0n;
    for (let i = count - 1; i >= 0; i -= 1) {
      value = (value << 8n) | BigInt(this.#bytes[start + i] ?? 0);
    }
    return value;
  }

  /** A view of exactly this many bytes. */
  fixed(length: number): Uint8Array {
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** A view of a byte string with its length in front. */
  byteString(): Uint8Array {
    return this.fixed(this.compactU32());
  }

  /** Steps over a byte string without making a view; returns its length. */
  skipByteString(): number {
    const length = this.compactU32();
    this.#advance(length);
    return length;
  }

  /**
   * A bit vector: the count of bits, then whole bytes, lowest bit first. Unused high bits of the last
   * byte are ignored, as the reference does.
   *
   * @param maxBits - Above it the count is refused before memory is taken.
   */
  bits(maxBits: number): boolean[] {
    const start = this.#offset;
    const count = this.compactU32();
    if (count > maxBits) {
      throw this.fault('out_of_range', `bit vector of ${count} bits`, start, { count, maxBits });
    }
    const bytes = this.fixed(Math.ceil(count / 8));
    return unpackBits(bytes, count);
  }
}

/** The first `count` bits of a byte string, lowest bit of each byte first; missing bits are off. */
export function unpackBits(bytes: Uint8Array, count: number): boolean[] {
  return Array.from(
    { length: count },
    (_, bit) => (((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1,
  );
}

/** Decodes a value from the front of `bytes` and says how far it went. */
export function decodePrefix<T>(bytes: Uint8Array, read: (reader: ScaleReader) => T): Decoded<T> {
  const reader = new ScaleReader(bytes);
  const value = read(reader);
  return { value, bytesRead: reader.offset };
}

/** How many bytes the compact form of a non-negative integer takes (recovery spec §2.1). */
export function compactBytes(value: number | bigint): number {
  if (value < 2 ** 30) {
    return value < 2 ** 6 ? 1 : value < 2 ** 14 ? 2 : 4;
  }
  let bytes = 5;
  for (let rest = BigInt(value) >> 32n; rest > 0n; rest >>= 8n) {
    bytes += 1;
  }
  return bytes;
}

/**
 * Writes SCALE values one after the other. Values that do not fit their type are misuse: a
 * `RangeError` with the argument's name.
 */
export class ScaleWriter {
  #bytes: Uint8Array;
  #length = 0;

  /** @param capacity - Bytes taken at once; when it is exact, {@link finish} copies nothing. */
  constructor(capacity = 64) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** Makes room for more bytes; returns where they start. The array doubles when it is full. */
  #grow(more: number): number {
    const start = this.#length;
    this.#length += more;
    if (this.#length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#length, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, start));
      this.#bytes = grown;
    }
    return start;
  }

  /** The low `count` bytes of a value, little-endian. */
  #littleEndian(value: number | bigint, count: number): this {
    const start = this.#grow(count);
    let rest = BigInt(value);
    for (let i = 0; i < count; i += 1) {
      this.#bytes[start + i] = Number(rest & 0xffn);
      rest >>= 8n;
    }
    return this;
  }

  /** Bytes as they are. */
  #raw(bytes: Uint8Array): this {
    const start = this.#grow(bytes.length);
    this.#bytes.set(bytes, start);
    return this;
  }

  /** A compact integer that fits (recovery spec §2.1). */
  #compact(value: number | bigint): this {
    const formBytes = compactBytes(value);
    if (formBytes > 4) {
      return this.#littleEndian(((formBytes - 5) << 2) | 3, 1).#littleEndian(value, formBytes - 1);
    }
    return this.#littleEndian((BigInt(value) << 2n) | BigInt(formBytes >> 1), formBytes);
  }

  /** An unsigned 8-bit integer. */
  u8(name: string, value: number): this {
    return this.#littleEndian(integer(name, value, 0xff), 1);
  }

  /** An unsigned 16-bit integer, little-endian. */
  u16(name: string, value: number): this {
    return this.#littleEndian(integer(name, value, 0xffff), 2);
  }

  /** An unsigned 32-bit integer, little-endian. */
  u32(name: string, value: number): this {
    return this.#littleEndian(integer(name, value, U32_MAX), 4);
  }

  /** A compact integer of at most 64 bits. */
  compact(name: string, value: number | bigint): this {
    if (typeof value === 'number') {
      return this.#compact(integer(name, value, Number.MAX_SAFE_INTEGER));
    }
    if (value < 0n || value > U64_MAX) {
      throw new RangeError(`${name}: expected an integer in 0..${U64_MAX}, got ${value}`);
    }
    return this.#compact(value);
  }

  /** Bytes of a size that both sides know. */
  fixed(name: string, bytes: Uint8Array, length: number): this {
    if (bytes.length !== length) {
      throw new RangeError(`${name}: expected ${length} bytes, got ${bytes.length}`);
    }
    return this.#raw(bytes);
  }

  /** This many zero bytes. */
  zeros(count: number): this {
    this.#grow(count);
    return this;
  }

  /** A byte string with its length in front. */
  byteString(name: string, bytes: Uint8Array): this {
    return this.#compact(integer(`${name}.length`, bytes.length, U32_MAX)).#raw(bytes);
  }

  /** A bit vector, see {@link ScaleReader.bits}; unused bits of the last byte are zero. */
  bits(name: string, bits: readonly boolean[]): this {
    const bytes = new Uint8Array(Math.ceil(bits.length / 8));
    bits.forEach((isSet, bit) => {
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (isSet ? 1 << (bit & 7) : 0);
    });
    return this.#compact(integer(`${name}.length`, bits.length, U32_MAX)).#raw(bytes);
  }

  /** Everything written so far. Call it once, at the end. */
  finish(): Uint8Array {
    const isFull = this.#length === this.#bytes.length;
    return isFull ? this.#bytes : this.#bytes.slice(0, this.#length);
  }
}

function integer(name: string, value: number, max: number): number {
  if (!(Number.isInteger(value) && value >= 0 && value <= max)) {
    throw new RangeError(`${name}: expected an integer in 0..${max}, got ${value}`);
  }
  return value;
}
