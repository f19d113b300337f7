/**
 * @module
 * Asks validators for chunks and for full data. One deadline covers lookup, dialing, negotiation and
 * answer; soft timeouts, retries and the choice of peers belong to the strategies.
 */

import type { Connection } from '@libp2p/interface';
import {
  catchError,
  defaultIfEmpty,
  defer,
  finalize,
  fromEvent,
  map,
  type Observable,
  race,
  type SchedulerLike,
  Subject,
  switchMap,
  take,
  tap,
  throwError,
} from 'rxjs';
import { CodecError, hasCode } from '../src/primitives/errors.ts';
import type { AuthorityId } from '../src/primitives/ids.ts';
import { fromAbortable } from '../src/recovery/from-abortable.ts';
import {
  type ChunkQuestion,
  type ChunkReply,
  type ChunkSource,
  type DataQuestion,
  type DataReply,
  type DataSource,
  type MetricsSink,
  type PeerLocation,
  RequestError,
  type SessionDirectory,
} from '../src/recovery/ports.ts';
import { errorOf } from './abort-reason.ts';
import { Connector, type PeerTarget, targetOf } from './connector.ts';
import { type ExchangeAnswer, exchange, OpenStreams } from './exchange.ts';
import type { PeerLimits } from './limits.ts';
import {
  decodeChunkResponseV1,
  decodeChunkResponseV2,
  decodeDataResponse,
  encodeChunkRequest,
  encodeDataRequest,
} from './messages.ts';
import type { ProtocolNames } from './names.ts';
import type { PeerNetwork } from './network.ts';
import { RequestProgress } from './request-progress.ts';
import { Slots } from './slots.ts';
import { TurnPacer } from './turn-pacer.ts';

/** What a requester works with. */
export type RequesterInit = {
  readonly network: PeerNetwork;
  readonly directory: SessionDirectory;
  readonly names: ProtocolNames;
  readonly limits: PeerLimits;
  readonly scheduler: SchedulerLike;
  readonly metrics: MetricsSink;
};

/** One request in the terms of the wire. */
type WireRequest = {
  /** Metric label. */
  readonly kind: 'req_chunk' | 'req_available_data';
  readonly authority: AuthorityId;
  /** Each list is one negotiation; the next is tried when the peer knows no name of it. */
  readonly names: readonly (readonly string[])[];
  readonly request: Uint8Array;
  readonly limit: number;
  readonly deadlineMs: number;
  readonly dial: boolean;
};

/**
 * Sources over libp2p, with the guarantees of the ports. Never remembers which version a peer speaks:
 * every chunk request begins with `/2` (recovery spec §1.5).
 */
export class Requester implements ChunkSource, DataSource {
  readonly #init: RequesterInit;
  readonly #connector: Connector;
  readonly #streams: OpenStreams;
  readonly #slots: Slots;
  readonly #pacer: TurnPacer;
  readonly #stopping$ = new Subject<void>();
  #runningCount = 0;
  #isStopped = false;

  /** Asks nothing yet. */
  constructor(init: RequesterInit) {
    const { limits, scheduler } = init;
    this.#init = init;
    this.#connector = new Connector(init.network);
    this.#streams = new OpenStreams(scheduler, limits.lingerMs);
    this.#slots = new Slots({ running: limits.maxOutboundStreamsPerPeer, waiting: Infinity });
    this.#pacer = new TurnPacer(limits.requestStartsPerTurn, scheduler);
  }

  /** Streams of ours that have not ended, and requests that are running. For tests. */
  get openCount(): number {
    return this.#streams.count + this.#runningCount + this.#slots.runningCount;
  }

  /** Asks for the chunk of one validator; dials if needed. */
  askChunk(question: ChunkQuestion): Observable<ChunkReply> {
    const { names, limits } = this.#init;
    return this.#ask(() => ({
      kind: 'req_chunk',
      authority: question.authority,
      names: [[names.chunkV2], [names.chunkV1, names.chunkV1Legacy]],
      request: encodeChunkRequest(question),
      limit: Math.min(question.maxBytes, limits.maxResponseBytes),
      deadlineMs: limits.chunkDeadlineMs,
      dial: true,
    })).pipe(map((answer) => this.#chunkReply(question, answer)));
  }

  /** Asks for the full data; dials if the question says so. */
  askData(question: DataQuestion): Observable<DataReply> {
    const { names, limits } = this.#init;
    return this.#ask(() => ({
      kind: 'req_available_data',
      authority: question.authority,
      names: [[names.availableData, names.availableDataLegacy]],
      request: encodeDataRequest(question.candidateHash),
      limit: Math.min(question.maxBytes, limits.maxResponseBytes),
      deadlineMs: limits.dataDeadlineMs,
      dial: question.dial,
    })).pipe(map(dataReply));
  }

  /** Takes requests, again after {@link stop}; a new requester does so from the beginning. */
  start(): void {
    this.#isStopped = false;
  }

  /** Ends what is running, and whatever is asked from now on, with `cancelled`; resets every stream. */
  stop(): void {
    this.#isStopped = true;
    this.#stopping$.next();
    this.#streams.abortAll();
  }

  #ask(describe: () => WireRequest): Observable<ExchangeAnswer> {
    return defer(() => {
      const wire = describe();
      const progress = new RequestProgress(this.#init.scheduler);
      if (this.#isStopped) {
        throw progress.error('cancelled');
      }
      const stopped$ = this.#stopping$.pipe(
        switchMap(() => throwError(() => progress.error('cancelled'))),
      );
      const controller = new AbortController();
      // One timer from beginning to end: a clock that jumps neither lengthens nor shortens it.
      const deadline = this.#init.scheduler.schedule(
        () => controller.abort(progress.deadlineError()),
        wire.deadlineMs,
      );
      const answer$ = race(this.#locate(wire, progress), abortOf(controller.signal)).pipe(
        switchMap((location) =>
          fromAbortable((unsubscribed) => {
            const cancel = (): void => controller.abort(progress.error('cancelled'));
            unsubscribed.addEventListener('abort', cancel, { once: true });
            return this.#run(wire, location, progress, controller.signal);
          }),
        ),
      );
      this.#runningCount += 1;
      return race(answer$, stopped$).pipe(
        tap({
          next: () => this.#count(wire, progress),
          error: (error: unknown) => this.#count(wire, progress, error),
        }),
        finalize(() => {
          this.#runningCount -= 1;
          deadline.unsubscribe();
        }),
      );
    });
  }

  #count(wire: WireRequest, progress: RequestProgress, error?: unknown): void {
    const { metrics } = this.#init;
    const labels = { protocol: wire.kind };
    metrics.increment('reqresp_outgoing_requests_total', labels);
    metrics.observe('reqresp_outgoing_seconds', progress.elapsedMs() / 1_000, labels);
    metrics.increment('reqresp_outgoing_bytes_total', labels, progress.bytes);
    if (error instanceof RequestError) {
      const { stage } = progress;
      metrics.increment('reqresp_outgoing_errors_total', { ...labels, code: error.code, stage });
    }
  }

  /** Waits for the request's turn, and looks the peer up. */
  #locate(wire: WireRequest, progress: RequestProgress): Observable<PeerLocation | undefined> {
    const { directory } = this.#init;
    return this.#pacer.turn().pipe(
      switchMap(() => {
        progress.stage = 'dial';
        return directory.locate(wire.authority).pipe(take(1), defaultIfEmpty(undefined));
      }),
      catchError((cause: unknown) => throwError(() => progress.error('dial_failed', cause))),
    );
  }

  async #run(
    wire: WireRequest,
    location: PeerLocation | undefined,
    progress: RequestProgress,
    signal: AbortSignal,
  ): Promise<ExchangeAnswer> {
    const target = location === undefined ? undefined : targetOf(location);
    if (target === undefined) {
      throw progress.error('dial_failed');
    }
    return await this.#converse(wire, target, progress, signal);
  }

  /**
   * One redial when the connection turns out to be gone: a node closes one that has been idle for
   * 10 s without saying so, and our request may race that (network spec §5.4). The redial begins with
   * `/2` again.
   */
  async #converse(
    wire: WireRequest,
    target: PeerTarget,
    progress: RequestProgress,
    signal: AbortSignal,
  ): Promise<ExchangeAnswer> {
    const options = { dial: wire.dial, signal, progress };
    const connection = await this.#connector.connect(target, options);
    try {
      return await this.#askOn(connection, wire, progress, signal);
    } catch (error: unknown) {
      if (!hasCode(error, 'connection_closed') || !wire.dial || signal.aborted) {
        throw error;
      }
      const fresh = await this.#connector.connect(target, { ...options, spent: connection });
      return await this.#askOn(fresh, wire, progress, signal);
    }
  }

  /** Tries each list of names; only a refusal in negotiation leads to the next (recovery spec §1.5). */
  async #askOn(
    connection: Connection,
    wire: WireRequest,
    progress: RequestProgress,
    signal: AbortSignal,
  ): Promise<ExchangeAnswer> {
    let unsupported: unknown;
    for (const names of wire.names) {
      progress.stage = 'negotiate';
      const release = await this.#slots.take(connection.remotePeer.toString(), signal);
      try {
        return await exchange(connection, this.#streams, {
          names,
          request: wire.request,
          limit: wire.limit,
          signal,
          progress,
          onEnd: () => release?.(),
        });
      } catch (error: unknown) {
        if (!hasCode(error, 'unsupported_protocol')) {
          throw error;
        }
        unsupported = error;
      }
    }
    throw unsupported;
  }

  #chunkReply(question: ChunkQuestion, answer: ExchangeAnswer): ChunkReply {
    const { protocol, message } = answer;
    // A /1 answer carries no chunk index: it is taken to be the validator index (recovery spec §1.4).
    const chunk = decodeAnswer(answer, () =>
      protocol === this.#init.names.chunkV2
        ? decodeChunkResponseV2(message)
        : decodeChunkResponseV1(message, question.validatorIndex),
    );
    const bytes = message.length;
    return chunk === undefined
      ? { type: 'no_such_chunk', protocol, bytes }
      : { type: 'chunk', chunk, protocol, bytes };
  }
}

function dataReply(answer: ExchangeAnswer): DataReply {
  const { protocol, message } = answer;
  const data = decodeAnswer(answer, () => decodeDataResponse(message));
  const bytes = message.length;
  return data === undefined
    ? { type: 'no_such_data', protocol, bytes }
    : { type: 'available_data', data, protocol, bytes };
}

/** Errors with the signal's reason when it aborts. */
function abortOf(signal: AbortSignal): Observable<never> {
  return fromEvent(signal, 'abort').pipe(switchMap(() => throwError(() => errorOf(signal.reason))));
}

/** Adds to the decoder's error where the bytes came from: an account names protocol and size. */
function decodeAnswer<T>(answer: ExchangeAnswer, decode: () => T): T {
  try {
    return decode();
  } catch (error: unknown) {
    if (!(error instanceof CodecError)) {
      throw error;
    }
    const { protocol, message } = answer;
    const details = { ...error.details, protocol, bytes: message.length };
    throw new CodecError(error.code, error.message, details, error);
  }
}
