/**
 * @module
 * Codec v1 against its definition: any k of n give the payload, parity is the value of the polynomial
 * through the data, and more than k inconsistent chunks decode to what interpolation gives.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODEC_V1, codecV1, reconstructUnchecked, type Shard } from '../../src/erasure/index.ts';
import { toHex } from '../../src/primitives/bytes.ts';
import { SEED, seeded } from '../support/seed.ts';
import { coarseEngine } from './coarse-engine.ts';
import { interpolate, product, reciprocal, symbolsOf } from './naive.ts';
import { verifiedChunks } from './verified.ts';

const payloads = (maxLength: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: 1, maxLength });

const kOf = (n: number): number => CODEC_V1.parameters(n).systematicThreshold;

/** A code with a payload and a permutation of its chunk indices. */
const codes = (
  maxN: number,
  maxLength: number,
): fc.Arbitrary<{ n: number; payload: Uint8Array; order: number[]; surplus: number }> =>
  fc.integer({ min: 2, max: maxN }).chain((n) => {
    const indices = Array.from({ length: n }, (_, i) => i);
    return fc.record({
      n: fc.constant(n),
      payload: payloads(maxLength),
      order: fc.shuffledSubarray(indices, { minLength: n, maxLength: n }),
      surplus: fc.nat(n - kOf(n)),
    });
  });

/** All subsets of 0 .. n-1 with at least `least` elements. */
function subsets(n: number, least: number): number[][] {
  const all = Array.from({ length: 2 ** n }, (_, bits) =>
    Array.from({ length: n }, (__, i) => i).filter((i) => (bits >> i) & 1),
  );
  return all.filter((subset) => subset.length >= least);
}

describe('CODEC_V1.reconstruct', () => {
  it.each([2, 3, 4, 5, 6, 7, 8, 9, 10])('gives the payload from every subset, n = %i', (n) => {
    const payload = Uint8Array.from({ length: 3 * n + 1 }, (_, i) => (i * 89 + n) & 255);
    const verified = verifiedChunks(CODEC_V1.encodeChunks(payload, n));
    for (const subset of subsets(n, kOf(n))) {
      const decoded = CODEC_V1.reconstruct(
        subset.map((i) => verified[i]!),
        n,
      );
      expect(toHex(decoded.subarray(0, payload.length)), `from ${subset}`).toBe(toHex(payload));
    }
    for (const subset of subsets(n, 0).filter(({ length }) => length < kOf(n))) {
      const few = subset.map((i) => verified[i]!);
      expect(() => CODEC_V1.reconstruct(few, n), `from ${subset}`).toThrow(/distinct chunks/);
    }
  });

  it(seeded('gives the payload and zeros from any k or more of n chunks'), () => {
    fc.assert(
      fc.property(codes(1100, 3000), ({ n, payload, order, surplus }) => {
        const chunks = CODEC_V1.encodeChunks(payload, n);
        const shards = order.slice(0, kOf(n) + surplus).map((i): Shard => [i, chunks[i]!]);
        const decoded = reconstructUnchecked(shards, n);
        expect(decoded.length).toBe(kOf(n) * chunks[0]!.length);
        expect(toHex(decoded.subarray(0, payload.length))).toBe(toHex(payload));
        expect(decoded.subarray(payload.length).every((byte) => byte === 0)).toBe(true);
      }),
      { seed: SEED, numRuns: 100 },
    );
  });

  it(seeded('interpolates through all chunks when they lie on no codeword'), () => {
    const inconsistent = codes(20, 40).chain((code) =>
      fc.record({
        code: fc.constant(code),
        bytes: fc.array(fc.uint8Array({ minLength: 4, maxLength: 4 }), {
          minLength: code.n,
          maxLength: code.n,
        }),
      }),
    );
    fc.assert(
      fc.property(inconsistent, ({ code: { n, order, surplus }, bytes }) => {
        const k = kOf(n);
        const given = order.slice(0, k + surplus);
        const shards = given.map((i): Shard => [i, bytes[i]!]);
        const symbols = symbolsOf(reconstructUnchecked(shards, n));
        for (const column of [0, 1]) {
          const points = new Map(given.map((i) => [i, symbolsOf(bytes[i]!)[column]!]));
          const expected = Array.from(
            { length: k },
            (_, j) => points.get(j) ?? interpolate(points, j),
          );
          expect(symbols.slice(column * k, column * k + k)).toEqual(expected);
        }
      }),
      { seed: SEED, numRuns: 60 },
    );
  });
});

describe('CODEC_V1.encodeChunks', () => {
  it(seeded('evaluates the polynomial through the data at every position'), () => {
    fc.assert(
      fc.property(codes(24, 40), ({ n, payload }) => {
        const chunks = CODEC_V1.encodeChunks(payload, n).map(symbolsOf);
        const column = chunks[0]!.length - 1;
        const points = new Map(chunks.slice(0, kOf(n)).map((symbols, i) => [i, symbols[column]!]));
        chunks.forEach((symbols, i) => {
          const expected = points.get(i) ?? interpolate(points, i);
          expect(symbols[column], `chunk ${i}`).toBe(expected);
        });
      }),
      { seed: SEED, numRuns: 60 },
    );
  });

  it(seeded('agrees with the closed form of a single parity chunk'), () => {
    fc.assert(
      fc.property(codes(1100, 600), fc.nat(), ({ n, payload }, at) => {
        const k = kOf(n);
        const chunks = CODEC_V1.encodeChunks(payload, n);
        const j = k + (at % (n - k));
        const sum = chunks
          .slice(0, k)
          .map((chunk, a) => product(symbolsOf(chunk)[0]!, reciprocal(j ^ a)))
          .reduce((total, term) => total ^ term, 0);
        expect(symbolsOf(chunks[j]!)[0]).toBe(product(Math.floor(j / k), sum));
      }),
      { seed: SEED, numRuns: 15 },
    );
  });

  it(seeded('does not depend on what the engine did before'), () => {
    const coarse = codecV1(coarseEngine());
    fc.assert(
      fc.property(codes(200, 2000), ({ n, payload }) => {
        const first = CODEC_V1.encodeChunks(payload, n);
        expect(CODEC_V1.encodeChunks(payload, n)).toEqual(first);
        expect(coarse.encodeChunks(payload, n)).toEqual(first);
      }),
      { seed: SEED, numRuns: 40 },
    );
  });
});

describe('CODEC_V1.reassemble', () => {
  it(seeded('undoes encodeChunks, from chunks in any order'), () => {
    fc.assert(
      fc.property(codes(60, 500), ({ n, payload, order }) => {
        const verified = verifiedChunks(CODEC_V1.encodeChunks(payload, n));
        const decoded = CODEC_V1.reassemble(
          order.map((i) => verified[i]!),
          n,
        );
        expect(toHex(decoded.subarray(0, payload.length))).toBe(toHex(payload));
        expect(decoded).toEqual(CODEC_V1.reconstruct(verified, n));
      }),
      { seed: SEED, numRuns: 40 },
    );
  });
});
