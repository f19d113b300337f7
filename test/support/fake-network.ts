/**
 * @module
 * A network of made-up validators for tests of recovery, in virtual time: every answer is synchronous
 * or comes through the scheduler. Records who was asked what and when, and what is still open.
 */

import {
  concatMap,
  defer,
  finalize,
  NEVER,
  type Observable,
  of,
  tap,
  throwError,
  timer,
} from 'rxjs';
import { CodecError } from '../../src/primitives/errors.ts';
import {
  type AuthorityId,
  authorityId,
  chunkIndex,
  type ValidatorIndex,
  validatorIndex,
} from '../../src/primitives/ids.ts';
import {
  type ChunkQuestion,
  type ChunkReply,
  type ChunkSource,
  type DataQuestion,
  type DataReply,
  type DataSource,
  RequestError,
  type RequestErrorCode,
  type Runtime,
} from '../../src/recovery/ports.ts';
import type { TestCandidate } from './candidate-world.ts';

/** How a validator answers. */
export type Behaviour =
  | 'good'
  | 'no_such'
  | 'hang'
  /** One byte of the chunk, or of the PoV, is flipped. */
  | 'flipped'
  /** The genuine chunk of validator 0, whatever was asked. */
  | 'other_chunk'
  | 'undecodable'
  /** The genuine chunk in a version 1 answer: it counts as the chunk of the validator's own number. */
  | 'old'
  | RequestErrorCode;

/** What happened with one question. */
export type AskedQuestion = {
  readonly kind: 'chunk' | 'available_data';
  readonly authority: AuthorityId;
  readonly validatorIndex: ValidatorIndex;
  readonly atMs: number;
  readonly maxBytes?: number;
  readonly dial?: boolean;
};

/** Decides how the `times`-th question (from 0) of this kind to this authority is answered. */
export type BehaviourOf = (question: {
  readonly kind: 'chunk' | 'available_data';
  readonly index: number;
  readonly validatorIndex: ValidatorIndex;
  readonly times: number;
}) => Behaviour | { readonly behaviour: Behaviour; readonly delayMs: number };

/** The authority of a validator index in these tests. */
export function authorityAt(index: number): AuthorityId {
  return authorityId(`v${index}`);
}

/** Both sources over one candidate. */
export class FakeNetwork implements ChunkSource, DataSource {
  /** Every question, in order. */
  readonly asked: AskedQuestion[] = [];
  /** Questions without an answer that nobody gave up. */
  open = 0;
  /** The most of them at one moment. */
  mostOpen = 0;
  /** Questions put while the same one, to the same authority, had no answer. */
  readonly doubled: AskedQuestion[] = [];
  private readonly candidate: TestCandidate;
  private readonly runtime: Runtime;
  private readonly behaviourOf: BehaviourOf;
  private readonly times = new Map<string, number>();
  private readonly openKeys = new Set<string>();

  /** @param behaviourOf - Answers synchronously unless it names a delay. */
  constructor(candidate: TestCandidate, runtime: Runtime, behaviourOf: BehaviourOf) {
    this.candidate = candidate;
    this.runtime = runtime;
    this.behaviourOf = behaviourOf;
  }

  /** See the port. */
  askChunk(question: ChunkQuestion): Observable<ChunkReply> {
    return this.ask('chunk', question, (behaviour) => this.chunkReply(question, behaviour));
  }

  /** See the port. */
  askData(question: DataQuestion): Observable<DataReply> {
    return this.ask('available_data', question, (behaviour) => this.dataReply(question, behaviour));
  }

  /** Validator indices asked for chunks, in order. */
  chunksAsked(): readonly number[] {
    return this.asked.filter(({ kind }) => kind === 'chunk').map((q) => q.validatorIndex);
  }

  /** Authorities asked for the full data, in order. */
  dataAsked(): readonly AuthorityId[] {
    return this.asked.filter(({ kind }) => kind === 'available_data').map((q) => q.authority);
  }

  private ask<Reply>(
    kind: 'chunk' | 'available_data',
    question: ChunkQuestion | DataQuestion,
    answer: (behaviour: Behaviour) => Observable<Reply>,
  ): Observable<Reply> {
    return defer(() => {
      const { authority, validatorIndex } = question;
      const key = `${kind}:${authority}:${validatorIndex}`;
      const times = this.times.get(key) ?? 0;
      this.times.set(key, times + 1);
      const atMs = this.runtime.scheduler.now();
      const asked: AskedQuestion = {
        kind,
        authority,
        validatorIndex,
        atMs,
        ...('dial' in question ? { maxBytes: question.maxBytes, dial: question.dial } : {}),
      };
      this.asked.push(asked);
      if (this.openKeys.has(key)) {
        this.doubled.push(asked);
      }
      this.openKeys.add(key);
      const index = Number(authority.slice(1));
      const chosen = this.behaviourOf({ kind, index, validatorIndex, times });
      this.open += 1;
      this.mostOpen = Math.max(this.mostOpen, this.open);
      const { behaviour, delayMs } =
        typeof chosen === 'string' ? { behaviour: chosen, delayMs: undefined } : chosen;
      const answer$ = defer(() => answer(behaviour));
      const timed$ =
        delayMs === undefined
          ? answer$
          : timer(delayMs, this.runtime.scheduler).pipe(concatMap(() => answer$));
      return timed$.pipe(
        // Answered, though the caller may only stop listening after it has asked somebody else.
        tap(() => this.openKeys.delete(key)),
        finalize(() => {
          this.open -= 1;
          this.openKeys.delete(key);
        }),
      );
    });
  }

  private chunkReply(question: ChunkQuestion, behaviour: Behaviour): Observable<ChunkReply> {
    const { chunks, mapping } = this.candidate;
    const own = mapping.chunkOf(question.validatorIndex);
    const other = mapping.chunkOf(validatorIndex(0));
    const chunk = chunks[behaviour === 'other_chunk' ? other : own];
    if (chunk === undefined) {
      throw new RangeError(`no chunk of validator ${question.validatorIndex}`);
    }
    const bytes = chunk.bytes.length;
    const protocol = 'test/req_chunk/2';
    switch (behaviour) {
      case 'good':
      case 'other_chunk':
        return of({ type: 'chunk', chunk, protocol, bytes });
      case 'old': {
        const asOwn = chunkIndex(question.validatorIndex);
        return of({
          type: 'chunk',
          chunk: { ...chunk, chunkIndex: asOwn },
          protocol: 'test/req_chunk/1',
          bytes,
        });
      }
      case 'flipped':
        return of({
          type: 'chunk',
          chunk: { ...chunk, bytes: flip(chunk.bytes) },
          protocol,
          bytes,
        });
      case 'no_such':
        return of({ type: 'no_such_chunk', protocol, bytes: 1 });
      default:
        return failure(behaviour);
    }
  }

  private dataReply(question: DataQuestion, behaviour: Behaviour): Observable<DataReply> {
    const { data } = this.candidate;
    const bytes = data.pov.blockData.length;
    const protocol = 'test/req_available_data/1';
    const hasData = behaviour === 'good' || behaviour === 'old';
    if (hasData && bytes > question.maxBytes) {
      return throwError(
        () => new RequestError('too_large', 'too large', { announcedBytes: bytes, bytes: 3 }),
      );
    }
    switch (behaviour) {
      case 'good':
      case 'old':
        return of({ type: 'available_data', data, protocol, bytes });
      case 'flipped':
      case 'other_chunk': {
        const pov = { blockData: flip(data.pov.blockData) };
        return of({ type: 'available_data', data: { ...data, pov }, protocol, bytes });
      }
      case 'no_such':
        return of({ type: 'no_such_data', protocol, bytes: 1 });
      default:
        return failure(behaviour);
    }
  }
}

function failure(
  behaviour: Exclude<Behaviour, 'good' | 'old' | 'no_such' | 'flipped' | 'other_chunk'>,
): Observable<never> {
  if (behaviour === 'hang') {
    return NEVER;
  }
  return throwError(() =>
    behaviour === 'undecodable'
      ? new CodecError('unexpected_end', 'cut short', { offset: 0 })
      : new RequestError(behaviour, behaviour, { stage: 'first_byte' }),
  );
}

function flip(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const middle = copy.length >> 1;
  copy[middle] = (copy[middle] ?? 0) ^ 1;
  return copy;
}
