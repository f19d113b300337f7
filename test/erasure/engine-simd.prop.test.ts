/**
 * @module
 * The kernel behind the seam of engines: the contract on both builds, and every size and base against the
 * scalar engine.
 */

import { describe, expect, it } from 'vitest';
import type { CopyJob, TransformEngine } from '../../src/erasure/engine.ts';
import { codecV1, scalarEngine } from '../../src/erasure/index.ts';
import { simdEngine } from '../../src/erasure/kernel/engine-simd.ts';
import { describeEngine } from './engine-contract.ts';

const MiB = 1024 * 1024;

for (const id of ['simd_relaxed', 'simd'] as const) {
  describeEngine(id, () => simdEngine(id, 64 * MiB));
}

/** Bytes that follow from a seed. */
function bytesFrom(seed: number, length: number): Uint8Array {
  let state = seed + 1;
  return Uint8Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  });
}

/** A transform of bytes on an engine, over garbage. */
function transformed(
  engine: TransformEngine,
  job: { kind: 'fft' | 'ifft'; base: number; size: number; columns: number },
  input: Uint8Array,
): Uint8Array {
  const { kind, base, size } = job;
  const align = engine.columnAlignment;
  const stride = Math.ceil(job.columns / align) * align;
  const memory = engine.workspace(size * stride);
  memory.fill(0xfeed);
  const rows = { memory, start: 0, stride };
  const columns = { from: 0, to: job.columns };
  const layout = { offset: 0, rowStep: 2 * job.columns, columnStep: 2, byteOrder: 'big' } as const;
  engine.load({ rows, rowCount: size, columns, bytes: input, layout });
  engine.transform({ kind, base, size, rows, columns });
  const bytes = new Uint8Array(input.length);
  engine.store({ rows, rowCount: size, columns, bytes, layout });
  return bytes;
}

describe.each(['simd_relaxed', 'simd'] as const)('simdEngine %s', (id) => {
  const scalar = scalarEngine();
  const simd = simdEngine(id);

  it.each(Array.from({ length: 17 }, (_, log) => log))('transforms 2^%i rows', (log) => {
    const size = 2 ** log;
    const blocks = 65_536 / size;
    const everyBase = [0, 1, 2, 3, 4, 7, blocks >> 1, blocks - 2, blocks - 1];
    const fitting = new Set(everyBase.filter((block) => block >= 0 && block < blocks));
    for (const block of log > 12 ? [blocks - 1] : fitting) {
      const columns = log > 9 ? 3 : 35;
      const input = bytesFrom(log, 2 * size * columns);
      for (const kind of log > 14 ? (['fft'] as const) : (['fft', 'ifft'] as const)) {
        const job = { kind, base: block * size, size, columns };
        const isEqual =
          Buffer.compare(transformed(simd, job, input), transformed(scalar, job, input)) === 0;
        expect(isEqual, `${kind}, block ${block}`).toBe(true);
      }
    }
  });

  it('is an engine for the codec over the seam', () => {
    const [ours, plain] = [codecV1(simd), codecV1(scalar)];
    for (const [validatorCount, payloadBytes] of [
      [2, 1],
      [3, 100],
      [7, 777],
      [50, 3000],
      [300, 20_001],
    ] as const) {
      const payload = bytesFrom(validatorCount, payloadBytes);
      expect(ours.encodeChunks(payload, validatorCount)).toEqual(
        plain.encodeChunks(payload, validatorCount),
      );
    }
  });

  it('loads and stores rows longer than its buffer', () => {
    const columns = { from: 32, to: 40_001 };
    const stride = 40_032;
    const rows = { memory: simd.workspace(2 * stride), start: 0, stride };
    for (const [columnStep, byteOrder] of [
      [2, 'big'],
      [2, 'little'],
      [4, 'big'],
    ] as const) {
      const layout = { offset: 3, rowStep: 1, columnStep, byteOrder };
      const bytes = bytesFrom(columnStep, 170_000);
      const out = new Uint8Array(170_000);
      const job: Omit<CopyJob, 'bytes'> = { rows, rowCount: 1, columns, layout };
      simd.load({ ...job, bytes });
      simd.store({ ...job, bytes: out });
      for (let c = columns.from; c < columns.to; c += 1) {
        const at = 3 + c * columnStep;
        if (out[at] !== bytes[at] || out[at + 1] !== bytes[at + 1]) {
          expect.fail(`column ${c}, step ${columnStep}, ${byteOrder}`);
        }
      }
      const outside = [out.subarray(0, 3 + 32 * columnStep), out.subarray(3 + 40_001 * columnStep)];
      expect(outside.every((part) => part.every((byte) => byte === 0))).toBe(true);
    }
  });

  it('reads and writes bytes of its own memory in place, and no others', () => {
    const engine = simdEngine(id, 64 * MiB);
    const memory = engine.workspace(4096);
    const view = new Uint8Array(memory.buffer, memory.byteOffset + 4096, 4096);
    const rows = { memory, start: 0, stride: 96 };
    for (const [columns, length] of [
      [96, 4096],
      [70, 4096],
      [70, 140],
      [96, 100],
    ] as const) {
      const input = bytesFrom(columns + length, 4096);
      view.set(input);
      const layout = { offset: 2, rowStep: 0, columnStep: 2, byteOrder: 'big' } as const;
      const job = { rows, rowCount: 1, columns: { from: 0, to: columns }, layout };
      engine.load({ ...job, bytes: view.subarray(0, length) });
      const out = new Uint8Array(4096);
      engine.store({ ...job, bytes: out });
      const expected = new Uint8Array(4096);
      expected.set(input.subarray(2, Math.min(length, 2 + 2 * columns)), 2);
      expect(out).toEqual(expected);
      view.fill(0x77);
      engine.store({ ...job, bytes: view });
      const inPlace = new Uint8Array(4096).fill(0x77);
      inPlace.set(expected.subarray(2, 2 + 2 * columns), 2);
      expect(view.slice()).toEqual(inPlace);
    }
  });

  it('keeps its memory when it is large enough, and grows it when it is not', () => {
    const engine = simdEngine(id, 64 * MiB);
    const first = engine.workspace(100).byteOffset;
    expect(engine.workspace(50).byteOffset).toBe(first);
    expect(engine.workspace(8 * MiB).length).toBeGreaterThanOrEqual(8 * MiB);
    expect(() => engine.workspace(64 * MiB)).toThrow(RangeError);
    expect(engine.workspace(100).length).toBeGreaterThanOrEqual(100);
  });
});

describe('simdEngine', () => {
  it('says that a cap leaves no room for its work area', () => {
    expect(() => simdEngine('simd', MiB)).toThrow('maxBytes: no room');
  });
});
