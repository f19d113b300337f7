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

/** One asking that waits for its answers: about one chunk, or several. */
type Waiting<Own> =
  | { readonly own: Own; readonly subscriber: Subscriber<VerifyChunkAnswer> }
  | {
      readonly owns: readonly Own[];
      readonly subscriber: Subscriber<readonly VerifyChunkAnswer[]>;
    };

/** What the queue needs. */
export type ProofQueueOptions<Own> = {
  readonly drainTime: DrainTime;
  readonly endOfTurn: EndOfTurn;
  /** Makes the copy that is judged, and handed out if it is verified. */
  own(chunk: Chunk): Own;
  /** Judges own copies: one value, the answers in the same order. */
  judge(chunks: readonly Own[]): Observable<readonly VerifyChunkAnswer[]>;
  /** A copy is not to be judged: whoever asked has left. */
  drop(own: Own): void;
};

/** The waiting chunks of one recovery. Answers come in the order of asking. */
export class ProofQueue<Own> {
  readonly #options: ProofQueueOptions<Own>;
  #waiting: Waiting<Own>[] = [];
  #judged: readonly Waiting<Own>[] = [];
  #isDraining = false;
  #closed: (() => Error) | undefined;
  #cancelWake: (() => void) | undefined;
  #draining: Subscription = Subscription.EMPTY;

  constructor(options: ProofQueueOptions<Own>) {
    this.#options = options;
  }

  /**
   * Asks for a chunk's verdict. The chunk is copied in the turn of the subscription. Who leaves is found out when
   * the batch is taken: a teardown for each would cost more than the rest of the asking.
   */
  ask(chunk: Chunk): Observable<VerifyChunkAnswer> {
    return new Observable((subscriber) => {
      this.#enter(subscriber, () => ({ own: this.#options.own(chunk), subscriber }));
    });
  }

  /** Asks for the verdicts of several chunks, which come together. Otherwise as {@link ask}. */
  askAll(chunks: readonly Chunk[]): Observable<readonly VerifyChunkAnswer[]> {
    return new Observable((subscriber) => {
      if (chunks.length === 0) {
        subscriber.next([]);
        subscriber.complete();
        return;
      }
      this.#enter(subscriber, () => ({
        owns: chunks.map((chunk) => this.#options.own(chunk)),
        subscriber,
      }));
    });
  }

  #enter(subscriber: Subscriber<unknown>, take: () => Waiting<Own>): void {
    if (this.#closed !== undefined) {
      subscriber.error(this.#closed());
      return;
    }
    this.#waiting.push(take());
    this.#wake();
  }

  /** Gives up all that waits: whoever asked, and whoever asks later, gets the error. */
  close(error: () => Error): void {
    if (this.#closed === undefined) {
      this.#closed = error;
      this.#cancelWake?.();
      this.#draining.unsubscribe();
      const all = [...this.#judged, ...this.#waiting];
      this.#waiting = [];
      this.#judged = [];
      for (const { subscriber } of all) {
        subscriber.error(error());
      }
    }
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
    const batch = this.#waiting.filter((waiting) => {
      if (waiting.subscriber.closed) {
        for (const own of ownsOf(waiting)) {
          this.#options.drop(own);
        }
      }
      return !waiting.subscriber.closed;
    });
    this.#waiting = [];
    if (batch.length === 0) {
      return;
    }
    this.#judged = batch;
    this.#isDraining = true;
    let answers: readonly VerifyChunkAnswer[] = [];
    const chunks = batch.flatMap(ownsOf);
    this.#draining = defer(() => this.#options.judge(chunks)).subscribe({
      next: (all) => {
        answers = all;
      },
      error: (error: unknown) => {
        this.#settle(batch, ({ subscriber }) => subscriber.error(error));
      },
      complete: () => {
        let at = 0;
        this.#settle(batch, (waiting) => {
          if (answers.length < chunks.length) {
            const text = `answers: expected ${chunks.length}, got ${answers.length}`;
            waiting.subscriber.error(new RangeError(text));
            return;
          }
          at = answer(waiting, answers, at);
        });
      },
    });
  }

  /** Whoever is told may ask again: at once after the last answer, else in the batch that follows. */
  #settle(batch: readonly Waiting<Own>[], tell: (waiting: Waiting<Own>) => void): void {
    const last = batch.length - 1;
    this.#judged = [];
    batch.forEach((waiting, i) => {
      if (i === last) {
        this.#isDraining = false;
      }
      tell(waiting);
    });
    this.#wake();
  }
}

function ownsOf<Own>(waiting: Waiting<Own>): readonly Own[] {
  return 'owns' in waiting ? waiting.owns : [waiting.own];
}

/** Hands an asking its answers, which begin at `at`. @returns Where the next begin. */
function answer<Own>(
  waiting: Waiting<Own>,
  answers: readonly VerifyChunkAnswer[],
  at: number,
): number {
  if ('owns' in waiting) {
    const end = at + waiting.owns.length;
    waiting.subscriber.next(answers.slice(at, end));
    waiting.subscriber.complete();
    return end;
  }
  const [one] = answers.slice(at, at + 1);
  if (one !== undefined) {
    waiting.subscriber.next(one);
  }
  waiting.subscriber.complete();
  return at + 1;
}
