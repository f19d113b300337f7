/**
 * @module
 * What a backer hands out is what the plain codec and commitment make, byte for byte.
 */

import { lastValueFrom } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeProof } from '../../src/codec/erasure-chunk.ts';
import { codingWork } from '../../src/coding/kernel-work.ts';
import { producePlainly } from '../../src/coding/plain-production.ts';
import { equalBytes } from '../../src/primitives/bytes.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import { digestOf, fixture } from './fixture.ts';

beforeAll(hashReady);

describe('produce', () => {
  it.each([
    [2, 1],
    [3, 100],
    [6, 33],
    [16, 5000],
    [17, 64],
    [100, 20_000],
    [257, 3000],
    [1000, 40_000],
  ])('makes chunks, hashes, root and proofs of the plain parts for n = %i', async (n, size) => {
    const one = fixture(n, size);
    const work = codingWork({ workers: 0 });
    const made = await lastValueFrom(work.produce(one.payload, n));
    const plain = producePlainly(one.payload, n);
    for (const side of [made, plain]) {
      expect(side.erasureRoot).toEqual(one.subject.erasureRoot);
      expect(side.chunkBytes).toBe(one.chunks[0]?.bytes.length);
      const { bytes, offsets } = side.proofs;
      one.chunks.forEach((chunk, i) => {
        expect(new Uint8Array(side.chunk(i)), `chunk ${i}`).toEqual(chunk.bytes);
        expect(side.digests.subarray(32 * i, 32 * i + 32), `hash ${i}`).toEqual(digestOf(chunk));
        expect(bytes.subarray(offsets[i], offsets[i + 1])).toEqual(encodeProof(chunk.proof));
      });
    }
    expect(equalBytes(made.copyChunks(), plain.copyChunks())).toBe(true);
    made.release();
    work.close();
  });

  it('copies into a buffer of the caller, behind which nothing is written', async () => {
    const work = codingWork({ workers: 0 });
    const made = await lastValueFrom(work.produce(fixture(6, 33).payload, 6));
    const into = new Uint8Array(6 * made.chunkBytes + 10).fill(9);
    expect(made.copyChunks(into)).toBe(into);
    expect(into.subarray(-10)).toEqual(new Uint8Array(10).fill(9));
    made.release();
    work.close();
  });

  it('holds its memory until it is released, once', async () => {
    const work = codingWork({ workers: 0 });
    const made = await lastValueFrom(work.produce(fixture(6, 33).payload, 6));
    expect(work.usedBytes).toBeGreaterThan(0);
    made.release();
    made.release();
    expect(work.usedBytes).toBe(0);
    expect(() => made.chunk(0)).toThrow(RangeError);
    expect(() => made.proofs.bytes).toThrow(RangeError);
    work.close();
  });

  it('refuses an index that is none', async () => {
    const work = codingWork({ workers: 0 });
    const made = await lastValueFrom(work.produce(fixture(6, 33).payload, 6));
    expect(() => made.chunk(6)).toThrow(RangeError);
    expect(() => made.chunk(-1)).toThrow(RangeError);
    made.release();
    work.close();
  });

  it.each(['simd', 'scalar'] as const)('errors for what has no code (%s)', async (engine) => {
    const work = codingWork({ workers: 0, engine });
    const made = (payload: Uint8Array, n: number): Promise<unknown> =>
      lastValueFrom(work.produce(payload, n));
    await expect(made(new Uint8Array(0), 6)).rejects.toMatchObject({ code: 'bad_payload' });
    await expect(made(new Uint8Array(1), 1)).rejects.toMatchObject({
      code: 'not_enough_validators',
    });
    await expect(made(new Uint8Array(1), 65_537)).rejects.toMatchObject({
      code: 'too_many_validators',
    });
    expect(work.usedBytes).toBe(0);
    work.close();
  });

  it('falls back to the plain parts where not all rows fit, with one warning', async () => {
    const warnings: string[] = [];
    const work = codingWork({
      workers: 0,
      arenaBytes: 6 * 1024 * 1024,
      warn: (warning) => warnings.push(warning),
    });
    const { payload } = fixture(10, 600_000);
    const made = await lastValueFrom(work.produce(payload, 10));
    expect(equalBytes(made.copyChunks(), producePlainly(payload, 10).copyChunks())).toBe(true);
    expect(warnings).toEqual(['arena_too_small']);
    work.close();
  });
});
