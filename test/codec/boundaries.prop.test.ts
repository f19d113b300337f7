/**
 * @module
 * The edges of the decoders, run through exhaustively or against a second model: every compact
 * prefix, every small proof around its bounds, every single byte of an encoding changed.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeProof } from '../../src/codec/erasure-chunk.ts';
import { nodeFeaturesFromText } from '../../src/codec/node-features.ts';
import { ScaleReader, ScaleWriter } from '../../src/codec/scale.ts';
import { concatBytes, equalBytes, toHex } from '../../src/primitives/bytes.ts';
import { CodecError } from '../../src/primitives/errors.ts';
import { SEED, seeded } from '../support/seed.ts';
import { EVERY_TYPE } from './every-type.ts';
import { Draws } from './generators.ts';

/** A value and its size, or the code of the refusal. */
type Outcome = string;

function outcomeOf(run: () => unknown): Outcome {
  try {
    return String(run());
  } catch (error: unknown) {
    if (error instanceof CodecError) {
      return error.code;
    }
    throw error;
  }
}

/** Recovery spec §2.1, row by row over big integers; shares nothing with the reader. */
function compactModel(bytes: Uint8Array, maxBytes: number): Outcome {
  const first = bytes[0];
  if (first === undefined) {
    return 'unexpected_end';
  }
  const mode = first % 4;
  const extra = mode === 3 ? Math.floor(first / 4) + 4 : ([0, 1, 3][mode] ?? 0);
  if (mode === 3 && extra > maxBytes) {
    return 'out_of_range';
  }
  if (bytes.length < 1 + extra) {
    return 'unexpected_end';
  }
  let number = 0n;
  for (let i = extra; i >= (mode === 3 ? 1 : 0); i -= 1) {
    number = number * 256n + BigInt(bytes[i] ?? 0);
  }
  const value = mode === 3 ? number : number / 4n;
  const least =
    mode === 3 && extra > 4 ? 256n ** BigInt(extra - 1) : [0n, 64n, 16_384n, 2n ** 30n][mode];
  return value < (least ?? 0n) ? 'non_canonical_compact' : `${value}/${1 + extra}`;
}

function expectModel(bytes: Uint8Array): void {
  const narrow = new ScaleReader(bytes);
  const got = outcomeOf(() => `${narrow.compactU32()}/${narrow.offset}`);
  const wide = new ScaleReader(bytes);
  const gotWide = outcomeOf(() => `${wide.compactU64()}/${wide.offset}`);
  if (got !== compactModel(bytes, 4) || gotWide !== compactModel(bytes, 8)) {
    throw new Error(`compact ${toHex(bytes)}: ${got} and ${gotWide}`);
  }
}

describe('ScaleReader.compactU32 and compactU64', () => {
  it('agree with a second model on every input of up to two bytes, and of four by pattern', () => {
    expectModel(new Uint8Array(0));
    for (let a = 0; a < 256; a += 1) {
      expectModel(Uint8Array.of(a));
      for (let b = 0; b < 256; b += 1) {
        expectModel(Uint8Array.of(a, b));
      }
      for (const b of [0x00, 0x01, 0x3f, 0x40, 0x7f, 0x80, 0xfe, 0xff]) {
        expectModel(Uint8Array.of(a, b, 0, 0));
        expectModel(Uint8Array.of(a, 0xff, b, 0));
        expectModel(Uint8Array.of(a, 0xff, 0xff, b));
      }
    }
  });

  it('agree with it on every first byte before long tails that end in zero or not', () => {
    for (let a = 0; a < 256; a += 1) {
      for (let length = 0; length <= 9; length += 1) {
        for (const last of [0x00, 0x01, 0x3f, 0x40, 0xff]) {
          for (const fill of [0x00, 0xff]) {
            const tail = new Uint8Array(length).fill(fill);
            tail.fill(last, Math.max(0, length - 1));
            expectModel(concatBytes([Uint8Array.of(a), tail]));
          }
        }
      }
    }
  });

  it(seeded('agree with it on random bytes'), () => {
    const draws = new Draws(SEED);
    for (let i = 0; i < 30_000; i += 1) {
      expectModel(draws.bytes(draws.below(11)));
    }
  });
});

describe('decodeProof', () => {
  it('agrees with a second model for every count up to ten and every edge of node sizes', () => {
    const edges = [0, 1, 611, 612, 613];
    for (let count = 0; count <= 10; count += 1) {
      for (let at = 0; at < Math.max(1, count); at += 1) {
        for (const edge of edges) {
          const sizes = Array.from({ length: count }, (_, i) => (i === at ? edge : 33));
          const isGood =
            count >= 1 && count <= 8 && sizes.every((size) => size >= 1 && size <= 612);
          const writer = new ScaleWriter().compact('count', count);
          for (const size of sizes) {
            writer.byteString('node', new Uint8Array(size));
          }
          const got = outcomeOf(() =>
            decodeProof(writer.finish()).value.map((node) => node.length),
          );
          expect(got, `sizes ${sizes.join()}`).toBe(isGood ? String(sizes) : 'bad_proof_bounds');
        }
      }
    }
  });

  it('takes time in proportion to the bytes that came, not to the count that is claimed', () => {
    const claims = [2 ** 14, 2 ** 24, 2 ** 30, 2 ** 32 - 1];
    for (let i = 0; i < 4_000; i += 1) {
      const count = claims[i % claims.length] ?? 0;
      const bytes = new ScaleWriter().compact('count', count).u32('rest', 0).finish();
      if (outcomeOf(() => decodeProof(bytes)) !== 'unexpected_end') {
        throw new Error(`count ${count} was not refused at once`);
      }
    }
  });
});

describe.each(EVERY_TYPE)('the decoder of $name', (type) => {
  it(seeded('lets no single changed byte in unseen'), () => {
    const draws = new Draws(SEED);
    for (let i = 0; i < 6; i += 1) {
      const valid = type.encode(type.make(draws));
      for (let at = 0; at < valid.length; at += 1) {
        for (const flip of [0x01, 0x02, 0x03, 0x04, 0x80, 0xff, 0xfc]) {
          const bytes = valid.slice();
          bytes[at] = (bytes[at] ?? 0) ^ flip;
          const again = decodedAndEncoded(type, bytes);
          const hides = again !== undefined && type.isCanonical && !startsWith(bytes, again);
          if (hides) {
            throw new Error(`byte ${at} of ${toHex(valid)} changed by ${flip}: not seen`);
          }
        }
      }
    }
  });
});

function decodedAndEncoded(
  type: (typeof EVERY_TYPE)[number],
  bytes: Uint8Array,
): Uint8Array | undefined {
  try {
    return type.encode(type.decode(bytes).value);
  } catch (error: unknown) {
    if (error instanceof CodecError) {
      return undefined;
    }
    throw new Error(`untyped error for ${toHex(bytes)}`, { cause: error });
  }
}

function startsWith(bytes: Uint8Array, front: Uint8Array): boolean {
  return equalBytes(bytes.subarray(0, front.length), front);
}

describe('nodeFeaturesFromText', () => {
  it(seeded('gives features or a CodecError for any text'), () => {
    const near = fc.string({ unit: fc.constantFrom('0', '1', 'x', 'f', ' '), maxLength: 12 });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), near), (text) => {
        const got = outcomeOf(() => `${nodeFeaturesFromText(text).length} bits`);
        const isBits = /^[01]*$/.test(text);
        const isHex = /^0x([0-9a-fA-F]{2})*$/.test(text);
        const bits = isHex ? (text.length - 2) * 4 : text.length;
        expect(got).toBe(isBits || isHex ? `${bits} bits` : 'bad_hex');
      }),
      { seed: SEED, numRuns: 5_000 },
    );
  });
});
