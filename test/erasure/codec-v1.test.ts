/**
 * @module
 * Codec v1: the specification's numbers and examples, what it refuses and in which order, and what its
 * results do not depend on.
 */

import { describe, expect, it } from 'vitest';
import {
  CODEC_V1,
  codecV1,
  reassembleUnchecked,
  reconstructUnchecked,
  type Shard,
} from '../../src/erasure/index.ts';
import { fromHex, toHex } from '../../src/primitives/bytes.ts';
import { ErasureError } from '../../src/primitives/errors.ts';
import { coarseEngine } from './coarse-engine.ts';
import { verifiedChunks } from './verified.ts';

const bytesOf = (length: number, seed = 1): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * i * 7 + i * seed + 3) & 255);

const indexed = (chunks: readonly Uint8Array[]): Shard[] => chunks.map((bytes, i) => [i, bytes]);

const refusal = (run: () => unknown): string => {
  try {
    run();
    return 'accepted';
  } catch (error: unknown) {
    return error instanceof ErasureError ? error.code : String(error);
  }
};

describe('CODEC_V1.parameters', () => {
  it.each([
    [2, 1, 1, 2],
    [3, 1, 1, 4],
    [4, 2, 2, 4],
    [5, 2, 2, 8],
    [6, 2, 2, 8],
    [7, 3, 2, 8],
    [10, 4, 4, 16],
    [50, 17, 16, 64],
    [100, 34, 32, 128],
    [200, 67, 64, 256],
    [297, 99, 64, 512],
    [300, 100, 64, 512],
    [500, 167, 128, 512],
    [600, 200, 128, 1024],
    [1000, 334, 256, 1024],
    [1023, 341, 256, 1024],
    [1024, 342, 256, 1024],
    [1025, 342, 256, 2048],
    [2000, 667, 512, 2048],
    [65_536, 21_846, 16_384, 65_536],
  ])('of %i validators: f + 1 = %i, k = %i, length %i', (validatorCount, f1, k, codeLength) => {
    expect(CODEC_V1.parameters(validatorCount)).toEqual({
      validatorCount,
      recoveryThreshold: f1,
      systematicThreshold: k,
      codeLength,
    });
  });

  it('hold k <= length / 2 and length / 2 < n <= length for every n', () => {
    for (let n = 2; n <= 65_536; n += 1) {
      const { systematicThreshold: k, codeLength } = CODEC_V1.parameters(n);
      if (k > codeLength / 2 || n > codeLength || n <= codeLength / 2) {
        expect.unreachable(`n = ${n}`);
      }
    }
  });

  it('refuses counts that the code does not support', () => {
    expect(refusal(() => CODEC_V1.parameters(1))).toBe('not_enough_validators');
    expect(refusal(() => CODEC_V1.parameters(65_537))).toBe('too_many_validators');
    expect(refusal(() => CODEC_V1.parameters(Number.NaN))).toBe('not_enough_validators');
    expect(() => CODEC_V1.parameters(6.5)).toThrow(RangeError);
  });
});

describe('CODEC_V1.chunkBytes', () => {
  it.each([
    [2 ** 20, 1000, 4096],
    [5 * 2 ** 20, 1000, 20_480],
    [2 ** 20, 300, 16_384],
    [5 * 2 ** 20, 300, 81_920],
    [1, 1000, 2],
    [512, 1000, 2],
    [513, 1000, 4],
  ])('of %i bytes for %i validators is %i', (payloadBytes, n, expected) => {
    expect(CODEC_V1.chunkBytes(payloadBytes, n)).toBe(expected);
    expect(CODEC_V1.encodeChunks(new Uint8Array(payloadBytes), n)[n - 1]!.length).toBe(expected);
  });

  it('refuses what is no size', () => {
    expect(refusal(() => CODEC_V1.chunkBytes(0, 6))).toBe('bad_payload');
    expect(() => CODEC_V1.chunkBytes(-1, 6)).toThrow(RangeError);
    expect(() => CODEC_V1.chunkBytes(1.5, 6)).toThrow(RangeError);
  });
});

describe('CODEC_V1.encodeChunks', () => {
  it('gives the worked example of the specification', () => {
    const chunks = CODEC_V1.encodeChunks(fromHex('00010203040506070809'), 6);
    expect(chunks.map(toHex)).toEqual([
      '000104050809',
      '020306070000',
      '039d0799067b',
      '019f059b0e72',
      '0bfd0ff90fd5',
      '09ff0dfb07dc',
    ]);
  });

  it('refuses an empty payload, after the validator count', () => {
    expect(refusal(() => CODEC_V1.encodeChunks(new Uint8Array(0), 6))).toBe('bad_payload');
    const both = refusal(() => CODEC_V1.encodeChunks(new Uint8Array(0), 1));
    expect(both).toBe('not_enough_validators');
  });

  it('gives each chunk a buffer of its own and leaves the payload alone', () => {
    const payload = bytesOf(100);
    const chunks = CODEC_V1.encodeChunks(payload, 10);
    expect(new Set(chunks.map((chunk) => chunk.buffer)).size).toBe(10);
    expect(chunks.every((chunk) => chunk.buffer.byteLength === chunk.length)).toBe(true);
    expect(payload).toEqual(bytesOf(100));
  });

  it('reads a payload that is a view into other bytes', () => {
    const view = bytesOf(64).subarray(5, 26);
    expect(CODEC_V1.encodeChunks(view, 7)).toEqual(CODEC_V1.encodeChunks(view.slice(), 7));
  });

  it('copies the padded payload to every chunk of 2 and 3 validators', () => {
    for (const n of [2, 3]) {
      const chunks = CODEC_V1.encodeChunks(Uint8Array.of(1, 2, 3), n);
      expect(chunks.map(toHex)).toEqual(new Array(n).fill('01020300'));
    }
  });

  it('does not depend on the stripes: many columns equal their parts', () => {
    const n = 7;
    const payload = bytesOf(4 * 300_000 + 3);
    const whole = CODEC_V1.encodeChunks(payload, n);
    const tail = CODEC_V1.encodeChunks(payload.subarray(4 * 200_000), n);
    expect(whole[5]!.length).toBe(2 * 300_001);
    whole.forEach((chunk, i) => {
      expect(toHex(chunk.subarray(-100)), `chunk ${i}`).toBe(toHex(tail[i]!.subarray(-100)));
    });
    expect(reconstructUnchecked(indexed(whole).slice(4, 6), n).subarray(0, payload.length)).toEqual(
      payload,
    );
  });

  it('works at the size of the field, and decodes from its last chunks', () => {
    const payload = bytesOf(50_000);
    const chunks = CODEC_V1.encodeChunks(payload, 65_536);
    expect(chunks.length).toBe(65_536);
    const decoded = reconstructUnchecked(indexed(chunks).slice(-16_384), 65_536);
    expect(toHex(decoded.subarray(0, 50_000))).toBe(toHex(payload));
  });
});

describe('codecV1', () => {
  it.each([2, 3, 4, 7, 10, 50, 300, 1000])(
    'gives the same bytes on an engine of other alignment that spills garbage, n = %i',
    (n) => {
      const coarse = codecV1(coarseEngine());
      for (const length of [1, 17, 1000, 9001]) {
        const payload = bytesOf(length, n);
        const chunks = coarse.encodeChunks(payload, n);
        expect(chunks).toEqual(CODEC_V1.encodeChunks(payload, n));
        const { recoveryThreshold: f1 } = coarse.parameters(n);
        const verified = verifiedChunks(chunks);
        const parity = verified.slice(-f1);
        expect(coarse.reconstruct(parity, n)).toEqual(CODEC_V1.reconstruct(parity, n));
        expect(coarse.reassemble(verified, n)).toEqual(CODEC_V1.reassemble(verified, n));
      }
    },
  );

  it('asks for work in proportion to the payload, and near to it in the number of validators', () => {
    const products = (length: number, n: number): number => {
      const engine = coarseEngine();
      const codec = codecV1(engine);
      const chunks = codec.encodeChunks(bytesOf(length), n);
      codec.reconstruct(verifiedChunks(chunks).slice(-codec.parameters(n).recoveryThreshold), n);
      return engine.products();
    };
    const base = products(32_768, 64);
    expect(products(131_072, 64) / base).toBeCloseTo(4, 1);
    // k grows 4-fold with n and the columns shrink 4-fold: what grows is log k, from 4 to 6.
    const exponent = Math.log(products(32_768, 256) / base) / Math.log(4);
    expect(exponent).toBeLessThan(0.35);
  });
});

describe('CODEC_V1.reconstruct', () => {
  const n = 10;
  const payload = bytesOf(37);
  const verified = verifiedChunks(CODEC_V1.encodeChunks(payload, n));

  it('takes chunks in any order, repeated ones too, and gives the padded payload', () => {
    const given = [9, 4, 7, 4, 0].map((i) => verified[i]!);
    const decoded = CODEC_V1.reconstruct(given, n);
    expect(decoded.length).toBe(40);
    expect(toHex(decoded)).toBe(`${toHex(payload)}000000`);
  });

  it('counts a repeated chunk once', () => {
    const given = [9, 9, 9, 9].map((i) => verified[i]!);
    expect(refusal(() => CODEC_V1.reconstruct(given, n))).toBe('not_enough_chunks');
  });

  it('refuses chunks of a larger set of validators', () => {
    const others = verifiedChunks(CODEC_V1.encodeChunks(payload, 12)).slice(8);
    expect(refusal(() => CODEC_V1.reconstruct(others, n))).toBe('chunk_index_out_of_bounds');
  });
});

describe('CODEC_V1.reassemble', () => {
  const n = 10;
  const payload = bytesOf(40);
  const verified = verifiedChunks(CODEC_V1.encodeChunks(payload, n));

  it('sorts by chunk index and ignores parity chunks', () => {
    const given = [7, 3, 1, 9, 0, 2, 2].map((i) => verified[i]!);
    expect(CODEC_V1.reassemble(given, n)).toEqual(payload);
  });

  it('refuses when a systematic chunk is missing, however many others there are', () => {
    const given = verified.filter((_, i) => i !== 2);
    expect(refusal(() => CODEC_V1.reassemble(given, n))).toBe('not_enough_chunks');
  });
});

describe('reconstructUnchecked', () => {
  const good = indexed(CODEC_V1.encodeChunks(bytesOf(37), 10));
  const odd = new Uint8Array(9);
  const empty = new Uint8Array(0);
  const long = new Uint8Array(12);

  it.each<[string, Shard[], number, string]>([
    ['the validator count first', [[99, odd]], 1, 'not_enough_validators'],
    ['an odd length before its index', [[99, odd]], 10, 'uneven_length'],
    [
      'a bad index before a later odd length',
      [
        [10, long],
        [1, odd],
      ],
      10,
      'chunk_index_out_of_bounds',
    ],
    ['a bad index before too few', [[10, long]], 10, 'chunk_index_out_of_bounds'],
    ['a negative index', [[-1, long]], 10, 'chunk_index_out_of_bounds'],
    ['an index that is no integer', [[0.5, long]], 10, 'chunk_index_out_of_bounds'],
    ['too few before emptiness', [[0, empty]], 10, 'not_enough_chunks'],
    ['no chunks at all', [], 10, 'not_enough_chunks'],
    [
      'an empty one of lowest index before lengths',
      [...good.slice(1, 6), [0, empty]],
      10,
      'unknown_reconstruction',
    ],
    [
      'an empty one elsewhere as another length',
      [...good.slice(0, 5), [9, empty]],
      10,
      'non_uniform_chunks',
    ],
    ['another length', [...good.slice(0, 5), [9, long]], 10, 'non_uniform_chunks'],
  ])('refuses %s', (_, shards, n, code) => {
    expect(refusal(() => reconstructUnchecked(shards, n))).toBe(code);
  });

  it('looks at the first n entries only', () => {
    const shards: Shard[] = [...good, [99, odd]];
    expect(reconstructUnchecked(shards, 10)).toEqual(reconstructUnchecked(good, 10));
  });

  it('lets a repeated index overwrite the earlier chunk', () => {
    const [first, ...rest] = good.slice(5);
    const wrong: Shard = [first![0], new Uint8Array(10).fill(9)];
    const right = reconstructUnchecked(good.slice(5), 10);
    expect(reconstructUnchecked([wrong, first!, ...rest], 10)).toEqual(right);
    expect(reconstructUnchecked([first!, wrong, ...rest], 10)).not.toEqual(right);
  });

  it('keeps received data chunks as they came, consistent or not', () => {
    const data = good.slice(0, 4);
    const wrong: Shard = [9, new Uint8Array(10).fill(9)];
    expect(reconstructUnchecked([...data, wrong], 10)).toEqual(reconstructUnchecked(data, 10));
  });
});

describe('reassembleUnchecked', () => {
  const good = CODEC_V1.encodeChunks(bytesOf(37), 10);
  const odd = new Uint8Array(9);
  const empty = new Uint8Array(0);

  it.each<[string, Uint8Array[], number, string]>([
    ['the validator count first', [odd], 65_537, 'too_many_validators'],
    ['an odd length before too few', [odd], 10, 'uneven_length'],
    ['too few before emptiness', [empty, good[1]!], 10, 'not_enough_chunks'],
    ['an empty first one before lengths', [empty, ...good.slice(1)], 10, 'unknown_reconstruction'],
    ['another length', [...good.slice(0, 3), new Uint8Array(12)], 10, 'non_uniform_chunks'],
  ])('refuses %s', (_, shards, n, code) => {
    expect(refusal(() => reassembleUnchecked(shards, n))).toBe(code);
  });

  it('does not look behind the systematic chunks', () => {
    expect(reassembleUnchecked([...good.slice(0, 4), odd, empty], 10)).toEqual(
      reassembleUnchecked(good, 10),
    );
  });
});
