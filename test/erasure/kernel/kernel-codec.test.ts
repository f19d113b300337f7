/**
 * @module
 * Codec v1 on the kernel behind the codec's interface: the bytes and refusals of the plain codec, all golden
 * vectors on both builds, and what it does with its memory.
 */

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  CODEC_V1,
  type ErasureCodec,
  PLAIN_CODEC_V1,
  reassembleUnchecked,
  reconstructUnchecked,
  type Shard,
} from '../../../src/erasure/index.ts';
import {
  createContext,
  KernelMemory,
  kernelCodec,
  kernelDecoder,
  type SimdEngineId,
} from '../../../src/erasure/kernel/index.ts';
import { concatBytes, toHex } from '../../../src/primitives/bytes.ts';
import { ErasureError } from '../../../src/primitives/errors.ts';
import { blake2b256, hashReady } from '../../../src/primitives/hash.ts';
import { payload as payloadOf } from '../../vectors/payload.ts';
import { Checks } from '../../vectors/runner.ts';
import { decodeRunner } from '../../vectors/runners/decode.ts';
import type { TestedCode } from '../../vectors/tested-code.ts';
import { verifiedChunks } from '../verified.ts';
import { dataRowsOf, noise, sample } from './rig.ts';

/** What is compared of a case of `erasure-v1.json`; roots and proofs are the slow suite's. */
type EncodedCase = {
  readonly n: number;
  readonly tag: string;
  readonly len: number;
  readonly chunks?: readonly string[];
  readonly chunks_blake2b256?: string;
};

const ENGINES = ['simd_relaxed', 'simd'] as const;

beforeAll(hashReady);

function codeOn(
  engine: SimdEngineId,
  maxBytes = 32 * 2 ** 20,
): TestedCode & { readonly memory: KernelMemory } {
  const memory = new KernelMemory({ isShared: false, maxBytes });
  const context = createContext(memory, engine)!;
  return { memory, codec: kernelCodec(context, memory), ...kernelDecoder(context, memory) };
}

const contentOf = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../vectors/${file}`, import.meta.url), 'utf8')) as unknown;

const indexed = (chunks: readonly Uint8Array[]): Shard[] => chunks.map((bytes, i) => [i, bytes]);

const refusal = (run: () => unknown): string => {
  try {
    run();
    return 'accepted';
  } catch (error: unknown) {
    return error instanceof ErasureError ? error.code : String(error);
  }
};

/** Throws when any chunk differs. */
function expectChunks(actual: readonly Uint8Array[], expected: readonly Uint8Array[]): void {
  expect(actual.length).toBe(expected.length);
  expect(expected.findIndex((chunk, i) => Buffer.compare(chunk, actual[i]!) !== 0)).toBe(-1);
}

describe.each(ENGINES)('kernelCodec on %s', (engine) => {
  const code = codeOn(engine);

  it('passes every check of decode.json', () => {
    const checks = new Checks();
    decodeRunner(contentOf('decode.json'), checks, code);
    expect(checks.failed).toEqual([]);
    expect(checks.count).toBeGreaterThanOrEqual(800);
  });

  it('gives the chunks of erasure-v1.json', () => {
    const { cases } = contentOf('erasure-v1.json') as { readonly cases: readonly EncodedCase[] };
    for (const { n, tag, len, chunks, chunks_blake2b256 } of cases) {
      const actual = code.codec.encodeChunks(payloadOf(tag, len), n);
      if (chunks === undefined) {
        expect(toHex(blake2b256(concatBytes(actual))), tag).toBe(chunks_blake2b256);
      } else {
        expect(actual.map(toHex), tag).toEqual(chunks);
      }
    }
    expect(cases.length).toBeGreaterThan(200);
  });

  it('gives the bytes of the plain codec whichever and however many chunks are missing', () => {
    for (const n of [2, 3, 6, 7, 23, 24, 50, 130, 300]) {
      const payload = noise(67 * dataRowsOf(n) - 3, n);
      const chunks = code.codec.encodeChunks(payload, n);
      expectChunks(chunks, PLAIN_CODEC_V1.encodeChunks(payload, n));
      for (let count = dataRowsOf(n); count <= n; count += 1 + (n >> 3)) {
        const given = sample(n, count, count).map((i): Shard => [i, noise(66, i + count)]);
        const expected = reconstructUnchecked(given, n);
        expect(Buffer.compare(code.reconstruct(given, n), expected), `${count} of ${n}`).toBe(0);
      }
      for (let missing = 0; missing < Math.min(20, dataRowsOf(n)); missing += 3) {
        const given = indexed(chunks).slice(missing, missing + dataRowsOf(n));
        const decoded = code.reconstruct(given, n).subarray(0, payload.length);
        expect(Buffer.compare(decoded, payload), `${missing} missing of ${n}`).toBe(0);
      }
    }
  });

  it('passes long payloads through its memory in groups of columns', () => {
    const n = 40;
    const payload = noise(2_000_001, n);
    const chunks = code.codec.encodeChunks(payload, n);
    expectChunks(chunks, PLAIN_CODEC_V1.encodeChunks(payload, n));
    for (const given of [
      indexed(chunks).slice(3, 11),
      indexed(chunks).slice(24),
      indexed(chunks),
    ]) {
      const decoded = code.reconstruct(given, n).subarray(0, payload.length);
      expect(Buffer.compare(decoded, payload)).toBe(0);
    }
    expect(code.memory.heldBytes).toBeLessThan(20 * 2 ** 20);
  });

  it('gives its memory back, also after a refusal', () => {
    const before = code.memory.usedBytes;
    const chunks = code.codec.encodeChunks(noise(1000, 1), 50);
    code.reconstruct(indexed(chunks).slice(20), 50);
    refusal(() => code.reconstruct(indexed(chunks).slice(40), 50));
    expect(code.memory.usedBytes).toBe(before);
  });

  it('leaves the work to the plain codec when its memory has no room', () => {
    const small = codeOn(engine, 5.5 * 2 ** 20);
    const payload = noise(300_000, 3);
    const chunks = small.codec.encodeChunks(payload, 7);
    expectChunks(chunks, PLAIN_CODEC_V1.encodeChunks(payload, 7));
    const padded = Buffer.alloc(300_000, payload);
    expect(Buffer.compare(small.reconstruct(indexed(chunks).slice(3), 7), padded)).toBe(0);
    expect(Buffer.compare(small.reassemble(chunks, 7), padded)).toBe(0);
  });

  it('takes verified chunks in any order and gives buffers of their own', () => {
    const payload = noise(100, 5);
    const verified = verifiedChunks(code.codec.encodeChunks(payload, 10));
    const given = [9, 4, 7, 4, 0].map((i) => verified[i]!);
    const decoded = code.codec.reconstruct(given, 10);
    expect(decoded).toEqual(PLAIN_CODEC_V1.reconstruct(given, 10));
    expect(decoded.buffer.byteLength).toBe(decoded.length);
    const data = [7, 3, 1, 9, 0, 2, 2].map((i) => verified[i]!);
    expect(code.codec.reassemble(data, 10)).toEqual(PLAIN_CODEC_V1.reassemble(data, 10));
  });
});

describe('refusals', () => {
  const { codec, reconstruct, reassemble } = codeOn('simd');
  const odd = new Uint8Array(9);
  const empty = new Uint8Array(0);
  const long = new Uint8Array(12);
  const good = new Uint8Array(10);
  /** Every list of up to five entries drawn from good and bad ones. */
  const drawn = (seed: number): Shard[] =>
    Array.from(noise(1 + (seed % 6), seed), (byte, i): Shard => {
      const bytes = [good, good, good, good, odd, empty, long, good][(byte >> 2) & 7]!;
      return [[i, i + 4, 9, 10, -1, 0.5, i, 7 - i][byte >> 5]!, bytes];
    });

  it('are those of the plain codec, in its order', () => {
    const seen = new Set<string>();
    for (let seed = 1; seed < 2000; seed += 1) {
      const n = [1, 2, 5, 10, 65_537][seed % 5]!;
      const shards = drawn(seed);
      const expected = refusal(() => reconstructUnchecked(shards, n));
      expect(
        refusal(() => reconstruct(shards, n)),
        `seed ${seed}`,
      ).toBe(expected);
      const bytes = shards.map(([, chunk]) => chunk);
      const systematic = refusal(() => reassembleUnchecked(bytes, n));
      expect(
        refusal(() => reassemble(bytes, n)),
        `seed ${seed}`,
      ).toBe(systematic);
      seen.add(expected).add(systematic);
    }
    expect([...seen].sort()).toEqual([
      'accepted',
      'chunk_index_out_of_bounds',
      'non_uniform_chunks',
      'not_enough_chunks',
      'not_enough_validators',
      'too_many_validators',
      'uneven_length',
      'unknown_reconstruction',
    ]);
  });

  it('of encoding are those of the plain codec', () => {
    for (const [length, n] of [
      [0, 6],
      [0, 1],
      [5, 1],
      [5, 65_537],
    ] as const) {
      const of = (one: ErasureCodec): string =>
        refusal(() => one.encodeChunks(new Uint8Array(length), n));
      expect(of(codec), `${length} bytes, n = ${n}`).toBe(of(PLAIN_CODEC_V1));
      expect(of(codec)).not.toBe('accepted');
    }
  });
});

describe('CODEC_V1', () => {
  it('gives the bytes of the plain codec', () => {
    const payload = noise(10_000, 9);
    const chunks = CODEC_V1.encodeChunks(payload, 100);
    expectChunks(chunks, PLAIN_CODEC_V1.encodeChunks(payload, 100));
    const parity = verifiedChunks(chunks).slice(-34);
    expect(CODEC_V1.reconstruct(parity, 100)).toEqual(PLAIN_CODEC_V1.reconstruct(parity, 100));
  });
});
