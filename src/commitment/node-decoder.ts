/**
 * @module
 * Reads one trie node as the reference's reader does, version-1 headers included (erasure spec §5.2,
 * §5.4). Nodes come from strangers: for any bytes the answer is a node or undefined, never an error.
 */

import { HASH_BYTES } from '../primitives/hash.ts';

/** A value in a node: its bytes, or the hash under which they are to be found (version 1 only). */
export type NodeValue =
  | { readonly type: 'inline'; readonly bytes: Uint8Array }
  | { readonly type: 'hashed'; readonly hash: Uint8Array };

/** A decoded node. `children` is by nibble; a reference of 32 bytes is a hash, any other a node. */
export type TrieNode =
  | { readonly type: 'empty' }
  | { readonly type: 'leaf'; readonly partial: Uint8Array; readonly value: NodeValue }
  | {
      readonly type: 'branch';
      readonly partial: Uint8Array;
      readonly value: NodeValue | undefined;
      readonly children: readonly (Uint8Array | undefined)[];
    };

/** Thrown and caught inside this file: the bytes are no node. */
class MalformedNode extends Error {
  override readonly name = 'MalformedNode';
}

class Reader {
  readonly #bytes: Uint8Array;
  #offset = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(length: number): Uint8Array {
    const end = this.#offset + length;
    if (end > this.#bytes.length) {
      throw new MalformedNode();
    }
    const taken = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return taken;
  }

  /** A little-endian number of up to 4 bytes. */
  number(length: number): number {
    return this.take(length).reduceRight((value, byte) => value * 256 + byte, 0);
  }

  /** A strict SCALE compact `u32`: a form longer than needed is malformed. */
  compact(): number {
    const first = this.number(1);
    const form = first & 3;
    if (form === 0) {
      return first >> 2;
    }
    if (form === 3) {
      const value = first === 3 ? this.number(4) : 0;
      return atLeast(value, 2 ** 30);
    }
    const rest = this.number(form === 1 ? 1 : 3);
    return atLeast((first >> 2) + rest * 64, form === 1 ? 2 ** 6 : 2 ** 14);
  }
}

function atLeast(value: number, smallest: number): number {
  if (value < smallest) {
    throw new MalformedNode();
  }
  return value;
}

type Header = {
  readonly kind: 'empty' | 'leaf' | 'branch' | 'branch_with_value';
  readonly isValueHashed: boolean;
  readonly nibbleCount: number;
};

/** Bits of the nibble count in a header byte, and what the rest of the byte says (§5.2, §5.4). */
function headerKind(byte: number): Omit<Header, 'nibbleCount'> & { readonly countBits: number } {
  if (byte === 0) {
    return { kind: 'empty', isValueHashed: false, countBits: 0 };
  }
  switch (byte >> 6) {
    case 1:
      return { kind: 'leaf', isValueHashed: false, countBits: 6 };
    case 2:
      return { kind: 'branch', isValueHashed: false, countBits: 6 };
    case 3:
      return { kind: 'branch_with_value', isValueHashed: false, countBits: 6 };
    default:
      if (byte >= 0x20) {
        return { kind: 'leaf', isValueHashed: true, countBits: 5 };
      }
      if (byte >= 0x10) {
        return { kind: 'branch_with_value', isValueHashed: true, countBits: 4 };
      }
      throw new MalformedNode();
  }
}

/** Counts that go on beyond this end here, as in the reference (a `u16` bound). */
const MAX_NIBBLES = 65_535;

/** A count that fills its bits goes on in further bytes: 255 adds and continues, less ends (§5.2). */
function readNibbleCount(reader: Reader, count: number, most: number): number {
  if (count < most) {
    return count;
  }
  let sum = count;
  while (sum <= MAX_NIBBLES + 1) {
    const added = reader.number(1);
    sum += added;
    if (added < 255) {
      return sum;
    }
  }
  return MAX_NIBBLES;
}

function readHeader(reader: Reader): Header {
  const byte = reader.number(1);
  const { kind, isValueHashed, countBits } = headerKind(byte);
  const most = 2 ** countBits - 1;
  const nibbleCount = kind === 'empty' ? 0 : readNibbleCount(reader, byte & most, most);
  return { kind, isValueHashed, nibbleCount };
}

/** Unpacks the partial key; with an odd count the first half-byte is padding and must be zero. */
function readPartial(reader: Reader, nibbleCount: number): Uint8Array {
  const packed = reader.take(Math.ceil(nibbleCount / 2));
  const skipped = nibbleCount % 2;
  if (skipped === 1 && (packed[0] ?? 0) >> 4 !== 0) {
    throw new MalformedNode();
  }
  return Uint8Array.from({ length: nibbleCount }, (_, i) => {
    const byte = packed[(i + skipped) >> 1] ?? 0;
    return (i + skipped) % 2 === 0 ? byte >> 4 : byte & 15;
  });
}

function readValue(reader: Reader, isHashed: boolean): NodeValue {
  return isHashed
    ? { type: 'hashed', hash: reader.take(HASH_BYTES) }
    : { type: 'inline', bytes: reader.take(reader.compact()) };
}

function readNode(reader: Reader): TrieNode {
  const { kind, isValueHashed, nibbleCount } = readHeader(reader);
  if (kind === 'empty') {
    return { type: 'empty' };
  }
  const partial = readPartial(reader, nibbleCount);
  if (kind === 'leaf') {
    return { type: 'leaf', partial, value: readValue(reader, isValueHashed) };
  }
  const bitmap = atLeast(reader.number(2), 1);
  const value = kind === 'branch' ? undefined : readValue(reader, isValueHashed);
  const children: (Uint8Array | undefined)[] = [];
  for (let nibble = 0; nibble < 16; nibble += 1) {
    const isPresent = ((bitmap >> nibble) & 1) === 1;
    children.push(isPresent ? reader.take(reader.compact()) : undefined);
  }
  return { type: 'branch', partial, value, children };
}

/**
 * Decodes a node; bytes after its content are ignored.
 *
 * @returns Undefined when the bytes are no node: too short, unknown header, non-zero padding, empty
 *   bitmap, or a compact length in a longer form than needed.
 */
export function decodeNode(bytes: Uint8Array): TrieNode | undefined {
  try {
    return readNode(new Reader(bytes));
  } catch (error: unknown) {
    if (error instanceof MalformedNode) {
      return undefined;
    }
    throw error;
  }
}
