/**
 * @module
 * Speed of codec v1 and of the commitment. Timed: one call on bytes in memory, results allocated. Not
 * timed: making the payload, loading the hash.
 */

import { test } from 'vitest';
import { HEX_TRIE_COMMITMENT } from '../src/commitment/commitment.ts';
import {
  codecV1,
  reassembleUnchecked,
  reconstructUnchecked,
  SCALAR_ENGINE,
} from '../src/erasure/index.ts';
import { hashReady } from '../src/primitives/hash.ts';

const MIB = 2 ** 20;

/** Few, because one call takes tenths of a second. */
const ROUNDS = { iterations: 5, time: 0, warmupIterations: 1, warmupTime: 0 };

await hashReady();

for (const engine of [SCALAR_ENGINE]) {
  for (const n of [100, 1000]) {
    for (const size of [2 * MIB, 5 * MIB]) {
      const label = `n=${n} size=${(size / MIB).toFixed(0)}MiB engine=${engine.id}`;
      const codec = codecV1(engine);
      const { recoveryThreshold: f1 } = codec.parameters(n);
      const payload = Uint8Array.from({ length: size }, (_, i) => (i * i * 31 + i) & 255);
      const chunks = codec.encodeChunks(payload, n);
      const parity = chunks.map((bytes, i) => [i, bytes] as const).slice(-f1);

      const jobs: Record<string, () => unknown> = {
        'erasure/encode': () => codec.encodeChunks(payload, n),
        'erasure/reconstruct (f+1 parity chunks)': () => reconstructUnchecked(parity, n, engine),
        'erasure/reassemble': () => reassembleUnchecked(chunks, n, engine),
        'commitment/root and proofs': () => HEX_TRIE_COMMITMENT.commit(chunks),
      };

      test(`erasure ${label}`, async ({ bench }) => {
        for (const [name, job] of Object.entries(jobs)) {
          await bench(`${name} ${label}`, () => void job()).run(ROUNDS);
        }
      });
    }
  }
}
