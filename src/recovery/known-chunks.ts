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
  /** Counts below the bounds that were asked for; kept up to date, as they are read per answer. */
  private readonly countsBelow = new Map<number, number>();
  private readonly ownPlaces = new Set<ValidatorIndex>();
  private readonly invalidOwn = new Set<ChunkIndex>();

  /** Our own store had an entry for this validator, right or wrong: the validator is ourselves. */
  markOwn(validatorIndex: ValidatorIndex): void {
    this.ownPlaces.add(validatorIndex);
  }

  /** Whether {@link markOwn} was called for it. Stays so when a corrupt entry was dropped. */
  isOwn(validatorIndex: ValidatorIndex): boolean {
    return this.ownPlaces.has(validatorIndex);
  }

  /** A chunk of our own store failed its proof. */
  markOwnInvalid(chunkIndex: ChunkIndex): void {
    this.invalidOwn.add(chunkIndex);
  }

  /** Indices that {@link markOwnInvalid} was called for. Stay so when the store dropped the chunk. */
  ownInvalid(): ReadonlySet<ChunkIndex> {
    return new Set(this.invalidOwn);
  }

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
    const { chunkIndex } = known.chunk;
    const isNew = !this.byIndex.has(chunkIndex);
    this.byIndex.set(chunkIndex, known);
    if (isNew) {
      for (const [bound, count] of this.countsBelow) {
        this.countsBelow.set(bound, count + (chunkIndex < bound ? 1 : 0));
      }
    }
    return isNew;
  }

  /** How many held chunks have an index below `bound`. */
  countBelow(bound: number): number {
    const known = this.countsBelow.get(bound);
    if (known !== undefined) {
      return known;
    }
    const count = [...this.byIndex.keys()].filter((index) => index < bound).length;
    this.countsBelow.set(bound, count);
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
