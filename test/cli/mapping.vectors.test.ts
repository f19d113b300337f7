/**
 * @module
 * Golden vectors of the chunk mapping through the command line.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { run } from './support.ts';

const vectors = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8')) as T;

describe('mapping', () => {
  const table = async (n: number, core: number, ...extra: string[]): Promise<number[]> => {
    const { out } = await run('mapping', '--validators', `${n}`, '--core', `${core}`, ...extra);
    return JSON.parse(out) as number[];
  };

  it('prints the rotations of mapping.json', async () => {
    type Rotation = {
      n: number;
      cores?: Record<string, number[]>;
      chunk_of_validator_0_for_cores_0_to_11?: number[];
    };
    for (const { n, cores = {}, ...given } of vectors<{ rotation: Rotation[] }>('mapping')
      .rotation) {
      for (const [core, chunks] of Object.entries(cores)) {
        expect(await table(n, Number(core)), `n ${n} core ${core}`).toEqual(chunks);
      }
      for (const [core, chunk] of (given.chunk_of_validator_0_for_cores_0_to_11 ?? []).entries()) {
        expect((await table(n, core))[0], `n ${n} core ${core}`).toBe(chunk);
      }
    }
  });

  it('prints the shuffles of mapping-chacha8.json', async () => {
    type Shuffle = {
      seed: string;
      n: number;
      core: number;
      chunk_of_validator?: number[];
      first_16?: number[];
      sha256_of_u16le?: string;
    };
    for (const given of vectors<{ cases: Shuffle[] }>('mapping-chacha8').cases) {
      const chunks = await table(given.n, given.core, '--scheme', 'chacha8', '--seed', given.seed);
      const what = `n ${given.n} core ${given.core} seed ${given.seed}`;
      if (given.chunk_of_validator !== undefined) {
        expect(chunks, what).toEqual(given.chunk_of_validator);
        continue;
      }
      const words = Buffer.from(Uint16Array.from(chunks).buffer);
      expect(chunks.slice(0, 16), what).toEqual(given.first_16);
      expect(createHash('sha256').update(words).digest('hex'), what).toBe(given.sha256_of_u16le);
    }
  });
});
