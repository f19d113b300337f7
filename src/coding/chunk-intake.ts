/**
 * @module
 * Takes in the chunks of one recovery: copies them into rows of the arena and a proof book as they come, has
 * them hashed, and judges them.
 */

import { last, map, type Observable, of, tap } from 'rxjs';
import { type HashedChunk, ProofBook } from '../commitment/proof-book.ts';
import type { VerifyChunkAnswer } from '../commitment/verify-chunk.ts';
import { rowStride } from '../erasure/kernel/index.ts';
import type { Chunk } from '../primitives/chunk.ts';
import { HASH_BYTES } from '../primitives/hash.ts';
import { type HashedPart, hashChunks } from './chunk-hasher.ts';
import { ChunkRows } from './chunk-rows.ts';
import type { WorkSubject } from './erasure-work.ts';
import { type ChunkKeeper, HeldChunk } from './held-chunk.ts';
import type { KernelHost } from './kernel-host.ts';
import { hashNodesOn } from './node-hasher.ts';
import { ownProof } from './own-chunk.ts';
import type { WorkCounter } from './work-counter.ts';

/** The chunks of one recovery. Takes no memory before the first comes. */
export class ChunkIntake {
  /** Whose all chunks are that are taken in here. */
  readonly keeper: ChunkKeeper;
  readonly #host: KernelHost;
  readonly #subject: WorkSubject;
  readonly #counter: WorkCounter;
  #book: ProofBook | undefined;
  #rows: ChunkRows | undefined;

  constructor(host: KernelHost, subject: WorkSubject, counter: WorkCounter) {
    this.#host = host;
    this.#subject = subject;
    this.#counter = counter;
    this.keeper = {
      bytes: () => host.context.bytes(),
      copiedOut: (load) => this.#counter.add({ load }),
      proofOf: (chunkIndex, digest) => this.#bookOf().proofOf(chunkIndex, digest),
    };
  }

  /** The rows, if chunks in them have so many bytes. */
  rowsOf(chunkBytes: number): ChunkRows | undefined {
    return this.#rows?.chunkBytes === chunkBytes ? this.#rows : undefined;
  }

  /** Gives all rows back. Chunks in them that were not read can't be read any more. */
  close(): void {
    this.#rows?.close();
    this.#rows = undefined;
  }

  /**
   * Takes a copy of a chunk: its bytes to a row if it has the rows' length, its proof to the book. What doesn't
   * fit there is copied to memory of its own.
   */
  hold(chunk: Chunk): HeldChunk {
    // Read once: what is judged is what is handed out, whatever the chunk says when it is asked again.
    const { bytes, chunkIndex, proof: given } = chunk;
    const { length } = bytes;
    const book = this.#bookOf();
    const held = new HeldChunk(this.keeper, chunkIndex, length);
    const before = book.copiedBytes;
    held.claim = book.claim({ chunkIndex, proof: given });
    let load = length + book.copiedBytes - before;
    if (held.claim < 0) {
      const { proof, copiedBytes } = ownProof(given);
      held.setProof(proof);
      load += copiedBytes;
    }
    this.#rows ??= this.#newRows(length);
    const row = this.#rows?.chunkBytes === length ? this.#rows.take() : undefined;
    if (row === undefined) {
      held.setBytes(new Uint8Array(bytes));
    } else {
      // A view may follow its buffer's length, which others can change.
      this.#host.context.bytes().set(bytes.subarray(0, length), row.row);
      held.placeIn(row);
    }
    this.#counter.add({ load });
    return held;
  }

  /** Forgets a chunk that is not to be judged. */
  drop(held: HeldChunk): void {
    if (held.claim >= 0) {
      this.#book?.drop(held.claim);
    }
    this.#giveRow(held);
  }

  #giveRow(held: HeldChunk): void {
    const { row } = held;
    if (row !== undefined) {
      held.loseRow();
      this.#rows?.give(row);
    }
  }

  /** Judges a batch: the chunks of the recovery's length on the kernel, others by the plain commitment. */
  judge(chunks: readonly HeldChunk[]): Observable<readonly VerifyChunkAnswer[]> {
    const rows = this.#rowsFor(chunks);
    this.#counter.add({ hashedChunks: chunks.length });
    const regular =
      rows === undefined ? [] : chunks.filter(({ byteLength }) => byteLength === rows.chunkBytes);
    const irregular = regular.length === chunks.length ? [] : chunks;
    const answers = (): VerifyChunkAnswer[] => chunks.map(({ answer }) => answer ?? neverJudged());
    for (const chunk of irregular) {
      if (chunk.byteLength !== rows?.chunkBytes) {
        chunk.answer = this.#judgePlainly(chunk);
      }
    }
    if (rows === undefined) {
      return of(answers());
    }
    this.#loadRows(rows, regular);
    return hashChunks(this.#host, rows, regular).pipe(
      tap((part) => this.#judgeHashed(part)),
      last(),
      map(answers),
    );
  }

  /** Gives rows to chunks that have none, as far as there are any. */
  #loadRows(rows: ChunkRows, chunks: readonly HeldChunk[]): void {
    for (const chunk of chunks) {
      if (chunk.row === undefined) {
        this.#counter.add({ load: rows.chunkBytes });
        const row = rows.take();
        if (row !== undefined) {
          this.#host.context.bytes().set(chunk.bytes, row.row);
          chunk.placeIn(row);
        }
      }
    }
  }

  /** Judges chunks that were hashed, and keeps the rows of the verified. */
  #judgeHashed({ chunks, memory, at }: HashedPart): void {
    const book = this.#bookOf();
    const claimed: HeldChunk[] = [];
    const claims: number[] = [];
    const digests: number[] = [];
    const others: HeldChunk[] = [];
    const hashed: HashedChunk[] = [];
    chunks.forEach((held, i) => {
      const digest = at[i] ?? 0;
      held.setHashed(
        held.row === undefined ? memory.slice(digest, digest + HASH_BYTES) : undefined,
      );
      if (held.claim >= 0) {
        claimed.push(held);
        claims.push(held.claim);
        digests.push(digest);
      } else {
        others.push(held);
        hashed.push({
          chunk: held,
          digest: new Uint8Array(memory.subarray(digest, digest + HASH_BYTES)),
        });
      }
    });
    book.judge(claims, { memory, at: digests }).forEach((proof, i) => {
      const held = claimed[i];
      if (held === undefined) {
        return;
      }
      held.claim = -1;
      if (proof !== undefined) {
        held.setProof(proof);
      }
      held.answer =
        proof === undefined ? { type: 'verified', chunk: held.asVerified } : book.verifyAlone(held);
    });
    book.verify(hashed).forEach((answer, i) => {
      const held = others[i];
      if (held !== undefined) {
        held.answer = answer;
      }
    });
    for (const held of chunks) {
      this.#settleRow(held);
    }
  }

  #settleRow(held: HeldChunk): void {
    const { row, answer } = held;
    if (row !== undefined && answer?.type === 'verified') {
      this.#rows?.keep(held.chunkIndex, row);
    } else {
      this.#giveRow(held);
    }
  }

  /** Made when the first chunk is judged: a recovery that never sees one costs nothing. */
  #bookOf(): ProofBook {
    const { erasureRoot, validatorCount } = this.#subject;
    this.#book ??= new ProofBook(erasureRoot, validatorCount, hashNodesOn(this.#host.context));
    return this.#book;
  }

  #judgePlainly(held: HeldChunk): VerifyChunkAnswer {
    if (held.claim >= 0) {
      const [proof] = this.#bookOf().judge([held.claim], NO_DIGEST);
      held.claim = -1;
      held.setProof(proof ?? []);
    }
    held.leaveRow();
    return this.#bookOf().verifyAlone(held);
  }

  /**
   * The rows for a batch. Their length is that of the first verified chunk; until there is one, that of
   * most chunks of the batch, so that a liar's length does not stay.
   */
  #rowsFor(chunks: readonly HeldChunk[]): ChunkRows | undefined {
    if (this.#rows?.isEmpty === false) {
      return this.#rows;
    }
    const chunkBytes = mostCommonLength(chunks);
    if (this.#rows?.chunkBytes !== chunkBytes) {
      this.#rows?.leaveAll();
      this.#rows?.close();
      this.#rows = this.#newRows(chunkBytes);
    }
    return this.#rows;
  }

  #newRows(chunkBytes: number): ChunkRows | undefined {
    const { recoveryThreshold: maxRows } = this.#subject.coding.codec.parameters(
      this.#subject.validatorCount,
    );
    return chunkBytes === 0
      ? undefined
      : new ChunkRows(this.#host.queue, { chunkBytes, stride: rowStride(chunkBytes), maxRows });
  }
}

/** No chunk has this hash. */
const NO_DIGEST = { memory: new Uint8Array(), at: [0] };

function mostCommonLength(chunks: readonly HeldChunk[]): number {
  const length = chunks[0]?.byteLength ?? 0;
  if (chunks.every(({ byteLength }) => byteLength === length)) {
    return length;
  }
  const groups = [...Map.groupBy(chunks, ({ byteLength }) => byteLength)];
  const largest = groups.reduce<readonly [number, readonly HeldChunk[]]>(
    (best, next) => (next[1].length > best[1].length ? next : best),
    [0, []],
  );
  return largest[0];
}

function neverJudged(): never {
  throw new Error('a chunk of the batch was not judged');
}
