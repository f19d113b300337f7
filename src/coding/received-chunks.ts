/**
 * @module
 * Which chunks a decode takes, for the kernel; what is irregular is left to the plain codec, whose errors
 * and their order are the code's.
 */

import type { VerifiedChunk } from '../primitives/chunk.ts';
import type { DecodeQuestion } from './erasure-work.ts';
import { HeldChunk } from './held-chunk.ts';

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
  // By position: maps and sorting would take half of the time of a small decode.
  const byPosition = new Array<VerifiedChunk | undefined>(end).fill(undefined);
  const bound = method === 'reassemble' ? chunks.length : Math.min(end, chunks.length);
  for (let i = 0; i < bound; i += 1) {
    const chunk = chunks[i];
    const chunkIndex: number = chunk?.chunkIndex ?? -1;
    if (method === 'reassemble' && chunkIndex >= k) {
      continue;
    }
    if (!(Number.isInteger(chunkIndex) && chunkIndex >= 0 && chunkIndex < end)) {
      return undefined;
    }
    byPosition[chunkIndex] = chunk;
  }
  const positions: number[] = [];
  let chunkBytes = 0;
  for (let position = 0; position < end; position += 1) {
    const chunk = byPosition[position];
    if (chunk !== undefined) {
      const length = HeldChunk.lengthOf(chunk);
      if (positions.length > 0 && length !== chunkBytes) {
        return undefined;
      }
      chunkBytes = length;
      positions.push(position);
    }
  }
  if (positions.length < k || chunkBytes === 0 || chunkBytes % 2 !== 0) {
    return undefined;
  }
  const used = choosePositions(positions, k, wantsRoot);
  return { chunkBytes, used, chunks: used.flatMap((position) => byPosition[position] ?? []) };
}

/** All data positions if they are there; else k positions, or all where the root isn't wanted. */
function choosePositions(
  positions: readonly number[],
  k: number,
  wantsRoot: boolean,
): readonly number[] {
  if (positions[k - 1] === k - 1) {
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
