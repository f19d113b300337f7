/**
 * @module
 * The work of one recovery on the kernel: chunks are copied into the arena and hashed as they come, so that
 * after the last one only decoding and the check are left.
 */

import {
  catchError,
  defer,
  last,
  type MonoTypeOperatorFunction,
  map,
  type Observable,
  of,
  Subject,
  takeUntil,
  tap,
  throwError,
} from 'rxjs';
import { type HashedChunk, ProofBook } from '../commitment/proof-book.ts';
import type { VerifyChunkAnswer } from '../commitment/verify-chunk.ts';
import type { CodeParameters } from '../erasure/index.ts';
import { rowStride } from '../erasure/kernel/index.ts';
import type { Chunk } from '../primitives/chunk.ts';
import { HASH_BYTES } from '../primitives/hash.ts';
import { ArenaTooSmallError } from './arena-queue.ts';
import { type HashedPart, hashChunks } from './chunk-hasher.ts';
import { ChunkRows } from './chunk-rows.ts';
import { type DecodeInput, decodeOnArena } from './decode-run.ts';
import type {
  Decoded,
  DecodeQuestion,
  RecoveryWork,
  WorkSubject,
  WorkTally,
} from './erasure-work.ts';
import { type ChunkKeeper, HeldChunk } from './held-chunk.ts';
import type { KernelHost } from './kernel-host.ts';
import { hashNodesOn } from './node-hasher.ts';
import { ownProof } from './own-chunk.ts';
import { ProofQueue } from './proof-queue.ts';
import { receivedChunks } from './received-chunks.ts';
import { rootOfPayload } from './root-run.ts';
import { WorkCounter } from './work-counter.ts';

/** Opens the work of one recovery on the kernel. Takes no memory before a chunk comes. */
export function openOnKernel(host: KernelHost, subject: WorkSubject): RecoveryWork {
  return new KernelRecovery(host, subject);
}

class KernelRecovery implements RecoveryWork {
  readonly #host: KernelHost;
  readonly #subject: WorkSubject;
  readonly #parameters: CodeParameters;
  readonly #counter = new WorkCounter();
  readonly #closed$ = new Subject<never>();
  readonly #queue: ProofQueue<HeldChunk>;
  readonly #keeper: ChunkKeeper;
  #book: ProofBook | undefined;
  #rows: ChunkRows | undefined;
  #isClosed = false;

  constructor(host: KernelHost, subject: WorkSubject) {
    this.#host = host;
    this.#subject = subject;
    this.#parameters = subject.coding.codec.parameters(subject.validatorCount);
    this.#queue = new ProofQueue({
      drainTime: host.drainTime,
      endOfTurn: host.endOfTurn,
      own: (chunk) => this.#hold(chunk),
      judge: (chunks) => this.#judge(chunks),
      drop: (chunk) => this.#drop(chunk),
    });
    this.#keeper = {
      bytes: () => host.context.bytes(),
      proofOf: (chunkIndex, digest) => this.#bookOf().proofOf(chunkIndex, digest),
    };
  }

  get tally(): WorkTally {
    return this.#counter.tally;
  }

  verify(chunk: Chunk): Observable<VerifyChunkAnswer> {
    return this.#queue.ask(chunk);
  }

  decode(question: DecodeQuestion): Observable<Decoded> {
    return this.#whileOpen(() => {
      const received = receivedChunks(question, this.#parameters);
      if (received === undefined || this.#host.forcePath === 'plain') {
        return this.#decodePlainly(question);
      }
      const input: DecodeInput = {
        validatorCount: this.#subject.validatorCount,
        received,
        wantsRoot: question.wantsRoot,
        rows: this.#rows?.chunkBytes === received.chunkBytes ? this.#rows : undefined,
        keeper: this.#keeper,
        into: question.into,
      };
      return decodeOnArena(this.#host, input, this.#counter).pipe(
        this.#plainWhenTooSmall(() => this.#decodePlainly(question)),
      );
    });
  }

  erasureRoot(payload: Uint8Array): Observable<Uint8Array> {
    const { coding, validatorCount } = this.#subject;
    return this.#whileOpen(() =>
      rootOfPayload(this.#host, { payload, validatorCount }, this.#counter).pipe(
        this.#plainWhenTooSmall(() => {
          const { codec, commitment } = coding.plain;
          return of(commitment.root(codec.encodeChunks(payload, validatorCount)));
        }),
      ),
    );
  }

  close(): void {
    if (!this.#isClosed) {
      this.#isClosed = true;
      // An error that nobody gets costs as much as all of the rest.
      if (this.#closed$.observed) {
        this.#closed$.error(closedError());
      }
      this.#queue.close(closedError);
      this.#rows?.close();
      this.#rows = undefined;
    }
  }

  #whileOpen<T>(work: () => Observable<T>): Observable<T> {
    return defer(() => (this.#isClosed ? throwError(() => closedError()) : work())).pipe(
      takeUntil(this.#closed$),
    );
  }

  #plainWhenTooSmall<T>(plainly: () => Observable<T>): MonoTypeOperatorFunction<T> {
    return catchError((error: unknown) => {
      if (!(error instanceof ArenaTooSmallError)) {
        throw error;
      }
      this.#host.warn('arena_too_small', error);
      return defer(plainly);
    });
  }

  #decodePlainly({ method, chunks }: DecodeQuestion): Observable<Decoded> {
    const payload = this.#subject.coding.plain.codec[method](chunks, this.#subject.validatorCount);
    this.#counter.add({ path: 'plain' });
    return of({ payload, path: 'plain' });
  }

  /**
   * Takes a copy of a chunk: its bytes to a row if it has the rows' length, its proof to the book. What doesn't
   * fit there is copied to memory of its own.
   */
  #hold(chunk: Chunk): HeldChunk {
    // Read once: what is judged is what is handed out, whatever the chunk says when it is asked again.
    const { bytes, chunkIndex, proof: given } = chunk;
    const { length } = bytes;
    const book = this.#bookOf();
    const held = new HeldChunk(this.#keeper, chunkIndex, length);
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

  #drop(held: HeldChunk): void {
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
  #judge(chunks: readonly HeldChunk[]): Observable<readonly VerifyChunkAnswer[]> {
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
    const { recoveryThreshold: maxRows } = this.#parameters;
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

function closedError(): Error {
  return new Error('the work of this recovery is closed');
}
