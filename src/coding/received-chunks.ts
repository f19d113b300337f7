/**
 * @module
 * Which chunks a decode takes, for the kernel; what is irregular is left to the plain codec, whose errors
 * and their order are the code's.
 */

import type { VerifiedChunk } from '../primitives/chunk.ts';
import type { DecodeQuestion } from './erasure-work.ts';
import { HeldChunk } from './held-chunk.ts';
import { missingBelow } from './planner.ts';

/** Chunks of one even length above 0, by position. */
export type ReceivedChunks = {
  readonly chunkBytes: number;
  /** Positions to decode from, ascending. */
  readonly used: readonly number[];
  /** The chunk at each used position, in that order. */
  readonly chunks: readonly VerifiedChunk[];
};

/**
 * The chunks to decode from.
 *
 * Where the root is wanted exactly k are taken of more: the result is held against the root, so any k
 * give the same verdict (erasure spec §4.5). Where it isn't all count, as they do for the plain codec.
 * All data chunks together are the payload, whatever else was received.
 *
 * @returns undefined when something about the chunks is irregular: then the plain codec says what.
 */
export function receivedChunks(
  { method, chunks, wantsRoot }: DecodeQuestion,
  code: { readonly systematicThreshold: number; readonly validatorCount: number },
): ReceivedChunks | undefined {
  const k = code.systematicThreshold;
  const end = method === 'reassemble' ? k : code.validatorCount;
  const byPosition = new Map<number, VerifiedChunk>();
  for (const chunk of chunks.slice(0, method === 'reassemble' ? undefined : end)) {
    const { chunkIndex } = chunk;
    if (method === 'reassemble' && chunkIndex >= k) {
      continue;
    }
    if (!(Number.isInteger(chunkIndex) && chunkIndex >= 0 && chunkIndex < end)) {
      return undefined;
    }
    byPosition.set(chunkIndex, chunk);
  }
  const all = [...byPosition.values()];
  const [first] = all;
  const chunkBytes = first === undefined ? 0 : HeldChunk.lengthOf(first);
  const isUniform = all.every((chunk) => HeldChunk.lengthOf(chunk) === chunkBytes);
  if (all.length < k || chunkBytes === 0 || chunkBytes % 2 !== 0 || !isUniform) {
    return undefined;
  }
  const positions = [...byPosition.keys()].sort((a, b) => a - b);
  const used = choosePositions(positions, k, wantsRoot);
  return {
    chunkBytes,
    used,
    chunks: used.flatMap((position) => byPosition.get(position) ?? []),
  };
}

/** All data positions if they are there; else k positions, or all where the root isn't wanted. */
function choosePositions(
  positions: readonly number[],
  k: number,
  wantsRoot: boolean,
): readonly number[] {
  if (missingBelow(positions, k).length === 0) {
    return positions.slice(0, k);
  }
  return wantsRoot && positions.length > k ? fewestBlocks(positions, k) : positions;
}

/** k positions: the data that is there, then parity from the fullest blocks, which are transformed whole. */
function fewestBlocks(positions: readonly number[], k: number): readonly number[] {
  const blocks = Map.groupBy(positions, (position) => Math.floor(position / k));
  const data = blocks.get(0) ?? [];
  blocks.delete(0);
  const byFullness = [...blocks.values()].sort((a, b) => b.length - a.length);
  return [...data, ...byFullness.flat()].slice(0, k).sort((a, b) => a - b);
}
