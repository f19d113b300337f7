import { describe, expect, it } from 'vitest';
import type { VerifiedChunk } from '../../src/primitives/chunk.ts';
import { chunkIndex, validatorIndex } from '../../src/primitives/ids.ts';
import { type KnownChunk, KnownChunks } from '../../src/recovery/known-chunks.ts';

function known(index: number, validator: number, byte = 0): KnownChunk {
  const chunk = { bytes: Uint8Array.of(byte, 0), chunkIndex: chunkIndex(index), proof: [] };
  // What is filed here was verified by whoever files it.
  return { chunk: chunk as unknown as VerifiedChunk, validatorIndex: validatorIndex(validator) };
}

describe('KnownChunks', () => {
  it('holds nothing at first', () => {
    const chunks = new KnownChunks();
    expect(chunks.count).toBe(0);
    expect(chunks.has(chunkIndex(0))).toBe(false);
    expect(chunks.ascending()).toEqual([]);
    expect(chunks.countBelow(10)).toBe(0);
  });

  it('gives chunks in ascending order of their index, as numbers', () => {
    const chunks = new KnownChunks();
    for (const index of [10, 9, 2, 100]) {
      chunks.add(known(index, 0));
    }
    expect(chunks.ascending().map(({ chunkIndex: index }) => index)).toEqual([2, 9, 10, 100]);
  });

  it('puts a later chunk of the same index in the place of the earlier, deliverer included', () => {
    const chunks = new KnownChunks();
    expect(chunks.add(known(3, 1, 7))).toBe(true);
    expect(chunks.add(known(3, 2, 8))).toBe(false);
    expect(chunks.count).toBe(1);
    expect([...chunks.deliverers()]).toEqual([2]);
    expect(chunks.ascending()[0]?.bytes[0]).toBe(8);
  });

  it('counts the chunks below an index', () => {
    const chunks = new KnownChunks();
    for (const index of [0, 3, 4, 5]) {
      chunks.add(known(index, index));
    }
    expect([0, 1, 4, 5, 6].map((bound) => chunks.countBelow(bound))).toEqual([0, 1, 2, 3, 4]);
  });

  it('names each deliverer once', () => {
    const chunks = new KnownChunks();
    chunks.add(known(0, 5));
    chunks.add(known(1, 5));
    expect([...chunks.deliverers()]).toEqual([5]);
  });

  it('keeps in mind which own chunks failed their proof', () => {
    const chunks = new KnownChunks();
    chunks.markOwnInvalid(chunkIndex(3));
    expect([chunks.has(chunkIndex(3)), chunks.count]).toEqual([false, 0]);
    expect(chunks.ownInvalid()).toEqual(new Set([3]));
  });
});
