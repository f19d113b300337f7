/**
 * @module
 * The kernel at the ends of the code and over many patterns: validator counts up to the field's size, codes
 * whose work rows fill the work area, all vectors on both builds, flat memory.
 */

import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { PLAIN_CODEC_V1, reconstructUnchecked, type Shard } from '../../../src/erasure/index.ts';
import {
  coefficientRows,
  createContext,
  decodeColumns,
  decodePlan,
  type KernelContext,
  KernelMemory,
  kernelCodec,
  kernelDecoder,
  paddedColumns,
  payloadBytesInArena,
  recoverRowsColumns,
  revealColumns,
  rowStride,
} from '../../../src/erasure/kernel/index.ts';
import { hashReady } from '../../../src/primitives/hash.ts';
import { SEED, seeded } from '../../support/seed.ts';
import { Checks } from '../../vectors/runner.ts';
import { decodeRunner } from '../../vectors/runners/decode.ts';
import { erasureV1Runner } from '../../vectors/runners/erasure-v1.ts';
import { dataRowsOf, noise, sample } from './rig.ts';

const ENGINES = ['simd_relaxed', 'simd'] as const;

beforeAll(hashReady);

type Arena = { readonly memory: KernelMemory; readonly context: KernelContext };

function arena(engine: (typeof ENGINES)[number], maxBytes = 64 * 2 ** 20): Arena {
  const memory = new KernelMemory({ isShared: false, maxBytes });
  return { memory, context: createContext(memory, engine)! };
}

const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

/** Does all jobs of one pattern on rows in an arena and compares payload and missing rows. */
function expectAllJobs({ memory, context }: Arena, n: number, received: readonly number[]): void {
  const k = dataRowsOf(n);
  const columns = 33;
  const given = noise(2 * k * columns, n);
  const chunks = PLAIN_CODEC_V1.encodeChunks(given, n);
  const stride = rowStride(2 * columns);
  const rows = memory.take(n * stride)!;
  const out = memory.take(n * stride)!;
  const payload = memory.take(payloadBytesInArena(k, columns))!;
  const isReceived = new Set(received);
  const load = (): void => {
    context
      .bytes()
      .fill(0xa5, rows, rows + n * stride)
      .fill(0xa5, out, out + n * stride);
    context.bytes().fill(0xa5, payload, payload + 2 * k * paddedColumns(columns));
    for (const position of received) {
      context.bytes().set(chunks[position]!, rows + position * stride);
    }
  };
  const at = (position: number): number => rows + position * stride;
  const plan = decodePlan(PLAIN_CODEC_V1.parameters(n), received);
  const job = {
    plan,
    received: Uint32Array.from(received, at),
    payload,
    columns: { from: 0, to: columns },
  };
  const output = { start: out, stride, firstColumn: 0 };
  const expectPayload = (what: string): void => {
    const actual = context.bytes().subarray(payload, payload + given.length);
    expect(same(actual, given), `${what}, n = ${n}`).toBe(true);
  };
  const expectRows = (what: string): void => {
    const wrong = chunks.findIndex((chunk, i) => {
      const row = out + i * stride;
      return !isReceived.has(i) && !same(context.bytes().subarray(row, row + 2 * columns), chunk);
    });
    expect(wrong, `${what}, n = ${n}`).toBe(-1);
  };
  load();
  decodeColumns(context, { ...job, reencode: output });
  expectPayload('decode');
  expectRows('decode');
  load();
  revealColumns(context, { ...job, chunks: output });
  expectPayload('reveal');
  expectRows('reveal');
  const missing = Array.from({ length: k }, (_, i) => i).filter((i) => !isReceived.has(i));
  if (received.length === k && missing.length <= 9) {
    load();
    recoverRowsColumns(context, {
      ...job,
      plan: coefficientRows(plan, missing),
      missing: Uint32Array.from(missing, at),
      dataRows: Uint32Array.from({ length: k }, (_, row) => at(row)),
    });
    expectPayload('rows');
  }
  for (const region of [rows, out, payload]) {
    memory.give(region);
  }
}

describe.each(ENGINES)('column jobs on %s', (engine) => {
  const place = arena(engine);

  it.each([3000, 4096, 10_000, 16_385, 30_000, 49_151, 49_153, 65_535, 65_536])(
    'work for %i validators',
    (n) => {
      const k = dataRowsOf(n);
      expectAllJobs(place, n, sample(n, k, n));
      expectAllJobs(
        place,
        n,
        Array.from({ length: k }, (_, i) => i + Math.min(7, n - k)),
      );
      expectAllJobs(place, n, sample(n, n - 1, n));
      expectAllJobs(place, n, sample(n, Math.floor((k + n) / 2), n));
    },
    120_000,
  );
});

describe.each(ENGINES)('kernelCodec on %s', (engine) => {
  const { memory, context } = arena(engine);
  const code = { codec: kernelCodec(context, memory), ...kernelDecoder(context, memory) };

  it('passes every check of the vectors', () => {
    for (const [file, runner, count] of [
      ['erasure-v1.json', erasureV1Runner, 2753],
      ['decode.json', decodeRunner, 800],
    ] as const) {
      const url = new URL(`../../vectors/${file}`, import.meta.url);
      const checks = new Checks();
      runner(JSON.parse(readFileSync(url, 'utf8')), checks, code);
      expect(checks.failed).toEqual([]);
      expect(checks.count).toBeGreaterThanOrEqual(count);
    }
  }, 120_000);

  it('encodes every validator count in 2 .. 130 at every chunk length', () => {
    for (let n = 2; n <= 130; n += 1) {
      for (const chunkBytes of [2, 62, 64, 66, 126, 130, 4096, 8192]) {
        const payload = noise(dataRowsOf(n) * chunkBytes, n);
        const expected = PLAIN_CODEC_V1.encodeChunks(payload, n);
        const actual = code.codec.encodeChunks(payload, n);
        const wrong = expected.findIndex((chunk, i) => !same(chunk, actual[i]!));
        expect(wrong, `n = ${n}, ${chunkBytes} bytes`).toBe(-1);
      }
    }
  }, 300_000);

  it(seeded('decodes 10,000 random patterns of every weight, in flat memory'), () => {
    const used = memory.usedBytes;
    for (let i = 0; i < 10_000; i += 1) {
      const seed = (SEED + i) >>> 0;
      const n = 2 + (seed % 129);
      const k = dataRowsOf(n);
      const count = k + ((Math.imul(seed, 2_654_435_761) >>> 8) % (n - k + 1));
      const given = sample(n, count, seed).map(
        (position): Shard => [position, noise(6, seed ^ position)],
      );
      const expected = reconstructUnchecked(given, n);
      expect(same(code.reconstruct(given, n), expected), `n = ${n}, seed ${seed}`).toBe(true);
    }
    expect(memory.usedBytes).toBe(used);
    expect(memory.heldBytes).toBeLessThan(32 * 2 ** 20);
  }, 300_000);
});
