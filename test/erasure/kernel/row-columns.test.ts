/**
 * @module
 * Reassembly and row recovery against the scalar codec, in garbage, cut anywhere.
 */

import { describe, it } from 'vitest';
import { PLAIN_CODEC_V1 } from '../../../src/erasure/index.ts';
import {
  coefficientRows,
  decodePlan,
  reassembleColumns,
  recoverRowsColumns,
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

function expectSame(actual: Uint8Array, expected: Uint8Array, what: string): void {
  if (Buffer.compare(actual, expected) !== 0) {
    throw new Error(`other bytes: ${what}`);
  }
}

function expectReassembled(rig: Rig, n: number, columns: number): void {
  const k = dataRowsOf(n);
  const given = noise(2 * k * columns, n);
  const chunks = PLAIN_CODEC_V1.encodeChunks(given, n).slice(0, k);
  rig.reset();
  const { addresses } = rig.rows(k, 2 * columns, chunks);
  const payload = rig.payload(k, columns);
  for (const range of ranges(columns, n + columns)) {
    rig.run([payloadStretch(payload, k, range)], (context) =>
      reassembleColumns(context, {
        systematicThreshold: k,
        dataRows: addresses,
        payload,
        columns: range,
      }),
    );
  }
  expectSame(rig.read(payload, given.length), given, `n = ${n}, ${columns} columns`);
}

/** Recovers `count` targets, the missing data rows first; `k` other rows are there. */
function expectRecovered(rig: Rig, n: number, missingCount: number, columns: number): void {
  const k = dataRowsOf(n);
  const given = noise(2 * k * columns, n + missingCount);
  const chunks = PLAIN_CODEC_V1.encodeChunks(given, n);
  const missing = sample(k, missingCount, n + columns);
  const others = Array.from({ length: n }, (_, i) => i).filter((i) => !missing.includes(i));
  const dataRows = others.filter((i) => i < k);
  const parity = sample(n - k, k - dataRows.length, n).map((i) => i + k);
  const received = [...dataRows, ...parity];
  const extra = others.filter((i) => !received.includes(i)).slice(0, n % 3);
  const targets = [...missing, ...extra];
  rig.reset();
  const present = chunks.map((chunk, i) => (received.includes(i) ? chunk : undefined));
  const { addresses } = rig.rows(n, 2 * columns, present);
  const payload = rig.payload(k, columns);
  const plan = coefficientRows(decodePlan(PLAIN_CODEC_V1.parameters(n), received), targets);
  const at = (positions: readonly number[]): Uint32Array =>
    Uint32Array.from(positions, (position) => addresses[position]!);
  const job = {
    plan,
    received: at(received),
    missing: at(targets),
    dataRows: addresses.subarray(0, k),
    payload,
  };
  for (const range of ranges(columns, n + missingCount)) {
    const mayWrite = [...stretchesOf(job.missing, range), payloadStretch(payload, k, range)];
    rig.run(mayWrite, (context) => recoverRowsColumns(context, { ...job, columns: range }));
  }
  const what = `n = ${n}, ${columns} columns, targets ${targets.join()}`;
  expectSame(rig.read(payload, given.length), given, what);
  for (const target of targets) {
    const actual = rig.read(addresses[target]!, 2 * columns);
    expectSame(actual, chunks[target]!, `chunk ${target} of ${what}`);
  }
}

describe.each(KERNELS)('reassembleColumns on %s', (kernel) => {
  const rig = new Rig(kernel, 2 * 2 ** 20);

  it('gives the payload for every validator count and length', () => {
    for (let n = 2; n <= 130; n += kernel === 'plain' ? 41 : 1) {
      expectReassembled(rig, n, [1, 31, 32, 33, 63, 65, 256][n % 7]!);
    }
    for (const n of [2, 6, 24, 1000]) {
      expectReassembled(rig, n, 512);
    }
  });
});

describe.each(KERNELS)('recoverRowsColumns on %s', (kernel) => {
  const rig = new Rig(kernel, 2 * 2 ** 20);
  const isPlain = kernel === 'plain';

  it('gives missing rows and payload for every validator count', () => {
    for (let n = 2; n <= 130; n += isPlain ? 31 : 1) {
      const k = dataRowsOf(n);
      expectRecovered(rig, n, Math.min(k, 1 + (n % 7)), [1, 31, 33, 65][n % 4]!);
    }
  });

  it('gives them for any number of missing rows', () => {
    for (const n of isPlain ? [13] : [13, 50, 130]) {
      for (let count = 0; count <= dataRowsOf(n); count += 1) {
        expectRecovered(rig, n, count, 3);
      }
    }
  });

  it.skipIf(isPlain)('gives them over many stripes, with big coefficients', () => {
    for (const [n, count, columns] of [
      [2, 1, 20_000],
      [7, 2, 9000],
      [50, 3, 1100],
      [300, 5, 300],
      [1000, 16, 290],
      [1533, 1, 290],
      [2100, 2, 130],
    ] as const) {
      expectRecovered(rig, n, count, columns);
    }
  });
});
