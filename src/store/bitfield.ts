/**
 * @module
 * The set of validators whose chunk is held, one bit each: bit `V % 8` of byte `floor(V / 8)`.
 * Values are never changed in place.
 */

/** A set of indices below a size that its owner knows. Bits at and above that size are zero. */
export type Bitfield = Uint8Array;

/** Bytes that a set of indices below `size` takes. */
export function bitfieldBytes(size: number): number {
  return Math.ceil(size / 8);
}

/** The empty set of indices below `size`. */
export function emptyBitfield(size: number): Bitfield {
  return new Uint8Array(bitfieldBytes(size));
}

/** Whether a number is in the set; false for what is no index, such as -1, 1.5 or 2^32. */
export function hasBit(bits: Bitfield, index: number): boolean {
  const isIndex = Number.isInteger(index) && index >= 0 && index < bits.length * 8;
  return isIndex && (((bits[index >>> 3] ?? 0) >>> (index & 7)) & 1) === 1;
}

/** A copy with these indices added. */
export function withBits(bits: Bitfield, indices: readonly number[]): Bitfield {
  const copy = bits.slice();
  for (const index of indices) {
    copy[index >>> 3] = (copy[index >>> 3] ?? 0) | (1 << (index & 7));
  }
  return copy;
}

/** A copy without this index. */
export function withoutBit(bits: Bitfield, index: number): Bitfield {
  const copy = bits.slice();
  copy[index >>> 3] = (copy[index >>> 3] ?? 0) & ~(1 << (index & 7));
  return copy;
}

/** The indices of the set in ascending order. */
export function bitIndices(bits: Bitfield): number[] {
  const indices: number[] = [];
  for (let byte = 0; byte < bits.length; byte += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      if ((((bits[byte] ?? 0) >>> bit) & 1) === 1) {
        indices.push(byte * 8 + bit);
      }
    }
  }
  return indices;
}
