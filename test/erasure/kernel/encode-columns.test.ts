/**
 * @module
 * Encoding jobs against the scalar codec, in garbage, cut anywhere.
 */

import { describe, expect, it } from 'vitest';
import { PLAIN_CODEC_V1 } from '../../../src/erasure/index.ts';
import { encodeColumns } from '../../../src/erasure/kernel/index.ts';
import { dataRowsOf, KERNELS, noise, payloadStretch, Rig, ranges, stretchesOf } from './rig.ts';

/** Every validator count in 2 .. 130, and some of each number of blocks. */
const COUNTS = [
  ...Array.from({ length: 129 }, (_, i) => i + 2),
  ...[191, 256, 257, 300, 381, 383, 384, 385, 600, 766, 1000, 1025, 1533],
];

/** Encodes by one job per range, and by one for all. @returns Chunk bytes. */
function encoded(rig: Rig, n: number, payload: Uint8Array, seed: number): Uint8Array[] {
  const k = dataRowsOf(n);
  const columns = Math.ceil(payload.length / (2 * k));
  rig.reset();
  const from = rig.payload(k, columns, payload);
  const chunks = rig.rows(n, 2 * columns);
  for (const range of ranges(columns, seed)) {
    rig.run(stretchesOf(chunks.addresses, range), (context) =>
      encodeColumns(context, { validatorCount: n, payload: from, chunks, columns: range }),
    );
  }
  return Array.from(chunks.addresses, (row) => rig.read(row, 2 * columns));
}

function expectEncoded(rig: Rig, n: number, chunkBytes: number): void {
  const payload = noise(dataRowsOf(n) * chunkBytes - (n % 2), n + chunkBytes);
  const expected = PLAIN_CODEC_V1.encodeChunks(payload, n);
  const actual = encoded(rig, n, payload, n + chunkBytes);
  expected.forEach((chunk, i) => {
    if (Buffer.compare(chunk, actual[i]!) !== 0) {
      expect.unreachable(`n = ${n}, ${chunkBytes} bytes, chunk ${i}`);
    }
  });
}

describe.each(KERNELS)('encodeColumns on %s', (kernel) => {
  const rig = new Rig(kernel, 2 * 2 ** 20);

  it('gives the chunks of the scalar codec for every validator count', () => {
    const step = kernel === 'plain' ? 29 : 1;
    COUNTS.filter((_, i) => i % step === 0).forEach((n, i) => {
      expectEncoded(rig, n, [2, 62, 64, 66, 126, 130, 192, 194][i % 8]!);
    });
  });

  it.skipIf(kernel === 'plain')('gives them for every chunk length', () => {
    for (const n of [2, 3, 4, 7, 13, 24, 25, 97, 300]) {
      for (const chunkBytes of [2, 4, 30, 32, 34, 62, 64, 66, 126, 128, 130, 514, 4096]) {
        expectEncoded(rig, n, chunkBytes);
      }
    }
  });

  it('writes groups of columns through a small buffer', () => {
    const step = kernel === 'plain' ? 31 : 3;
    for (const n of COUNTS.filter((_, i) => i % step === 0)) {
      const k = dataRowsOf(n);
      const columns = [1, 31, 33, 64, 97][n % 5]!;
      const bytes = noise(2 * k * columns, n);
      const chunks = PLAIN_CODEC_V1.encodeChunks(bytes, n);
      rig.reset();
      const payload = rig.payload(k, columns, bytes);
      const buffer = rig.rows(n, 64);
      for (let first = 0; first < columns; first += 32) {
        const range = { from: first, to: Math.min(columns, first + 32) };
        const written = stretchesOf(buffer.addresses, { from: 0, to: 32 });
        const group = { ...buffer, firstColumn: first };
        rig.run(written, (context) =>
          encodeColumns(context, { validatorCount: n, payload, chunks: group, columns: range }),
        );
        chunks.forEach((chunk, i) => {
          const expected = chunk.subarray(2 * range.from, 2 * range.to);
          const actual = rig.read(buffer.addresses[i]!, expected.length);
          expect(Buffer.compare(expected, actual), `n = ${n}, chunk ${i}, ${first}`).toBe(0);
        });
      }
    }
  });

  it.skipIf(kernel === 'plain')('gives them over many stripes', () => {
    for (const [n, chunkBytes] of [
      [2, 3 * 4096],
      [6, 4 * 4096 + 2],
      [50, 2 * 4096],
      [200, 4096],
      [766, 1090],
    ] as const) {
      expectEncoded(rig, n, chunkBytes);
    }
  });
});

describe('the rig', () => {
  it('notices a job that writes what it does not name', () => {
    const rig = new Rig('simd', 2 ** 20);
    rig.reset();
    const payload = rig.payload(2, 40, noise(160, 1));
    const chunks = rig.rows(5, 80);
    const columns = { from: 0, to: 40 };
    const job = { validatorCount: 5, payload, chunks, columns };
    const none = [payloadStretch(payload, 2, columns)];
    expect(() => rig.run(none, (context) => encodeColumns(context, job))).toThrow('wrote');
    const all = stretchesOf(chunks.addresses, columns);
    rig.run(all, (context) => encodeColumns(context, job));
    rig.run(all, ({ bytes }) => bytes().fill(7, chunks.start, chunks.start + 80));
    const few = all.slice(1);
    expect(() => rig.run(few, (context) => encodeColumns(context, job))).toThrow('wrote');
  });
});
