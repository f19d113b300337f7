/**
 * @module
 * Chunks and proofs: the bounds of a proof and their order, and lists that claim to be enormous.
 */

import { describe, expect, it } from 'vitest';
import {
  decodeErasureChunk,
  decodeProof,
  encodeErasureChunk,
  encodeProof,
} from '../../src/codec/erasure-chunk.ts';
import { ScaleWriter } from '../../src/codec/scale.ts';
import { concatBytes, fromHex, toHex } from '../../src/primitives/bytes.ts';
import { chunkIndex } from '../../src/primitives/ids.ts';
import { faultOf } from './faults.ts';

/** A list of nodes of the given sizes, whatever the bounds say. */
function listOf(...sizes: number[]): Uint8Array {
  const writer = new ScaleWriter().compact('count', sizes.length);
  for (const size of sizes) {
    writer.byteString('node', new Uint8Array(size).fill(0xaa));
  }
  return writer.finish();
}

/** Only the claim: a count of nodes and what follows it. */
function claimOf(count: number, ...rest: number[]): Uint8Array {
  return concatBytes([new ScaleWriter().compact('count', count).finish(), Uint8Array.from(rest)]);
}

describe('encodeErasureChunk', () => {
  it('writes the chunk, then the index, then the proof', () => {
    const chunk = {
      bytes: fromHex('deadbeef'),
      chunkIndex: chunkIndex(5),
      proof: [fromHex('aabb')],
    };
    expect(toHex(encodeErasureChunk(chunk))).toBe('10deadbeef050000000408aabb');
  });
});

describe('decodeErasureChunk', () => {
  it('leaves any index to the verification', () => {
    const { value } = decodeErasureChunk(fromHex('00ffffffff0404aa'));
    expect(value).toEqual({
      bytes: new Uint8Array(0),
      chunkIndex: 2 ** 32 - 1,
      proof: [fromHex('aa')],
    });
  });

  it('tolerates trailing bytes and says how far it read', () => {
    expect(decodeErasureChunk(fromHex('00ffffffff0404aa0000')).bytesRead).toBe(8);
  });
});

describe('decodeProof', () => {
  it.each([
    ['one node of one byte', [1]],
    ['one node of 612 bytes', [612]],
    ['eight nodes', [1, 1, 1, 1, 1, 1, 1, 1]],
  ])('accepts %s', (_, sizes) => {
    const { value, bytesRead } = decodeProof(listOf(...sizes));
    expect(value.map((node) => node.length)).toEqual(sizes);
    expect(bytesRead).toBe(listOf(...sizes).length);
  });

  it.each([
    ['no nodes', []],
    ['nine nodes', [1, 1, 1, 1, 1, 1, 1, 1, 1]],
    ['an empty node', [1, 0]],
    ['a node of 613 bytes', [613]],
    ['an empty node among too many', [1, 1, 1, 1, 1, 1, 1, 1, 1, 0]],
  ])('refuses %s', (_, sizes) => {
    expect(faultOf(() => decodeProof(listOf(...sizes)))).toEqual(['bad_proof_bounds', 0]);
  });

  it('reads the whole list before it compares: a cut list is cut, whatever its bounds', () => {
    expect(faultOf(() => decodeProof(listOf(0, 613).subarray(0, -1)))[0]).toBe('unexpected_end');
    const nine = listOf(1, 1, 1, 1, 1, 1, 1, 1, 1);
    expect(faultOf(() => decodeProof(nine.subarray(0, -1)))[0]).toBe('unexpected_end');
  });

  it('compares the sizes of nodes before their count', () => {
    const tooMany = listOf(1, 1, 1, 1, 1, 1, 1, 1, 0);
    expect(() => decodeProof(tooMany)).toThrow(/node of 0 bytes/);
    expect(() => decodeProof(listOf(1, 1, 1, 1, 1, 1, 1, 1, 1))).toThrow(/of 9 nodes/);
  });

  it('refuses a length of a node in a longer form, also beyond the eighth node', () => {
    expect(faultOf(() => decodeProof(claimOf(1, 0x05, 0x00, 0xaa)))).toEqual([
      'non_canonical_compact',
      1,
    ]);
    const ninth = [
      ...Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? 4 : 0xaa)),
      0x05,
      0,
      0xaa,
    ];
    expect(faultOf(() => decodeProof(claimOf(9, ...ninth)))).toEqual(['non_canonical_compact', 17]);
  });

  it('refuses a count of 2^30 nodes at the count, without a loop', () => {
    expect(faultOf(() => decodeProof(claimOf(2 ** 30, 4, 0xaa)))).toEqual(['unexpected_end', 5]);
    expect(faultOf(() => decodeProof(claimOf(2 ** 32 - 1)))).toEqual(['unexpected_end', 5]);
  });

  it('keeps nothing of a million empty nodes', () => {
    const count = 1_000_000;
    const bytes = concatBytes([claimOf(count), new Uint8Array(count)]);
    expect(faultOf(() => decodeProof(bytes))).toEqual(['bad_proof_bounds', 0]);
  });
});

describe('encodeProof', () => {
  it.each([
    ['no nodes', []],
    ['nine nodes', Array.from({ length: 9 }, () => Uint8Array.of(1))],
    ['an empty node', [new Uint8Array(0)]],
    ['a node of 613 bytes', [new Uint8Array(613)]],
  ])('refuses %s as misuse', (_, proof) => {
    expect(() => encodeProof(proof)).toThrow(RangeError);
  });
});
