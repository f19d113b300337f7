/**
 * @module
 * The seeded stream: its core against the quarter round's published example by way of whole blocks, its
 * ways of being read, and what it refuses. Long streams are in `mapping.json`.
 */

import { describe, expect, it } from 'vitest';
import { fromHex } from '../../src/primitives/bytes.ts';
import { ChaCha8 } from '../../src/primitives/chacha8.ts';

const words = (stream: ChaCha8, count: number): number[] =>
  Array.from({ length: count }, () => stream.nextU32());

/** First bytes of the ChaCha8 key stream for a zero key and nonce, as published for the cipher. */
const ZERO_KEY_STREAM = '3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e';

describe('ChaCha8', () => {
  it('gives the published key stream of the zero key', () => {
    const bytes = new DataView(fromHex(ZERO_KEY_STREAM).buffer);
    const expected = Array.from({ length: 8 }, (_, i) => bytes.getUint32(4 * i, true));
    expect(words(new ChaCha8(new Uint8Array(32)), 8)).toEqual(expected);
  });

  it('gives the same stream for the same seed, and keeps nothing of the seed', () => {
    const seed = new Uint8Array(32).fill(5);
    const first = new ChaCha8(seed);
    const second = new ChaCha8(seed);
    seed.fill(0);
    const stream = words(first, 100);
    expect(words(second, 100)).toEqual(stream);
    expect(words(new ChaCha8(seed), 100)).not.toEqual(stream);
  });

  it('reads a seed that is a view into other bytes', () => {
    const bytes = Uint8Array.from({ length: 70 }, (_, i) => i);
    const view = new ChaCha8(bytes.subarray(3, 35));
    expect(words(view, 20)).toEqual(words(new ChaCha8(bytes.slice(3, 35)), 20));
  });

  it('takes two words for a wide draw, the first for the low half, also across blocks', () => {
    const plain = words(new ChaCha8(new Uint8Array(32)), 40).map(BigInt);
    const stream = new ChaCha8(new Uint8Array(32));
    words(stream, 15);
    expect(stream.nextU64()).toBe((plain[16]! << 32n) | plain[15]!);
    expect(BigInt(stream.nextU32())).toBe(plain[17]);
  });

  it.each([0, 31, 33])('refuses a seed of %i bytes', (length) => {
    expect(() => new ChaCha8(new Uint8Array(length))).toThrow(RangeError);
  });
});
