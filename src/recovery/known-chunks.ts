/**
 * @module
 * The chunks of one recovery, by chunk index, with whose they are. Carried from strategy to strategy.
 */

import type { VerifiedChunk } from '../primitives/chunk.ts';
import type { ChunkIndex, ValidatorIndex } from '../primitives/ids.ts';

/** A chunk and the validator whose chunk it was when it was asked for. */
export type KnownChunk = {
  readonly chunk: VerifiedChunk;
  readonly validatorIndex: ValidatorIndex;
};

/** Proven chunks by index. A later chunk of the same index takes the place of the earlier one. */
export class KnownChunks {
  private readonly byIndex = new Map<ChunkIndex, KnownChunk>();

  /** How many distinct chunks are held. */
  get count(): number {
    return this.byIndex.size;
  }

  /** Whether a chunk index is held. */
  has(chunkIndex: ChunkIndex): boolean {
    return this.byIndex.has(chunkIndex);
  }

  /** Files a chunk under its own index. Returns whether the index was new. */
  add(known: KnownChunk): boolean {
    const isNew = !this.byIndex.has(known.chunk.chunkIndex);
    this.byIndex.set(known.chunk.chunkIndex, known);
    return isNew;
  }

  /** How many held chunks have an index below `bound`. */
  countBelow(bound: number): number {
    let count = 0;
    for (const index of this.byIndex.keys()) {
      count += index < bound ? 1 : 0;
    }
    return count;
  }

  /** The validators whose chunks are held. */
  deliverers(): ReadonlySet<ValidatorIndex> {
    return new Set([...this.byIndex.values()].map((known) => known.validatorIndex));
  }

  /** All chunks, ascending by chunk index. */
  ascending(): readonly VerifiedChunk[] {
    return [...this.byIndex.values()]
      .map((known) => known.chunk)
      .sort((a, b) => a.chunkIndex - b.chunkIndex);
  }
}
