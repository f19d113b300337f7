/**
 * @module
 * The node encoding of the hexary trie, state layout version 0 (erasure spec §5.2): nibbles, node
 * headers, and the encoder. The reader of foreign nodes is `node-decoder.ts`.
 */

import { concatBytes } from '../primitives/bytes.ts';

/** Header kinds in the top two bits: leaf, branch without value, branch with value (§5.2). */
const LEAF = 0x40;
const BRANCH = 0x80;
const BRANCH_WITH_VALUE = 0xc0;

/** Partial lengths from here on continue in further bytes: six bits, all set (§5.2). */
const MAX_HEADER_NIBBLES = 63;

/** The encoding of the empty trie's only node (§5.2). */
export const EMPTY_NODE: Uint8Array = Uint8Array.of(0);

/** Half-bytes of a key, high half of each byte first (§5.1). */
export function nibblesOf(key: Uint8Array): Uint8Array {
  return Uint8Array.from({ length: 2 * key.length }, (_, i) => {
    const byte = key[i >> 1] ?? 0;
    return i % 2 === 0 ? byte >> 4 : byte & 15;
  });
}

/** The trie key of a chunk: its index as SCALE `u32`, 4 bytes little-endian (§5.1). */
export function chunkKey(index: number): Uint8Array {
  const key = new Uint8Array(4);
  new DataView(key.buffer).setUint32(0, index, true);
  return key;
}

/** SCALE compact integer up to 2^30 - 1, in the shortest form. Longer values do not occur here. */
function compact(value: number): Uint8Array {
  if (value < 2 ** 6) {
    return Uint8Array.of(value << 2);
  }
  const form = value < 2 ** 14 ? 1 : 2;
  const bytes = new Uint8Array(2 * form);
  const word = value * 4 + form;
  bytes.forEach((_, i) => {
    bytes[i] = word >>> (8 * i);
  });
  return bytes;
}

/**
 * Compact length and bytes: how values and child references are written in a node, and nodes in a SCALE
 * list of nodes.
 */
export function prefixed(bytes: Uint8Array): Uint8Array {
  return concatBytes([compact(bytes.length), bytes]);
}

/** Header byte(s) and the packed partial key; an odd partial starts with a half-empty byte. */
function head(kind: number, partial: Uint8Array): Uint8Array {
  const bytes: number[] = [];
  if (partial.length < MAX_HEADER_NIBBLES) {
    bytes.push(kind | partial.length);
  } else {
    bytes.push(kind | MAX_HEADER_NIBBLES);
    let rest = partial.length - MAX_HEADER_NIBBLES;
    for (; rest >= 255; rest -= 255) {
      bytes.push(255);
    }
    bytes.push(rest);
  }
  const even = partial.length % 2 === 0 ? partial : [0, ...partial];
  for (let i = 0; i < even.length; i += 2) {
    bytes.push(((even[i] ?? 0) << 4) | (even[i + 1] ?? 0));
  }
  return Uint8Array.from(bytes);
}

/** A leaf: partial key and value. */
export function encodeLeaf(partial: Uint8Array, value: Uint8Array): Uint8Array {
  return concatBytes([head(LEAF, partial), prefixed(value)]);
}

/** A child of a branch: its nibble and its reference, a hash or the child's own encoding. */
export type ChildReference = { readonly nibble: number; readonly reference: Uint8Array };

/** A branch: partial key, value if it has one, and children in ascending order of nibble. */
export function encodeBranch(
  partial: Uint8Array,
  value: Uint8Array | undefined,
  children: readonly ChildReference[],
): Uint8Array {
  const bitmap = children.reduce((bits, { nibble }) => bits | (1 << nibble), 0);
  return concatBytes([
    head(value === undefined ? BRANCH : BRANCH_WITH_VALUE, partial),
    Uint8Array.of(bitmap & 255, bitmap >> 8),
    ...(value === undefined ? [] : [prefixed(value)]),
    ...children.map(({ reference }) => prefixed(reference)),
  ]);
}
