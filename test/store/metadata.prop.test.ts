import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../src/primitives/bytes.ts';
import { blake2b256, hashReady } from '../../src/primitives/hash.ts';
import {
  bitIndices,
  emptyBitfield,
  hasBit,
  withBits,
  withoutBit,
} from '../../src/store/bitfield.ts';
import { StoreError } from '../../src/store/errors.ts';
import type { CandidateState } from '../../src/store/lifecycle.ts';
import { compareBlocks } from '../../src/store/lifecycle.ts';
import {
  decodeMetadata,
  encodeMetadata,
  MAX_TIME_MS,
  type Metadata,
} from '../../src/store/metadata.ts';
import { SEED, seeded } from '../support/seed.ts';

await hashReady();

const bytes = (length: number): fc.Arbitrary<Uint8Array> =>
  fc.uint8Array({ minLength: length, maxLength: length });
const time = fc.oneof(fc.constantFrom(0, MAX_TIME_MS), fc.integer({ min: 0, max: MAX_TIME_MS }));
const block = fc.record({
  number: fc.integer({ min: 0, max: 0xffff_ffff }),
  hash: bytes(32).map(toHex),
});
const blocks = fc
  .uniqueArray(block, {
    minLength: 1,
    maxLength: 4,
    selector: (one) => `${one.number} ${one.hash}`,
  })
  .map((list) => list.sort(compareBlocks));
const state: fc.Arbitrary<CandidateState> = fc.oneof(
  fc.record({ type: fc.constant('unavailable' as const), sinceMs: time }),
  fc.record({ type: fc.constant('unfinalized' as const), sinceMs: time, blocks }),
  fc.record({ type: fc.constant('finalized' as const), sinceMs: time, finalizedAtMs: time }),
);
const metadata: fc.Arbitrary<Metadata> = fc
  .record({
    state,
    erasureRoot: bytes(32),
    validatorCount: fc.oneof(fc.integer({ min: 2, max: 40 }), fc.constantFrom(1_000, 65_536)),
    dataHash: fc.option(bytes(32), { nil: undefined }),
    held: fc.array(fc.nat(65_535), { maxLength: 20 }),
  })
  .map(({ held, dataHash, ...rest }) => ({
    ...rest,
    heldChunks: withBits(
      emptyBitfield(rest.validatorCount),
      held.map((v) => v % rest.validatorCount),
    ),
    ...(dataHash === undefined ? {} : { dataHash }),
  }));

/** Metadata, or the reason that there is none; anything else that is thrown fails the test. */
function tryDecode(input: Uint8Array): Metadata | string {
  try {
    return decodeMetadata(input);
  } catch (error: unknown) {
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ code: 'corrupt_metadata' });
    return String((error as StoreError).details['reason']);
  }
}

function withChecksum(body: Uint8Array): Uint8Array {
  return Uint8Array.from([...body, ...blake2b256(body).subarray(0, 8)]);
}

describe('decodeMetadata', () => {
  it(seeded('reads back what was written'), () => {
    fc.assert(
      fc.property(metadata, (value) => {
        expect(decodeMetadata(encodeMetadata(value))).toEqual(value);
      }),
      { seed: SEED, numRuns: 200 },
    );
  });

  it(seeded('finds any flipped bit and any other length'), () => {
    fc.assert(
      fc.property(metadata, fc.nat(), fc.nat(7), (value, place, bit) => {
        const stored = encodeMetadata(value);
        const at = place % stored.length;
        const flipped = stored.map((byte, index) => (index === at ? byte ^ (1 << bit) : byte));
        expect(typeof tryDecode(flipped)).toBe('string');
        expect(typeof tryDecode(stored.subarray(0, at))).toBe('string');
        expect(typeof tryDecode(Uint8Array.from([...stored, bit]))).toBe('string');
      }),
      { seed: SEED, numRuns: 100 },
    );
  });

  it(
    seeded('gives a value or corrupt_metadata for arbitrary bytes, also with a right checksum'),
    () => {
      const header = fc
        .tuple(fc.constant(1), fc.nat(3), fc.nat(2), fc.nat(1), fc.nat(20), fc.nat(1))
        .map(([version, type, flags, zero, low, high]) => [
          version,
          type,
          flags,
          zero,
          low,
          high,
          0,
          0,
        ]);
      const body = fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc
          .tuple(
            header,
            fc.array(fc.constantFrom(0, 0, 0, 1, 255), { minLength: 80, maxLength: 200 }),
          )
          .map(([front, rest]) => Uint8Array.from([...front, ...rest])),
      );
      fc.assert(
        fc.property(body, (input) => {
          tryDecode(input);
          const decoded = tryDecode(withChecksum(input));
          if (typeof decoded !== 'string') {
            expect(encodeMetadata(decoded)).toEqual(withChecksum(input));
          }
        }),
        { seed: SEED, numRuns: 500 },
      );
    },
  );

  it.each([
    ['too_short', (stored: Uint8Array) => stored.subarray(0, 60)],
    ['version', change(0, 2)],
    ['state', change(1, 3)],
    ['flags', change(2, 2)],
    ['flags', change(3, 1)],
    ['validator_count', change(4, 1)],
    ['time', change(15, 1)],
    ['finality_of_state', change(16, 1)],
    ['data_hash', change(56, 1)],
    ['bitfield_padding', change(88, 0x80)],
    ['blocks_of_state', change(1, 1)],
    ['length', change(89, 1)],
  ])('refuses a broken %s', (reason, damage) => {
    const stored = encodeMetadata({
      state: { type: 'unavailable', sinceMs: 5 },
      erasureRoot: new Uint8Array(32),
      validatorCount: 7,
      heldChunks: Uint8Array.of(0b101),
    });
    expect(tryDecode(damage(stored))).toBe(reason);
  });
});

describe('a bitfield', () => {
  it('adds and removes without touching the original', () => {
    const empty = emptyBitfield(10);
    const some = withBits(empty, [0, 9, 3]);
    expect(bitIndices(empty)).toEqual([]);
    expect(bitIndices(some)).toEqual([0, 3, 9]);
    expect(bitIndices(withoutBit(some, 3))).toEqual([0, 9]);
    expect([-1, 1.5, 16, 2 ** 32, Number.NaN].map((index) => hasBit(some, index))).toEqual(
      Array(5).fill(false),
    );
  });
});

/** Sets one byte and makes the checksum right again. */
function change(at: number, value: number): (stored: Uint8Array) => Uint8Array {
  return (stored) => {
    const body = stored.slice(0, -8);
    body[at] = value;
    return withChecksum(body);
  };
}
