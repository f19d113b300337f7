/**
 * @module
 * The work of one recovery on the kernel: chunks are copied into the arena and hashed as they come, so that
 * after the last one only decoding and the check are left.
 */

import {
  catchError,
  defer,
  type MonoTypeOperatorFunction,
  type Observable,
  of,
  Subject,
  takeUntil,
  throwError,
} from 'rxjs';
import type { VerifyChunkAnswer } from '../commitment/verify-chunk.ts';
import type { CodeParameters } from '../erasure/index.ts';
import type { Chunk } from '../primitives/chunk.ts';
import { ArenaTooSmallError } from './arena-queue.ts';
import { ChunkIntake } from './chunk-intake.ts';
import { type DecodeInput, decodeOnArena } from './decode-run.ts';
import type {
  Decoded,
  DecodeQuestion,
  RecoveryWork,
  WorkSubject,
  WorkTally,
} from './erasure-work.ts';
import type { HeldChunk } from './held-chunk.ts';
import type { KernelHost } from './kernel-host.ts';
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
  readonly #intake: ChunkIntake;
  #isClosed = false;

  constructor(host: KernelHost, subject: WorkSubject) {
    this.#host = host;
    this.#subject = subject;
    this.#parameters = subject.coding.codec.parameters(subject.validatorCount);
    this.#intake = new ChunkIntake(host, subject, this.#counter);
    this.#queue = new ProofQueue({
      drainTime: host.drainTime,
      endOfTurn: host.endOfTurn,
      own: (chunk) => this.#intake.hold(chunk),
      judge: (chunks) => this.#intake.judge(chunks),
      drop: (chunk) => this.#intake.drop(chunk),
    });
  }

  get tally(): WorkTally {
    return this.#counter.tally;
  }

  verify(chunk: Chunk): Observable<VerifyChunkAnswer> {
    return this.#queue.ask(chunk);
  }

  verifyAll(chunks: readonly Chunk[]): Observable<readonly VerifyChunkAnswer[]> {
    return this.#queue.askAll(chunks);
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
        rows: this.#intake.rowsOf(received.chunkBytes),
        keeper: this.#intake.keeper,
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
      this.#intake.close();
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
}

function closedError(): Error {
  return new Error('the work of this recovery is closed');
}
