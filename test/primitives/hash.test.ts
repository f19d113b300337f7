import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/bytes.ts';
import { blake2b256 } from '../../src/primitives/hash.ts';

describe('blake2b256', () => {
  it('is BLAKE2b with a digest of 32 bytes, of the bytes in view', () => {
    // Of the empty string, as any implementation gives it.
    const empty = '0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8';
    expect(toHex(blake2b256(new Uint8Array()))).toBe(empty);
    expect(toHex(blake2b256(Uint8Array.of(1, 2, 3).subarray(1, 1)))).toBe(empty);
    expect(blake2b256(Buffer.from([1, 2]))).toEqual(blake2b256(Uint8Array.of(1, 2)));
  });

  it.each([['0x0102'], ['text'], [[1, 2]], [undefined], [null], [new ArrayBuffer(2)]])(
    'refuses %o: it is no bytes',
    (value) => {
      expect(() => blake2b256(value as unknown as Uint8Array)).toThrow(TypeError);
    },
  );
});
