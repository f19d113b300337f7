import fc from 'fast-check';
import { VirtualTimeScheduler } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import type { ErasureWork } from '../../src/coding/erasure-work.ts';
import { codingWork } from '../../src/coding/kernel-work.ts';
import { plainWork } from '../../src/coding/plain-work.ts';
import { ChaCha8 } from '../../src/primitives/chacha8.ts';
import type { VerifiedChunk } from '../../src/primitives/chunk.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import { chunkIndex } from '../../src/primitives/ids.ts';
import { shuffle } from '../../src/primitives/random.ts';
import { recoveryThreshold, systematicThreshold } from '../../src/primitives/thresholds.ts';
import type { RecoveryError } from '../../src/recovery/errors.ts';
import type { StrategyOutput } from '../../src/recovery/strategy.ts';
import { decodeAndCheck } from '../../strategies/decode-and-check.ts';
import { testCandidate } from '../support/candidate-world.ts';
import { rootedWork } from '../support/fake-work.ts';
import { provenChunks } from '../support/proven-chunks.ts';
import { SEED, seeded } from '../support/seed.ts';
import { CODING, testContext } from './support.ts';

beforeAll(hashReady);

/** How what was committed to differs from the encoding of a value. */
const DAMAGES = [
  'none',
  'none',
  /** A byte after the value that is not zero. */
  'byte_after_value',
  /** One column of zeros more than needed. */
  'surplus_column',
  /** A compact length in a longer form than needed. */
  'long_compact',
  /** Bytes of one chunk changed before it was committed to. */
  'one_chunk',
  /** No two chunks on one codeword. */
  'all_chunks',
  /** One chunk longer than the others. */
  'one_longer',
] as const;

type Damage = (typeof DAMAGES)[number];

type Case = {
  readonly validatorCount: number;
  readonly povBytes: number;
  readonly damage: Damage;
  readonly seed: number;
  readonly method: 'reassemble' | 'reconstruct';
  readonly isThreshold: boolean;
  readonly checkMode: 're_encode' | 'pov_hash';
};

const CASE: fc.Arbitrary<Case> = fc.record({
  validatorCount: fc.integer({ min: 2, max: 40 }),
  povBytes: fc.integer({ min: 0, max: 700 }),
  damage: fc.constantFrom(...DAMAGES),
  seed: fc.nat({ max: 255 }),
  method: fc.constantFrom('reassemble', 'reconstruct'),
  isThreshold: fc.boolean(),
  checkMode: fc.constantFrom('re_encode', 're_encode', 're_encode', 'pov_hash'),
});

/** Chunks of a candidate whose backers did this, all genuine under the root that they committed to. */
function shardsOf({ validatorCount: n, povBytes, damage, seed }: Case): readonly Uint8Array[] {
  const { codec } = CODING.plain;
  const value = encodeAvailableData(testCandidate({ validatorCount: n, povBytes, seed }).data);
  const columnBytes = 2 * systematicThreshold(n);
  const random = new ChaCha8(new Uint8Array(32).fill(seed));
  switch (damage) {
    case 'none':
      return codec.encodeChunks(value, n);
    case 'byte_after_value':
      return codec.encodeChunks(Uint8Array.from([...value, 1 + (seed % 255)]), n);
    case 'surplus_column': {
      const padded = new Uint8Array(value.length + columnBytes);
      padded.set(value);
      return codec.encodeChunks(padded, n);
    }
    case 'long_compact':
      return codec.encodeChunks(Uint8Array.from([3, povBytes & 255, povBytes >> 8, 0, 0]), n);
    default: {
      const shards = codec.encodeChunks(value, n);
      const damaged = damage === 'all_chunks' ? shards : [shards[random.nextU32() % n]!];
      for (const [place, shard] of shards.entries()) {
        if (damaged.includes(shard)) {
          shard[random.nextU32() % shard.length]! ^= 1 + (random.nextU32() % 255);
          if (damage === 'one_longer') {
            shards[place] = Uint8Array.from([...shard, 0, 0]);
          }
        }
      }
      return shards;
    }
  }
}

/** What comes of it with this work: everything that a caller or a court could see. */
function endOf(one: Case, work: ErasureWork): unknown {
  const { validatorCount: n, checkMode, method } = one;
  const shards = shardsOf(one);
  const { root, proofs } = CODING.plain.commitment.commit(shards);
  const all = provenChunks({
    erasureRoot: root,
    chunks: shards.map((bytes, i) => ({ bytes, chunkIndex: chunkIndex(i), proof: proofs[i]! })),
  });
  const { context } = testContext({
    validatorCount: n,
    povBytes: one.povBytes,
    seed: one.seed,
    scheduler: new VirtualTimeScheduler(),
    request: { checkMode },
  });
  const { request } = context;
  const outputs: StrategyOutput[] = [];
  let error: RecoveryError | undefined;
  decodeAndCheck(
    {
      ...context,
      request: { ...request, candidate: { ...request.candidate, erasureRoot: root } },
      work: work.open({ coding: CODING, erasureRoot: root, validatorCount: n }),
    },
    {
      strategy: method === 'reassemble' ? 'systematic_chunks' : 'regular_chunks',
      method,
      chunks: chosen(one, all),
      onFailure: 'verdict',
      onSuccess: () => [],
    },
  ).subscribe({
    next: (output) => outputs.push(output),
    error: (cause: unknown) => {
      error = cause as RecoveryError;
    },
  });
  return { outputs, code: error?.code, evidence: error?.evidence };
}

/** The systematic chunks, or as many as the settings want of any. */
function chosen(one: Case, all: readonly VerifiedChunk[]): readonly VerifiedChunk[] {
  const k = systematicThreshold(all.length);
  if (one.method === 'reassemble') {
    return all.slice(0, k);
  }
  const order = [...all];
  shuffle(order, new ChaCha8(new Uint8Array(32).fill(one.seed ^ 1)));
  return order
    .slice(0, one.isThreshold ? recoveryThreshold(all.length) : k)
    .toSorted((a, b) => a.chunkIndex - b.chunkIndex);
}

/** Work that must end as the plain work does: by each path of the kernel too, where it has one. */
const WORKS: readonly (readonly [string, ErasureWork])[] = [
  ['a root that comes with the payload', rootedWork()],
  ['the kernel', codingWork({ workers: 0 })],
  ...(['rows', 'blocks', 'reveal'] as const).map(
    (forcePath) => [`the kernel, by ${forcePath}`, codingWork({ workers: 0, forcePath })] as const,
  ),
];

describe('decodeAndCheck', () => {
  it.each(WORKS)(
    seeded('ends as the plain work does, with the same evidence: %s'),
    (_name, work) => {
      const seen = new Map<string, number>();
      fc.assert(
        fc.property(CASE, (one) => {
          const plain = endOf(one, plainWork());
          expect(endOf(one, work)).toEqual(plain);
          const { code } = plain as { readonly code: string | undefined };
          const name = `${one.checkMode}, ${one.damage}: ${code ?? 'data'}`;
          seen.set(name, (seen.get(name) ?? 0) + 1);
        }),
        { seed: SEED, numRuns: 120 },
      );
      expect([...seen.keys()].filter((name) => name.includes('local_fault'))).toEqual([]);
      for (const name of [
        'none: data',
        'byte_after_value: invalid',
        'surplus_column: invalid',
        'long_compact: invalid',
        'one_chunk: invalid',
        'all_chunks: invalid',
        'one_longer: invalid',
      ]) {
        expect(seen.get(`re_encode, ${name}`) ?? 0, name).toBeGreaterThan(3);
      }
    },
  );
});
