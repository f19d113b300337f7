import { constants, createZstdCompress, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decompressPov, POV_BOMB_LIMIT_BYTES } from '../src/callers/pov.ts';
import { decompressZstd } from '../src/node-zstd.ts';
import { concatBytes } from '../src/primitives/bytes.ts';
import { SEED, seeded } from './support/seed.ts';

const MARKER = Uint8Array.of(0x52, 0xbc, 0x53, 0x76, 0x46, 0xdb, 0x8e, 0x05);

const compressed = (block: Uint8Array): Uint8Array => concatBytes([zstdCompressSync(block)]);
const marked = (...parts: readonly Uint8Array[]): Uint8Array => concatBytes([MARKER, ...parts]);
const undo = (pov: Uint8Array, limitBytes?: number): Promise<Uint8Array> =>
  decompressPov(pov, {
    decompress: decompressZstd,
    ...(limitBytes === undefined ? {} : { limitBytes }),
  });

/** A frame of zeros, made piece by piece. */
async function bombOf(mebibytes: number, windowLog?: number): Promise<Uint8Array> {
  const params = windowLog === undefined ? {} : { [constants.ZSTD_c_windowLog]: windowLog };
  const encoder = createZstdCompress({ params });
  const parts: Uint8Array[] = [];
  const taken = (async () => {
    for await (const part of encoder as AsyncIterable<Uint8Array>) {
      parts.push(part);
    }
  })();
  const zeros = new Uint8Array(1_048_576);
  for (let i = 0; i < mebibytes; i += 1) {
    encoder.write(zeros);
  }
  encoder.end();
  await taken;
  return concatBytes(parts);
}

const bad = { name: 'PovError', code: 'bad_compression' };

describe('decompressZstd', () => {
  it(seeded('undoes what zstd made of any block, with the marker before it'), async () => {
    const blocks = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .tuple(fc.nat(255), fc.integer({ min: 0, max: 100_000 }))
        .map(([byte, size]) => new Uint8Array(size).fill(byte)),
    );
    await fc.assert(
      fc.asyncProperty(blocks, async (block) => {
        const result = await undo(marked(compressed(block)));
        expect(result.constructor).toBe(Uint8Array);
        expect(result).toEqual(block);
      }),
      { seed: SEED },
    );
  });

  it('reads every frame, where Node ends at the first that leaves room', async () => {
    const [one, two] = [new Uint8Array(1_000).fill(1), new Uint8Array(40_000).fill(2)];
    const empty = compressed(new Uint8Array());
    const skippable = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4);
    const frames = [empty, compressed(one), skippable, compressed(two), empty];
    expect(await undo(marked(...frames))).toEqual(concatBytes([one, two]));
  });

  it('bounds the frames, each of which costs a decoder', async () => {
    const empty = compressed(new Uint8Array());
    const frames = (count: number): Uint8Array =>
      marked(...Array.from({ length: count }, () => empty));
    expect(await undo(frames(256))).toHaveLength(0);
    await expect(undo(frames(257))).rejects.toMatchObject({ ...bad, details: { maxFrames: 256 } });
  });

  const frame = compressed(Uint8Array.from({ length: 5_000 }, (_, i) => (i * i) % 251));
  it.each([
    ['nothing after the marker', new Uint8Array()],
    ['text', new TextEncoder().encode('no zstd at all')],
    ['a frame that ends early', frame.subarray(0, -1)],
    ['the first byte of a frame', frame.subarray(0, 1)],
    ['a frame with a byte after it', concatBytes([frame, Uint8Array.of(0)])],
    ['a frame and the beginning of another', concatBytes([frame, frame.subarray(0, 9)])],
    ['a frame with a broken header', Uint8Array.from(frame, (byte, i) => (i === 4 ? 0xff : byte))],
  ])('refuses %s', async (_what, bytes) => {
    await expect(undo(marked(bytes))).rejects.toMatchObject(bad);
  });

  it('F-91: takes a raw block that begins with the marker for compressed, and refuses it', async () => {
    const raw = marked(new TextEncoder().encode('a block whose first bytes are the marker'));
    await expect(undo(raw)).rejects.toMatchObject(bad);
    // Compressed by its collator, the same block comes through.
    expect(await undo(marked(compressed(raw)))).toEqual(raw);
  });

  it('refuses a frame that asks for a window above 128 MiB', async () => {
    await expect(undo(marked(await bombOf(1, 28)))).rejects.toMatchObject(bad);
    await expect(undo(marked(await bombOf(1, 27)))).resolves.toHaveLength(1_048_576);
  });

  it(seeded('says of no bytes anything but bad_compression or too_large'), async () => {
    const flips = fc.array(fc.tuple(fc.nat(frame.length - 1), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(flips, async (some) => {
        const broken = frame.slice();
        for (const [place, mask] of some) {
          broken[place]! ^= mask;
        }
        const result = await undo(marked(broken), 1_000_000).catch((error: unknown) => error);
        expect(
          result instanceof Uint8Array ||
            ['bad_compression', 'too_large'].includes((result as { code: string }).code),
        ).toBe(true);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it('F-88, F-92: stops a bomb of 16 KiB at the limit, in flat memory and long before its end', async () => {
    // Half a GiB of zeros.
    const bomb = await bombOf(512);
    expect(bomb.length).toBeLessThan(17_000);
    let taken = 0;
    const before = process.memoryUsage.rss();
    let highest = before;
    const limitBytes = 8 * 1_048_576;
    const result = decompressPov(marked(bomb), {
      limitBytes,
      decompress: async function* (bytes) {
        for await (const piece of decompressZstd(bytes)) {
          taken += piece.length;
          highest = Math.max(highest, process.memoryUsage.rss());
          yield piece;
        }
      },
    });
    await expect(result).rejects.toMatchObject({ code: 'too_large', details: { limitBytes } });
    expect(taken).toBeGreaterThan(limitBytes);
    expect(taken).toBeLessThanOrEqual(limitBytes + 16_384);
    // The limit, and as much again for what the collector has not yet taken back.
    expect(highest - before).toBeLessThan(4 * limitBytes);
  });

  it('F-92: stops a bomb at the default limit of 40 MiB', async () => {
    const bomb = marked(await bombOf(64));
    expect(bomb.length).toBeLessThan(3_000);
    await expect(undo(bomb)).rejects.toMatchObject({
      code: 'too_large',
      details: { limitBytes: POV_BOMB_LIMIT_BYTES },
    });
  });

  it('produces no more than one piece ahead of who asks, and nothing after they have left', async () => {
    const pieces = decompressZstd(await bombOf(16));
    const first = await pieces.next();
    expect(first.value).toHaveLength(16_384);
    await pieces.return();
    expect(await pieces.next()).toEqual({ done: true, value: undefined });
  });
});
