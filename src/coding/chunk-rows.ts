/**
 * @module
 * Rows in the arena for the chunks of one recovery, taken block by block as chunks come. What is in them is
 * copied out before the arena takes them away, which it may while no thread works on them.
 */

import type { ArenaQueue, Evictable } from './arena-queue.ts';

/** Whoever has its bytes in a row and nowhere else. */
export interface RowUser {
  /** Copies what is in the row; the row is somebody else's afterwards. */
  leaveRow(): void;
  /** As `leaveRow`, but nobody will ask for the bytes any more. */
  loseRow(): void;
}

/** Place for one chunk and its hash. */
export type ChunkRow = {
  /** Address of the chunk's bytes, a multiple of 64. */
  readonly row: number;
  /** Address of 32 bytes. */
  readonly digest: number;
  /** Who is told before the row goes. */
  user: RowUser | undefined;
};

/** Rows that are taken together. */
const BLOCK_ROWS = 64;

/** Bytes of a hash. */
const DIGEST_BYTES = 32;

/** The rows of one recovery. All chunks in them have one length. */
export class ChunkRows implements Evictable {
  /** Bytes of each chunk. */
  readonly chunkBytes: number;
  readonly #queue: ArenaQueue;
  readonly #stride: number;
  readonly #maxRows: number;
  #blocks: number[] = [];
  #all: ChunkRow[] = [];
  #free: ChunkRow[] = [];
  readonly #kept = new Map<number, ChunkRow>();
  #users = 0;
  #isClosed = false;

  /** @param size - No more than `maxRows` rows are taken; what comes later has to do without. */
  constructor(
    queue: ArenaQueue,
    size: { readonly chunkBytes: number; readonly stride: number; readonly maxRows: number },
  ) {
    this.#queue = queue;
    this.chunkBytes = size.chunkBytes;
    this.#stride = size.stride;
    this.#maxRows = size.maxRows;
    queue.addHolder(this);
  }

  /** A row, if there is room. It holds garbage. Who writes to it makes itself its user in the same turn. */
  take(): ChunkRow | undefined {
    if (this.#free.length === 0 && !this.#isClosed) {
      this.#takeBlock();
    }
    return this.#free.pop();
  }

  /** Gives a row back that isn't kept; its user has left it. */
  give(row: ChunkRow): void {
    row.user = undefined;
    this.#free.push(row);
  }

  /** Keeps a row as that of a chunk index. A second one for the same index is given back, copied out. */
  keep(chunkIndex: number, row: ChunkRow): void {
    if (this.#kept.has(chunkIndex)) {
      row.user?.leaveRow();
      this.give(row);
    } else {
      this.#kept.set(chunkIndex, row);
    }
  }

  /** The kept row of a chunk index. Its bytes stand there until the rows are evicted. */
  rowOf(chunkIndex: number): ChunkRow | undefined {
    return this.#kept.get(chunkIndex);
  }

  /** Whether any row is kept. */
  get isEmpty(): boolean {
    return this.#kept.size === 0;
  }

  /**
   * Forbids eviction, also after {@link ChunkRows.close}, until the returned function was called: once no
   * thread touches the rows any more.
   */
  use(): () => void {
    let isUsing = true;
    this.#users += 1;
    return () => {
      if (isUsing) {
        isUsing = false;
        this.#users -= 1;
        if (this.#users === 0) {
          this.#giveIfClosed();
          this.#queue.retry();
        }
      }
    };
  }

  evict(): 'given' | 'nothing' | 'in_use' {
    if (this.#blocks.length === 0) {
      return 'nothing';
    }
    if (this.#users > 0) {
      return 'in_use';
    }
    this.leaveAll();
    const blocks = this.#blocks;
    this.#blocks = [];
    this.#all = [];
    this.#free = [];
    this.#kept.clear();
    for (const block of blocks) {
      this.#queue.giveSpare(block);
    }
    return 'given';
  }

  /** Has all users copy their bytes. */
  leaveAll(): void {
    for (const { user } of this.#all) {
      user?.leaveRow();
    }
  }

  /** Gives everything back, as soon as nobody uses it. Users lose their bytes. */
  close(): void {
    this.#isClosed = true;
    for (const row of this.#all) {
      row.user?.loseRow();
      row.user = undefined;
    }
    this.#giveIfClosed();
  }

  #giveIfClosed(): void {
    if (this.#isClosed && this.#users === 0) {
      this.evict();
      this.#queue.removeHolder(this);
    }
  }

  #takeBlock(): void {
    const rowCount = Math.min(BLOCK_ROWS, this.#maxRows - BLOCK_ROWS * this.#blocks.length);
    const block =
      rowCount > 0 ? this.#queue.takeSpare(rowCount * (this.#stride + DIGEST_BYTES)) : undefined;
    if (block === undefined) {
      return;
    }
    this.#blocks.push(block);
    const digests = block + rowCount * this.#stride;
    for (let i = rowCount - 1; i >= 0; i -= 1) {
      const row: ChunkRow = {
        row: block + i * this.#stride,
        digest: digests + i * DIGEST_BYTES,
        user: undefined,
      };
      this.#all.push(row);
      this.#free.push(row);
    }
  }
}
