/**
 * @module
 * A chunk that lies in the arena: its bytes and proof are copied out to memory of their own when somebody reads
 * them, or when the arena takes its row away. Decoding works on the row, so mostly nobody does.
 */

import type { VerifyChunkAnswer } from '../commitment/verify-chunk.ts';
import type { Chunk, TrieProof, VerifiedChunk } from '../primitives/chunk.ts';
import type { ChunkIndex } from '../primitives/ids.ts';
import type { ChunkRow, RowUser } from './chunk-rows.ts';

/** Reads what a held chunk needs when it is asked for. */
export interface ChunkKeeper {
  /** All bytes of the arena as of this moment. */
  bytes(): Uint8Array;
  /** So many bytes were copied out of the arena. */
  copiedOut(byteCount: number): void;
  /** The proof of a chunk that was accepted without its proof being kept. */
  proofOf(chunkIndex: ChunkIndex, digest: Uint8Array): TrieProof;
}

const DIGEST_BYTES = 32;

/**
 * A chunk of one recovery, from its arrival on.
 *
 * `bytes` and `proof` are memory of their own, the same at each reading. Once the recovery's work is closed
 * they can be read only if they were read before.
 */
export class HeldChunk implements RowUser {
  readonly chunkIndex: ChunkIndex;
  readonly #length: number;
  readonly #keeper: ChunkKeeper;
  /** A claim of the proof book, until it is judged. */
  #claim = -1;
  #answer: VerifyChunkAnswer | undefined;
  #row: ChunkRow | undefined;
  #bytes: Uint8Array | undefined;
  #proof: TrieProof | undefined;
  #digest: Uint8Array | undefined;
  #isHashed = false;

  /** The bytes and the proof are still to be given. */
  constructor(keeper: ChunkKeeper, chunkIndex: ChunkIndex, length: number) {
    this.#keeper = keeper;
    this.chunkIndex = chunkIndex;
    this.#length = length;
  }

  /** Whether a chunk is one of a keeper's. */
  static isOf(keeper: ChunkKeeper, chunk: unknown): chunk is HeldChunk {
    return chunk instanceof HeldChunk && chunk.#keeper === keeper;
  }

  /** Length of a chunk's bytes, which are not copied out for it. */
  static lengthOf(chunk: Chunk): number {
    return chunk instanceof HeldChunk ? chunk.#length : chunk.bytes.length;
  }

  /** See the class. */
  get bytes(): Uint8Array {
    if (this.#bytes === undefined) {
      const { row } = this.#row ?? this.#lost();
      // Not `slice`: of shared memory it would be shared.
      this.#bytes = new Uint8Array(this.#length);
      this.#bytes.set(this.#keeper.bytes().subarray(row, row + this.#length));
      this.#keeper.copiedOut(this.#length);
    }
    return this.#bytes;
  }

  /** See the class. */
  get proof(): TrieProof {
    this.#proof ??= this.#keeper.proofOf(this.chunkIndex, this.#digest ?? this.#digestInRow());
    return this.#proof;
  }

  /** Itself, once it was found to be proven. */
  get asVerified(): VerifiedChunk {
    return this as unknown as VerifiedChunk;
  }

  /** Length of `bytes`, which are not copied out for it. */
  get byteLength(): number {
    return this.#length;
  }

  /** The claim, or -1 where the proof is kept. */
  get claim(): number {
    return this.#claim;
  }

  /** Sets it. */
  set claim(claim: number) {
    this.#claim = claim;
  }

  /** What was found about it, once it was judged. */
  get answer(): VerifyChunkAnswer | undefined {
    return this.#answer;
  }

  /** Sets it, once. */
  set answer(answer: VerifyChunkAnswer) {
    this.#answer = answer;
  }

  /** The row with the bytes, if there is one. */
  get row(): ChunkRow | undefined {
    return this.#row;
  }

  /** Whether its hash is at hand. It isn't where the plain commitment judged it, or its row was lost. */
  get hasDigest(): boolean {
    return this.#digest !== undefined || (this.#isHashed && this.#row !== undefined);
  }

  /** Writes its hash, which is at hand, to an address of the arena. */
  writeDigest(memory: Uint8Array, address: number): void {
    if (this.#digest === undefined) {
      const { digest } = this.#row ?? this.#lost();
      memory.copyWithin(address, digest, digest + DIGEST_BYTES);
    } else {
      memory.set(this.#digest, address);
    }
  }

  /** Gives it the row that its bytes were written to. */
  placeIn(row: ChunkRow): void {
    row.user = this;
    this.#row = row;
  }

  /** Gives it bytes of its own. */
  setBytes(bytes: Uint8Array): void {
    this.#bytes = bytes;
  }

  /** Gives it a proof of its own. */
  setProof(proof: TrieProof): void {
    this.#proof = proof;
  }

  /** It was hashed: the hash is given, or stands in the row. */
  setHashed(digest?: Uint8Array): void {
    this.#isHashed = true;
    this.#digest = digest;
  }

  /** Copies out what is in the row, which is not its own afterwards. */
  leaveRow(): void {
    if (this.#row !== undefined) {
      this.#bytes = this.bytes;
      if (this.#isHashed) {
        this.#digest ??= this.#digestInRow();
      }
      this.#row.user = undefined;
      this.#row = undefined;
    }
  }

  /** Leaves the row without copying. */
  loseRow(): void {
    this.#row = undefined;
  }

  #digestInRow(): Uint8Array {
    const { digest } = this.#row ?? this.#lost();
    const own = new Uint8Array(DIGEST_BYTES);
    own.set(this.#keeper.bytes().subarray(digest, digest + DIGEST_BYTES));
    return own;
  }

  #lost(): never {
    throw new Error(`chunk ${this.chunkIndex}: the work that held its bytes is closed`);
  }
}
