/**
 * @module
 * Runner of `mapping-chacha8.json`: seeds of blocks, and the shuffle composed with the rotation.
 */

import { createHash } from 'node:crypto';
import { chunkMapping } from '../../../src/mapping/assignment.ts';
import { shuffleSeed } from '../../../src/mapping/chacha-shuffle.ts';
import { fromHex, toHex } from '../../../src/primitives/bytes.ts';
import { chunkIndex } from '../../../src/primitives/ids.ts';
import type { Checks } from '../runner.ts';

type Case = {
  readonly seed: string;
  readonly n: number;
  readonly k: number;
  readonly core: number;
  readonly chunk_of_validator?: readonly number[];
  readonly systematic_holders?: readonly number[];
  readonly first_16?: readonly number[];
  readonly sha256_of_u16le?: string;
};

type File = {
  readonly seeds: readonly {
    readonly epoch_randomness: string;
    readonly session_index: number;
    readonly slot: string;
    readonly seed: string;
  }[];
  readonly cases: readonly Case[];
};

function u16leDigest(numbers: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(2 * numbers.length));
  numbers.forEach((number, i) => {
    view.setUint16(2 * i, number, true);
  });
  return createHash('sha256').update(new Uint8Array(view.buffer)).digest('hex');
}

function checkCase(vector: Case, checks: Checks): void {
  const { n, core } = vector;
  const what = `seed ${vector.seed.slice(0, 8)}, n = ${n}, core ${core}`;
  const seed = fromHex(vector.seed);
  const mapping = chunkMapping({ scheme: 'chacha8', validatorCount: n, coreIndex: core, seed });
  const table = mapping.chunkByValidator();
  checks.equal(mapping.systematicThreshold, vector.k, `${what}: k`);
  if (vector.chunk_of_validator === undefined) {
    checks.equal(table.slice(0, 16), vector.first_16, `${what}: first 16`);
    checks.equal(u16leDigest(table), vector.sha256_of_u16le, `${what}: digest`);
  } else {
    checks.equal(table, vector.chunk_of_validator, what);
    checks.equal(mapping.systematicHolders(), vector.systematic_holders, `${what}: holders`);
  }
  const holders = table.map((_, c) => mapping.validatorOf(chunkIndex(c)));
  checks.ok(
    holders.every((validator, chunk) => table[validator] === chunk),
    `${what}: inverse`,
  );
}

/** Compares seeds and mappings. */
export function mappingChacha8Runner(content: unknown, checks: Checks): void {
  const file = content as File;
  for (const { epoch_randomness, session_index, slot, seed } of file.seeds) {
    const actual = shuffleSeed({
      epochRandomness: fromHex(epoch_randomness),
      sessionIndex: session_index,
      slot: BigInt(slot),
    });
    checks.equal(toHex(actual), seed, `seed of session ${session_index}, slot ${slot}`);
  }
  for (const vector of file.cases) {
    checkCase(vector, checks);
  }
}
