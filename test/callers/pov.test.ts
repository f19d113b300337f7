import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decompressPov,
  oversizePov,
  POV_BOMB_LIMIT_BYTES,
  type PovDecompressor,
  PovError,
} from '../../src/callers/pov.ts';
import { concatBytes } from '../../src/primitives/bytes.ts';
import { hasCode } from '../../src/primitives/errors.ts';
import { SEED, seeded } from '../support/seed.ts';

const MARKER = Uint8Array.of(0x52, 0xbc, 0x53, 0x76, 0x46, 0xdb, 0x8e, 0x05);

const marked = (...rest: readonly number[]): Uint8Array =>
  concatBytes([MARKER, Uint8Array.from(rest)]);

/** Never to be asked. */
const none: PovDecompressor = () => {
  throw new TypeError('asked to decompress');
};

/** Gives out pieces and notes how many, and whether it was told to stop. */
function pieces(
  sizes: Iterable<number>,
  failure?: Error,
): { decompress: PovDecompressor; seen: { given: number; stopped: boolean; input?: Uint8Array } } {
  const seen: { given: number; stopped: boolean; input?: Uint8Array } = {
    given: 0,
    stopped: false,
  };
  return {
    seen,
    decompress: async function* (compressed) {
      seen.input = compressed;
      try {
        for (const size of sizes) {
          seen.given += 1;
          yield new Uint8Array(size).fill(seen.given);
        }
        if (failure !== undefined) {
          throw failure;
        }
      } finally {
        seen.stopped = true;
      }
    },
  };
}

function* endless(size: number): Generator<number> {
  for (;;) {
    yield size;
  }
}

describe('decompressPov', () => {
  it('has a limit of 4 times the largest PoV, 40 MiB', () => {
    expect(POV_BOMB_LIMIT_BYTES).toBe(4 * 10_485_760);
  });

  it.each([
    ['nothing', new Uint8Array()],
    ['less than the marker', MARKER.subarray(0, 7)],
    ['a marker with another last byte', Uint8Array.from([...MARKER.subarray(0, 7), 6, 1, 2])],
    ['a marker later on', concatBytes([Uint8Array.of(0), MARKER])],
  ])('gives back as it is: %s', async (_what, raw) => {
    expect(await decompressPov(raw, { decompress: none })).toBe(raw);
  });

  it('gives back a raw block above the limit as it is', async () => {
    const raw = new Uint8Array(100);
    expect(await decompressPov(raw, { decompress: none, limitBytes: 10 })).toBe(raw);
  });

  it(seeded('joins the pieces of what follows the marker'), async () => {
    const sizes = fc.array(fc.nat(50), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.uint8Array({ maxLength: 30 }), async (some, rest) => {
        const { decompress, seen } = pieces(some);
        const block = await decompressPov(marked(...rest), { decompress });
        expect(seen.input).toEqual(rest);
        expect(block).toEqual(concatBytes(some.map((size, i) => new Uint8Array(size).fill(i + 1))));
      }),
      { seed: SEED },
    );
  });

  it('reads a view of a larger buffer from its own start', async () => {
    const { decompress, seen } = pieces([1]);
    const larger = concatBytes([Uint8Array.of(9, 9), marked(1, 2), Uint8Array.of(9)]);
    await decompressPov(larger.subarray(2, 12), { decompress });
    expect(seen.input).toEqual(Uint8Array.of(1, 2));
  });

  it('F-88: accepts the limit itself, and stops asking at the first byte above it', async () => {
    const exact = pieces([4, 6]);
    const block = await decompressPov(marked(), { ...exact, limitBytes: 10 });
    expect(block).toHaveLength(10);
    const above = pieces([4, 7, 1, 1]);
    await expect(decompressPov(marked(), { ...above, limitBytes: 10 })).rejects.toMatchObject({
      name: 'PovError',
      code: 'too_large',
      details: { limitBytes: 10 },
    });
    expect(above.seen).toMatchObject({ given: 2, stopped: true });
  });

  it('F-92: stops an endless bomb at the default limit', async () => {
    const bomb = pieces(endless(1_048_576));
    await expect(decompressPov(marked(), bomb)).rejects.toMatchObject({ code: 'too_large' });
    expect(bomb.seen).toMatchObject({ given: 41, stopped: true });
  });

  it('F-90: takes the largest limit without wrapping', async () => {
    const limitBytes = Number.MAX_SAFE_INTEGER;
    expect(await decompressPov(marked(), { ...pieces([1, 2]), limitBytes })).toHaveLength(3);
  });

  it.each([-1, 1.5, Number.NaN, 2 ** 53])('refuses the limit %d', async (limitBytes) => {
    await expect(decompressPov(marked(), { ...pieces([]), limitBytes })).rejects.toThrow(
      new RangeError(`limitBytes: expected an integer of at least 0, got ${limitBytes}`),
    );
  });

  it('passes on what the decompressor says about the bytes', async () => {
    const bad = new PovError('bad_compression', 'no zstd');
    await expect(decompressPov(marked(), pieces([1], bad))).rejects.toBe(bad);
  });

  it('blames the bytes for nothing else: another error is a local fault', async () => {
    const cause = new Error('out of memory');
    await expect(decompressPov(marked(), pieces([1], cause))).rejects.toMatchObject({
      name: 'PovError',
      code: 'local_fault',
      cause,
    });
    await expect(decompressPov(marked(), { decompress: none })).rejects.toMatchObject({
      code: 'local_fault',
    });
  });

  it('does not begin when the signal is aborted, and stops at the next piece when it is later', async () => {
    const reason = new Error('no longer needed');
    const early = pieces([1]);
    const aborted = AbortSignal.abort(reason);
    const cancelled = { name: 'PovError', code: 'cancelled', cause: reason };
    await expect(decompressPov(marked(), { ...early, signal: aborted })).rejects.toMatchObject(
      cancelled,
    );
    expect(early.seen.given).toBe(0);

    const controller = new AbortController();
    function* abortingAtTwo(): Generator<number> {
      yield 1;
      controller.abort(reason);
      yield* endless(1);
    }
    const late = pieces(abortingAtTwo());
    await expect(
      decompressPov(marked(), { ...late, signal: controller.signal }),
    ).rejects.toMatchObject(cancelled);
    expect(late.seen).toMatchObject({ given: 2, stopped: true });
  });

  it('tells its errors by code', async () => {
    const error: unknown = await decompressPov(marked(), {
      ...pieces([1]),
      limitBytes: 0,
    }).catch((cause: unknown) => cause);
    expect(hasCode(error, 'too_large')).toBe(true);
  });
});

describe('oversizePov', () => {
  const data = (povBytes: number, maxPovSize: number): Parameters<typeof oversizePov>[0] => ({
    pov: { blockData: new Uint8Array(povBytes) },
    validationData: {
      parentHead: new Uint8Array(),
      relayParentNumber: 0,
      relayParentStorageRoot: new Uint8Array(32),
      maxPovSize,
    },
  });

  it('F-38: flags a PoV above the limit of its relay parent, with both sizes', () => {
    // 7.8 MB against 5 MB; the length prefix counts, four bytes here.
    expect(oversizePov(data(7_800_000, 5_242_880))).toEqual({
      povBytes: 7_800_004,
      maxPovBytes: 5_242_880,
    });
  });

  it('counts the SCALE form: one byte of prefix decides', () => {
    expect(oversizePov(data(63, 64))).toBeUndefined();
    expect(oversizePov(data(64, 64))).toEqual({ povBytes: 66, maxPovBytes: 64 });
  });
});
