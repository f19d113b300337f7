/**
 * @module
 * SCALE primitives: the only file that touches the SCALE library. It knows integers, byte strings,
 * bit vectors and lists of byte strings; the types of the protocol are in the files beside it.
 *
 * The library brings integers and views. Ours: every read is checked against the bytes left before
 * the library sees it, compact integers are strict, faults are {@link CodecError}. The library's own
 * byte sink is not used, because it hands out windows of Node's shared `Buffer` pool.
 */

import { Sink, Src } from '@subsquid/scale-codec';
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
  readonly #src: Src;
  #offset = 0;

  /** @param bytes - Foreign bytes; not copied. */
  constructor(bytes: Uint8Array) {
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#src = new Src(this.#bytes);
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

  /** An unsigned 8-bit integer. */
  u8(): number {
    this.need(1);
    this.#offset += 1;
    return this.#src.u8();
  }

  /** An unsigned 16-bit integer, little-endian. */
  u16(): number {
    this.need(2);
    this.#offset += 2;
    return this.#src.u16();
  }

  /** An unsigned 32-bit integer, little-endian. */
  u32(): number {
    this.need(4);
    this.#offset += 4;
    return this.#src.u32();
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
      this.#src.skip(1);
      return first >> 2;
    }
    const bigBytes = (first & 3) === 3 ? (first >> 2) + 4 : 0;
    if (bigBytes > maxBytes) {
      throw this.fault('out_of_range', `compact integer of ${bigBytes} bytes`, start, { maxBytes });
    }
    const formBytes = bigBytes > 0 ? 1 + bigBytes : 1 << (first & 3);
    this.need(formBytes);
    this.#offset += formBytes;
    const value = this.#src.compact();
    if (formBytes !== compactBytes(value)) {
      throw this.fault('non_canonical_compact', 'compact integer in a longer form', start, {
        formBytes,
        expected: compactBytes(value),
      });
    }
    return value;
  }

  /** A view of exactly this many bytes. */
  fixed(length: number): Uint8Array {
    this.need(length);
    this.#offset += length;
    return this.#src.bytes(length);
  }

  /** A view of a byte string with its length in front. */
  byteString(): Uint8Array {
    return this.fixed(this.compactU32());
  }

  /** Steps over a byte string without making a view; returns its length. */
  skipByteString(): number {
    const length = this.compactU32();
    this.need(length);
    this.#offset += length;
    this.#src.skip(length);
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

/** The library's integer writers over a plain array that doubles when it is full. */
class GrowingSink extends Sink {
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;

  constructor(capacity: number) {
    super();
    this.#bytes = new Uint8Array(capacity);
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
  }

  protected override write(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }

  override bytes(part: Uint8Array): void {
    this.#reserve(part.length);
    this.#bytes.set(part, this.#length);
    this.#length += part.length;
  }

  finish(): Uint8Array {
    const isFull = this.#length === this.#bytes.length;
    return isFull ? this.#bytes : this.#bytes.slice(0, this.#length);
  }
}

/**
 * Writes SCALE values one after the other. Values that do not fit their type are misuse: a
 * `RangeError` with the argument's name.
 */
export class ScaleWriter {
  readonly #sink: GrowingSink;

  /** @param capacity - Bytes taken at once; when it is exact, {@link finish} copies nothing. */
  constructor(capacity = 64) {
    this.#sink = new GrowingSink(capacity);
  }

  /** An unsigned 8-bit integer. */
  u8(name: string, value: number): this {
    this.#sink.u8(integer(name, value, 0xff));
    return this;
  }

  /** An unsigned 16-bit integer, little-endian. */
  u16(name: string, value: number): this {
    this.#sink.u16(integer(name, value, 0xffff));
    return this;
  }

  /** An unsigned 32-bit integer, little-endian. */
  u32(name: string, value: number): this {
    this.#sink.u32(integer(name, value, U32_MAX));
    return this;
  }

  /** A compact integer of at most 64 bits. */
  compact(name: string, value: number | bigint): this {
    if (typeof value === 'number') {
      this.#sink.compact(integer(name, value, Number.MAX_SAFE_INTEGER));
    } else if (value >= 0n && value <= U64_MAX) {
      this.#sink.compact(value);
    } else {
      throw new RangeError(`${name}: expected an integer in 0..${U64_MAX}, got ${value}`);
    }
    return this;
  }

  /** Bytes of a size that both sides know. */
  fixed(name: string, bytes: Uint8Array, length: number): this {
    if (bytes.length !== length) {
      throw new RangeError(`${name}: expected ${length} bytes, got ${bytes.length}`);
    }
    this.#sink.bytes(bytes);
    return this;
  }

  /** This many zero bytes. */
  zeros(count: number): this {
    this.#sink.bytes(new Uint8Array(count));
    return this;
  }

  /** A byte string with its length in front. */
  byteString(name: string, bytes: Uint8Array): this {
    this.#sink.compact(integer(`${name}.length`, bytes.length, U32_MAX));
    this.#sink.bytes(bytes);
    return this;
  }

  /** A bit vector, see {@link ScaleReader.bits}; unused bits of the last byte are zero. */
  bits(name: string, bits: readonly boolean[]): this {
    const bytes = new Uint8Array(Math.ceil(bits.length / 8));
    bits.forEach((isSet, bit) => {
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (isSet ? 1 << (bit & 7) : 0);
    });
    this.#sink.compact(integer(`${name}.length`, bits.length, U32_MAX));
    this.#sink.bytes(bytes);
    return this;
  }

  /** Everything written so far. Call it once, at the end. */
  finish(): Uint8Array {
    return this.#sink.finish();
  }
}

function integer(name: string, value: number, max: number): number {
  if (!(Number.isInteger(value) && value >= 0 && value <= max)) {
    throw new RangeError(`${name}: expected an integer in 0..${max}, got ${value}`);
  }
  return value;
}
