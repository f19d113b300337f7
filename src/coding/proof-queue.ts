/**
 * @module
 * The one consumer of a recovery's waiting chunks: it takes all of them together, has them hashed, and lets
 * the proof book judge. Fewer and denser batches beat more consumers: rows are hashed four or five at a
 * time, and nodes that proofs share are hashed once.
 */

import { defer, Observable, type Subscriber, Subscription } from 'rxjs';
import type { VerifyChunkAnswer } from '../commitment/verify-chunk.ts';
import type { Chunk } from '../primitives/chunk.ts';
import type { DrainTime } from './kernel-host.ts';
import type { EndOfTurn } from './pool/end-of-turn.ts';

/** A chunk that waits for its answer. */
type Waiting = { readonly chunk: Chunk; readonly subscriber: Subscriber<VerifyChunkAnswer> };

/** What the queue needs. */
export type ProofQueueOptions = {
  readonly drainTime: DrainTime;
  readonly endOfTurn: EndOfTurn;
  /** Makes the copy that is judged, and handed out if it is verified. */
  own(chunk: Chunk): Chunk;
  /** Judges own copies: one value, the answers in the same order. */
  judge(chunks: readonly Chunk[]): Observable<readonly VerifyChunkAnswer[]>;
};

/** The waiting chunks of one recovery. Answers come in the order of asking. */
export class ProofQueue {
  readonly #options: ProofQueueOptions;
  #waiting: Waiting[] = [];
  #isDraining = false;
  #cancelWake: (() => void) | undefined;
  #draining: Subscription = Subscription.EMPTY;

  constructor(options: ProofQueueOptions) {
    this.#options = options;
  }

  /** Asks for a chunk's verdict. The chunk is copied in the turn of the subscription. */
  ask(chunk: Chunk): Observable<VerifyChunkAnswer> {
    return new Observable((subscriber) => {
      const waiting: Waiting = { chunk: this.#options.own(chunk), subscriber };
      this.#waiting.push(waiting);
      subscriber.add(() => {
        this.#waiting = this.#waiting.filter((other) => other !== waiting);
      });
      this.#wake();
    });
  }

  /** Gives up all that waits. */
  close(): void {
    this.#cancelWake?.();
    this.#waiting = [];
    this.#draining.unsubscribe();
  }

  #wake(): void {
    if (this.#isDraining || this.#waiting.length === 0) {
      return;
    }
    const { drainTime, endOfTurn } = this.#options;
    if (drainTime === 'at_once') {
      this.#drain();
    } else {
      this.#cancelWake ??= endOfTurn(() => {
        this.#cancelWake = undefined;
        this.#drain();
      });
    }
  }

  #drain(): void {
    const batch = this.#waiting;
    if (batch.length === 0) {
      return;
    }
    this.#waiting = [];
    this.#isDraining = true;
    let answers: readonly VerifyChunkAnswer[] = [];
    const chunks = batch.map(({ chunk }) => chunk);
    this.#draining = defer(() => this.#options.judge(chunks)).subscribe({
      next: (all) => {
        answers = all;
      },
      error: (error: unknown) => {
        this.#settle(batch, ({ subscriber }) => subscriber.error(error));
      },
      complete: () => {
        this.#settle(batch, ({ subscriber }, i) => {
          const answer = answers[i];
          if (answer === undefined) {
            subscriber.error(new RangeError(`answers: expected ${batch.length}, got ${i}`));
          } else {
            subscriber.next(answer);
            subscriber.complete();
          }
        });
      },
    });
  }

  /** Whoever is told may ask again: at once after the last answer, else in the batch that follows. */
  #settle(batch: readonly Waiting[], tell: (waiting: Waiting, index: number) => void): void {
    const last = batch.length - 1;
    batch.forEach((waiting, i) => {
      if (i === last) {
        this.#isDraining = false;
      }
      tell(waiting, i);
    });
    this.#wake();
  }
}
