/**
 * @module
 * Makes the candidates of recorded worlds: data, chunks and receipt, with what the recipe spoils.
 */

import {
  type AvailableData,
  encodeAvailableData,
  hashPov,
} from '../../src/codec/available-data.ts';
import { candidateHashOf, candidateReceipt, encodeReceipt } from '../../src/codec/candidate.ts';
import { HEX_TRIE_COMMITMENT } from '../../src/commitment/commitment.ts';
import { CODEC_V1 } from '../../src/erasure/index.ts';
import { fromHex, toHex } from '../../src/primitives/bytes.ts';
import type { Chunk } from '../../src/primitives/chunk.ts';
import { blake2b256 } from '../../src/primitives/hash.ts';
import { type CandidateHash, chunkIndex } from '../../src/primitives/ids.ts';
import type { CandidateRecipe, World } from './format.ts';

/** A candidate with everything that exists of it. */
export type WorldCandidate = {
  readonly receipt: Uint8Array;
  readonly candidateHash: CandidateHash;
  readonly data: AvailableData;
  /** By chunk index; what the recipe calls `extra` has the indices from n on. */
  readonly chunks: readonly Chunk[];
};

/** Made once per world; nobody writes to them. */
const MADE = new WeakMap<World, readonly WorldCandidate[]>();

/**
 * The candidates of a world.
 *
 * @throws Error when an erasure root or candidate hash is not the recorded one.
 */
export function worldCandidates(world: World): readonly WorldCandidate[] {
  const made = MADE.get(world) ?? makeCandidates(world);
  MADE.set(world, made);
  return made;
}

function makeCandidates({ n, cands, ids }: World): readonly WorldCandidate[] {
  return cands.map((recipe, place) => {
    const [root = '', hash = ''] = ids[place] ?? [];
    const candidate = makeCandidate(n, recipe, root);
    if (candidate.candidateHash !== hash) {
      throw new Error(`candidate ${place}: made ${candidate.candidateHash}, recorded ${hash}`);
    }
    return candidate;
  });
}

function makeCandidate(n: number, recipe: CandidateRecipe, recordedRoot: string): WorldCandidate {
  const data = dataOf(recipe);
  const shards = n < 2 ? [] : shardsOf(n, recipe, encodeAvailableData(data));
  // One validator has no code; the recorder put a root of its own there.
  const { root, proofs } =
    n < 2 ? { root: fromHex(recordedRoot), proofs: [] } : HEX_TRIE_COMMITMENT.commit(shards);
  const receipt = receiptOf(recipe, data, root);
  return {
    receipt,
    candidateHash: candidateHashOf(candidateReceipt(receipt)),
    data,
    chunks: shards.map((bytes, i) => ({
      bytes,
      chunkIndex: chunkIndex(i),
      proof: proofs[i] ?? [],
    })),
  };
}

function series([length, a, b]: readonly [number, number, number]): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => (a + i * b) % 256);
}

function dataOf({ pov, rpn = 0 }: CandidateRecipe): AvailableData {
  return {
    pov: { blockData: series(pov) },
    validationData: {
      parentHead: Uint8Array.of(7, 8, 9),
      relayParentNumber: rpn,
      relayParentStorageRoot: new Uint8Array(32),
      maxPovSize: 1_024,
    },
  };
}

function shardsOf(n: number, recipe: CandidateRecipe, encoded: Uint8Array): readonly Uint8Array[] {
  const { raw, trail, patch = [], grow = [], extra = 0 } = recipe;
  const value = raw === undefined ? encoded : series(raw);
  const [count, byte] = trail ?? [0, 0];
  const payload = Uint8Array.from([...value, ...new Uint8Array(count).fill(byte)]);
  const shards: Uint8Array[] =
    recipe.const === undefined
      ? CODEC_V1.encodeChunks(payload, n).map((shard) => shard.slice())
      : Array.from({ length: n }, (_, i) => new Uint8Array(recipe.const ?? 0).fill(i));
  for (const [index, position, xor] of patch) {
    const shard = shards[index] ?? new Uint8Array();
    const place = position % shard.length;
    shard[place] = (shard[place] ?? 0) ^ xor;
  }
  for (const [index, zeros] of grow) {
    shards[index] = Uint8Array.from([...(shards[index] ?? []), ...new Uint8Array(zeros)]);
  }
  const shardBytes = shards[0]?.length ?? 0;
  const surplus = Array.from({ length: extra }, (_, i) => new Uint8Array(shardBytes).fill(n + i));
  return [...shards, ...surplus];
}

function receiptOf(recipe: CandidateRecipe, data: AvailableData, root: Uint8Array): Uint8Array {
  const filled = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
  return encodeReceipt({
    version: 'v2',
    paraId: 2_000,
    relayParent: filled(10),
    coreIndex: 3,
    sessionIndex: 10,
    validationDataHash: filled(1),
    povHash: recipe.povhash === 'dummy' ? filled(3) : hashPov(data.pov),
    erasureRoot: root,
    paraHeadHash: filled(5),
    validationCodeHash: filled(6),
    commitmentsHash: filled(7),
  }).bytes;
}

/** The first 8 bytes of the hash by which the file names data that is not the candidate's own. */
export function dataName(data: AvailableData): string {
  return toHex(blake2b256(encodeAvailableData(data)).subarray(0, 8));
}

/** The candidate's data with its first PoV byte turned over; the recorder makes an empty PoV a 1. */
export function withBadPov(data: AvailableData): AvailableData {
  const [first, ...rest] = data.pov.blockData;
  const blockData = Uint8Array.of(first === undefined ? 1 : first ^ 0xff, ...rest);
  return { ...data, pov: { blockData } };
}

/** The candidate's data with the next relay parent number. */
export function withOtherValidationData(data: AvailableData): AvailableData {
  const relayParentNumber = data.validationData.relayParentNumber + 1;
  return { ...data, validationData: { ...data.validationData, relayParentNumber } };
}
