/**
 * @module
 * Decoding jobs against the scalar codec: every number of received rows, consistent or not, in garbage,
 * cut anywhere.
 */

import { describe, it } from 'vitest';
import { PLAIN_CODEC_V1, reconstructUnchecked } from '../../../src/erasure/index.ts';
import {
  type ColumnRange,
  decodeColumns,
  decodePlan,
  type KernelContext,
  type OutputRows,
  revealColumns,
} from '../../../src/erasure/kernel/index.ts';
import {
  dataRowsOf,
  KERNELS,
  noise,
  payloadStretch,
  Rig,
  ranges,
  sample,
  stretchesOf,
} from './rig.ts';

/** What is decoded: rows at some positions of a code. */
type Case = {
  readonly n: number;
  readonly received: readonly number[];
  /** By position; undefined where nothing was received. */
  readonly rows: readonly (Uint8Array | undefined)[];
  readonly seed: number;
};

/** Rows of a codeword. */
function consistent(n: number, received: readonly number[], columns: number, seed: number): Case {
  const chunks = PLAIN_CODEC_V1.encodeChunks(noise(2 * dataRowsOf(n) * columns, seed), n);
  const rows = chunks.map((chunk, i) => (received.includes(i) ? chunk : undefined));
  return { n, received, rows, seed };
}

/** Rows of no codeword: with more than k of them the result depends on each. */
function arbitrary(n: number, received: readonly number[], columns: number, seed: number): Case {
  const rows = Array.from({ length: n }, (_, i) =>
    received.includes(i) ? noise(2 * columns, seed + i) : undefined,
  );
  return { n, received, rows, seed };
}

type Output = 'none' | 'reencode' | 'reveal';

function job(
  context: KernelContext,
  work: {
    readonly shape: Case;
    readonly addresses: Uint32Array;
    readonly payload: number;
    readonly columns: ColumnRange;
    readonly output: Output;
    readonly chunks: OutputRows;
  },
): void {
  const { shape, addresses, payload, columns, output, chunks } = work;
  const plan = decodePlan(PLAIN_CODEC_V1.parameters(shape.n), shape.received);
  const received = Uint32Array.from(shape.received, (position) => addresses[position]!);
  const common = { plan, received, payload, columns };
  if (output === 'reveal') {
    revealColumns(context, { ...common, chunks });
  } else {
    decodeColumns(context, output === 'none' ? common : { ...common, reencode: chunks });
  }
}

function expectDecoded(rig: Rig, shape: Case, output: Output): void {
  const { n, received, rows, seed } = shape;
  const k = dataRowsOf(n);
  const chunkBytes = rows[received[0]!]!.length;
  const columns = chunkBytes / 2;
  rig.reset();
  const { addresses } = rig.rows(n, chunkBytes, rows);
  const chunks = rig.rows(n, chunkBytes);
  const payload = rig.payload(k, columns);
  const isMade = (i: number): boolean =>
    !received.includes(i) || (output === 'reveal' && i < dataRowsOf(n));
  const made = chunks.addresses.filter((_, i) => isMade(i));
  for (const range of ranges(columns, seed)) {
    const mayWrite = [
      payloadStretch(payload, k, range),
      ...(output === 'none' ? [] : stretchesOf(made, range)),
    ];
    rig.run(mayWrite, (context) =>
      job(context, { shape, addresses, payload, columns: range, output, chunks }),
    );
  }
  const shards = received.map((position) => [position, rows[position]!] as const);
  const expected = reconstructUnchecked(shards, n);
  const what = `n = ${n}, seed ${seed}, ${output}, from ${received.join()}`;
  expectSame(rig.read(payload, expected.length), expected, what);
  if (output !== 'none') {
    PLAIN_CODEC_V1.encodeChunks(expected, n).forEach((chunk, i) => {
      if (isMade(i)) {
        expectSame(rig.read(chunks.addresses[i]!, chunkBytes), chunk, `chunk ${i} of ${what}`);
      }
    });
  }
}

function expectSame(actual: Uint8Array, expected: Uint8Array, what: string): void {
  if (Buffer.compare(actual, expected) !== 0) {
    throw new Error(`other bytes: ${what}`);
  }
}

/** A pattern with so many received rows. */
const pattern = (n: number, count: number): number[] => sample(n, count, n * 1009 + count);

describe.each(KERNELS)('decodeColumns on %s', (kernel) => {
  const rig = new Rig(kernel, 2 * 2 ** 20);
  const isPlain = kernel === 'plain';

  it('gives the payload of the scalar codec for every validator count', () => {
    for (let n = 2; n <= 130; n += isPlain ? 23 : 1) {
      const columns = [1, 31, 32, 33, 63, 65][n % 6]!;
      const k = dataRowsOf(n);
      expectDecoded(rig, consistent(n, pattern(n, k), columns, n), 'none');
      const last = Array.from({ length: k }, (_, i) => n - k + i);
      expectDecoded(rig, arbitrary(n, last, columns, n), 'reencode');
    }
  });

  it('gives it for every number of received rows, rows of no codeword too', () => {
    for (const n of isPlain ? [7, 26] : [2, 3, 5, 7, 12, 25, 50, 97, 130]) {
      for (let count = dataRowsOf(n); count <= n; count += 1) {
        expectDecoded(rig, arbitrary(n, pattern(n, count), 3, count), 'reencode');
      }
    }
  });

  it('gives it whichever blocks rows come from', () => {
    for (const n of isPlain ? [25] : [24, 47, 100, 300, 383]) {
      const k = dataRowsOf(n);
      for (let base = 0; base + k <= n; base += k / 2) {
        const block = Array.from({ length: k }, (_, i) => base + i);
        expectDecoded(rig, consistent(n, block, 34, n + base), 'reencode');
      }
    }
  });

  it.skipIf(isPlain)('gives it over many stripes and blocks, with big factors', () => {
    for (const [n, columns] of [
      [2, 20_000],
      [6, 9000],
      [50, 1100],
      [300, 300],
      [600, 290],
      [1000, 290],
      [1533, 130],
      [2100, 100],
    ] as const) {
      expectDecoded(rig, consistent(n, pattern(n, dataRowsOf(n)), columns, n), 'none');
    }
  });

  it.skipIf(isPlain)('encodes again over many stripes and blocks, with big factors', () => {
    for (const [n, columns] of [
      [3, 9000],
      [300, 300],
      [700, 270],
      [1000, 140],
      [1533, 100],
    ] as const) {
      expectDecoded(rig, consistent(n, pattern(n, dataRowsOf(n)), columns, n), 'reencode');
    }
  });
});

describe.each(KERNELS)('revealColumns on %s', (kernel) => {
  const rig = new Rig(kernel, 2 * 2 ** 20);
  const isPlain = kernel === 'plain';

  it('gives payload, data rows and missing parity for every validator count', () => {
    for (let n = 2; n <= 130; n += isPlain ? 29 : 1) {
      const columns = [1, 31, 32, 33, 63, 65][n % 6]!;
      expectDecoded(rig, arbitrary(n, pattern(n, dataRowsOf(n)), columns, n), 'reveal');
    }
  });

  it('uses all rows when there are more', () => {
    for (const n of isPlain ? [11] : [5, 12, 25, 50, 97, 383, 1000]) {
      const k = dataRowsOf(n);
      for (const count of [k + 1, Math.floor((k + n) / 2), n - 1, n]) {
        expectDecoded(rig, consistent(n, pattern(n, count), 3, count), 'reveal');
      }
    }
  });

  it.skipIf(isPlain)('works over many stripes and blocks, with big factors', () => {
    for (const [n, columns] of [
      [3, 9000],
      [300, 300],
      [700, 270],
      [1000, 140],
      [1533, 100],
    ] as const) {
      expectDecoded(rig, consistent(n, pattern(n, dataRowsOf(n)), columns, n), 'reveal');
    }
  });
});
