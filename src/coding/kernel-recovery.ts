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
  scan,
  takeUntil,
  throwError,
} from 'rxjs';
import { ProofBook } from '../commitment/proof-book.ts';
import type { VerifyChunkAnswer } from '../commitment/verify-chunk.ts';
import type { CodeParameters } from '../erasure/index.ts';
import { rowStride } from '../erasure/kernel/index.ts';
import type { Chunk, VerifiedChunk } from '../primitives/chunk.ts';
import { ArenaTooSmallError } from './arena-queue.ts';
import { type HashedChunk, hashChunks } from './chunk-hasher.ts';
import { ChunkRows } from './chunk-rows.ts';
import { type DecodeInput, decodeOnArena } from './decode-run.ts';
import type {
  Decoded,
  DecodeQuestion,
  RecoveryWork,
  WorkSubject,
  WorkTally,
} from './erasure-work.ts';
import type { KernelHost } from './kernel-host.ts';
import { hashStrings } from './node-hasher.ts';
import { ownChunk } from './own-chunk.ts';
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
  readonly #queue: ProofQueue;
  /** Hashes of the chunks that were verified here. */
  readonly #digests = new WeakMap<VerifiedChunk, Uint8Array>();
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
      own: (chunk) => {
        const own = ownChunk(chunk);
        this.#counter.add({ load: own.copiedBytes });
        return own.chunk;
      },
      judge: (chunks) => this.#judge(chunks),
    });
  }

  get tally(): WorkTally {
    return this.#counter.tally;
  }

  verify(chunk: Chunk): Observable<VerifyChunkAnswer> {
    return this.#whileOpen(() => this.#queue.ask(chunk));
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
        digests: received.chunks.map((chunk) => this.#digests.get(chunk)),
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
      this.#closed$.error(closedError());
      this.#queue.close();
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

  /** Judges a batch: the chunks of the recovery's length on the kernel, others by the plain commitment. */
  #judge(chunks: readonly Chunk[]): Observable<readonly VerifyChunkAnswer[]> {
    const rows = this.#rowsFor(chunks);
    this.#counter.add({ hashedChunks: chunks.length });
    if (rows === undefined) {
      return of(chunks.map((chunk) => this.#verifyPlainly(chunk)));
    }
    const regular = chunks.filter(({ bytes }) => bytes.length === rows.chunkBytes);
    this.#counter.add({ load: rows.chunkBytes * regular.length });
    const bytes = regular.map((chunk) => chunk.bytes);
    return hashChunks(this.#host, rows, bytes).pipe(
      scan<readonly HashedChunk[], readonly VerifyChunkAnswer[]>((answers, part) => {
        const some = regular.slice(answers.length, answers.length + part.length);
        return [...answers, ...this.#judgeHashed(rows, some, part)];
      }, []),
      last(),
      map((answers) => {
        const byChunk = new Map(regular.map((chunk, i) => [chunk, answers[i]]));
        return chunks.map((chunk) => byChunk.get(chunk) ?? this.#verifyPlainly(chunk));
      }),
    );
  }

  /** Judges chunks that were hashed, and keeps the rows of the verified. */
  #judgeHashed(
    rows: ChunkRows,
    chunks: readonly Chunk[],
    hashed: readonly HashedChunk[],
  ): readonly VerifyChunkAnswer[] {
    const batch = chunks.flatMap((chunk, i) => {
      const digest = hashed[i]?.digest;
      return digest === undefined ? [] : [{ chunk, digest }];
    });
    const answers = this.#bookOf().verify(batch);
    answers.forEach((answer, i) => {
      const { digest, row } = hashed[i] ?? {};
      if (answer.type === 'verified' && digest !== undefined) {
        this.#digests.set(answer.chunk, digest);
      }
      if (row !== undefined && answer.type === 'verified') {
        rows.keep(answer.chunk.chunkIndex, row);
      } else if (row !== undefined) {
        rows.give(row);
      }
    });
    return answers;
  }

  /** Made when the first chunk is judged: a recovery that never sees one costs nothing. */
  #bookOf(): ProofBook {
    const { erasureRoot, validatorCount } = this.#subject;
    this.#book ??= new ProofBook(erasureRoot, validatorCount, hashStrings(this.#host.context));
    return this.#book;
  }

  #verifyPlainly(chunk: Chunk): VerifyChunkAnswer {
    const { coding, erasureRoot, validatorCount } = this.#subject;
    return coding.plain.commitment.verifyChunk({ erasureRoot, chunk, validatorCount });
  }

  /**
   * The rows for a batch. Their length is that of the first verified chunk; until there is one, that of
   * most chunks of the batch, so that a liar's length does not stay.
   */
  #rowsFor(chunks: readonly Chunk[]): ChunkRows | undefined {
    if (this.#rows?.isEmpty === false) {
      return this.#rows;
    }
    const chunkBytes = mostCommonLength(chunks);
    if (this.#rows?.chunkBytes !== chunkBytes) {
      this.#rows?.close();
      this.#rows =
        chunkBytes === 0
          ? undefined
          : new ChunkRows(this.#host.queue, {
              chunkBytes,
              stride: rowStride(chunkBytes),
              maxRows: this.#parameters.recoveryThreshold,
            });
    }
    return this.#rows;
  }
}

function mostCommonLength(chunks: readonly Chunk[]): number {
  const groups = [...Map.groupBy(chunks, ({ bytes }) => bytes.length)];
  const largest = groups.reduce<readonly [number, readonly Chunk[]]>(
    (best, next) => (next[1].length > best[1].length ? next : best),
    [0, []],
  );
  return largest[0];
}

function closedError(): Error {
  return new Error('the work of this recovery is closed');
}
