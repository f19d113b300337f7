/**
 * @module
 * Serves chunks and full data from a store. A peer sees an answer, a refusal (the stream is closed
 * without a byte) or a reset, and never a word of our errors.
 */

import type { Connection, Stream } from '@libp2p/interface';
import { pipe } from 'it-pipe';
import type { SchedulerLike } from 'rxjs';
import type { CandidateHash, ValidatorIndex } from '../src/primitives/ids.ts';
import type { Logger, MetricsSink, ServedStore } from '../src/recovery/ports.ts';
import { Admission, type ServedKind } from './admission.ts';
import { OpenStreams } from './exchange.ts';
import { firstValue } from './first-value.ts';
import { MAX_NEGOTIATION_MS, MAX_UNREAD_BYTES, type PeerLimits } from './limits.ts';
import {
  decodeChunkRequest,
  decodeDataRequest,
  encodeChunkResponseV1,
  encodeChunkResponseV2,
  encodeDataResponse,
} from './messages.ts';
import { ReadError, readMessage } from './read-message.ts';
import type { ServedEvent, ServedOutcome, ServedReason } from './served-event.ts';
import { byteLength, drainTo, frameParts, PIECE_BYTES, pieces } from './write-message.ts';

/** What a responder works with. */
export type ResponderInit = {
  /** Without one, chunk requests are refused and data requests get NoSuchData (recovery spec §5.1). */
  readonly store?: ServedStore | undefined;
  readonly limits: PeerLimits;
  readonly scheduler: SchedulerLike;
  readonly logger: Logger;
  readonly metrics: MetricsSink;
  /** Told once per inbound request. An exception in it is logged and ignored. */
  readonly onServed?: ((event: ServedEvent) => void) | undefined;
};

/** Which of the three protocols a name stands for. */
export type ServedProtocol = 'req_chunk/2' | 'req_chunk/1' | 'req_available_data/1';

/** A request as it was understood. */
type Understood = {
  readonly candidateHash: CandidateHash;
  readonly validatorIndex?: ValidatorIndex;
};

/** What is sent for it. */
type Answer = { readonly outcome: ServedOutcome; readonly parts: readonly Uint8Array[] };

/** Ends the work on a request on purpose: without a byte, or with a reset. */
class Decline extends Error {
  override readonly name = 'Decline';
  readonly outcome: 'refused' | 'failed';
  readonly reason: ServedReason;

  constructor(outcome: 'refused' | 'failed', reason: ServedReason, cause?: unknown) {
    super(`${outcome}: ${reason}`, cause === undefined ? undefined : { cause });
    this.outcome = outcome;
    this.reason = reason;
  }
}

/** One inbound request while it is being served. */
type Serving = {
  readonly protocol: ServedProtocol;
  readonly stream: Stream;
  readonly peerId: string;
  readonly signal: AbortSignal;
  readonly openedAtMs: number;
  understood?: Understood;
  storeFailed?: boolean;
  acceptedBytes: number;
};

/** Serves inbound streams. */
export class Responder {
  readonly #init: ResponderInit;
  readonly #admission: Admission;
  readonly #streams: OpenStreams;
  readonly #controllers = new Set<AbortController>();

  /** Serves nothing yet. */
  constructor(init: ResponderInit) {
    this.#init = init;
    this.#admission = new Admission(init.limits);
    this.#streams = new OpenStreams(init.scheduler, init.limits.lingerMs);
  }

  /** Streams, requests and reserved bytes that are not done. For tests. */
  get openCount(): number {
    return this.#streams.count + this.#controllers.size + this.#admission.openCount;
  }

  /** Resets everything that is being served. */
  abortAll(): void {
    for (const controller of [...this.#controllers]) {
      controller.abort(new Decline('failed', 'stopped'));
    }
    this.#streams.abortAll();
  }

  /**
   * Serves one inbound stream to its end. Never rejects: an exception in a handler would reset the
   * stream, which is something else than the refusal that we may owe.
   */
  async serve(protocol: ServedProtocol, stream: Stream, connection: Connection): Promise<void> {
    const { scheduler } = this.#init;
    const deadlineMs = this.#deadlineOf(protocol);
    const ageMs = Math.min(ageOf(stream, scheduler.now()), deadlineMs);
    const controller = new AbortController();
    const timer = scheduler.schedule(
      () => controller.abort(new Decline('failed', 'deadline')),
      deadlineMs - ageMs,
    );
    this.#controllers.add(controller);
    stream.maxReadBufferLength = MAX_UNREAD_BYTES;
    const onAbort = (): void => stream.abort(new Error('not served in time'));
    controller.signal.addEventListener('abort', onAbort, { once: true });
    this.#streams.follow(stream, () => controller.abort(new Decline('failed', 'reset')));
    const serving: Serving = {
      protocol,
      stream,
      peerId: connection.remotePeer.toString(),
      signal: controller.signal,
      openedAtMs: scheduler.now() - ageMs,
      acceptedBytes: 0,
    };
    try {
      await this.#conclude(serving, await this.#attempt(serving));
    } finally {
      controller.signal.removeEventListener('abort', onAbort);
      this.#controllers.delete(controller);
      timer.unsubscribe();
    }
  }

  async #attempt(serving: Serving): Promise<Answer | Decline> {
    try {
      return await this.#answerWithin(serving);
    } catch (error: unknown) {
      const reason: unknown = serving.signal.aborted ? serving.signal.reason : error;
      return reason instanceof Decline ? reason : new Decline('failed', 'reset', reason);
    }
  }

  async #answerWithin(serving: Serving): Promise<Answer> {
    const { protocol, peerId: peer, signal } = serving;
    const release = await this.#admission.enter({ protocol, kind: kindOf(protocol), peer }, signal);
    if (release === undefined) {
      throw new Decline('refused', 'busy');
    }
    try {
      serving.understood = await this.#readRequest(serving);
      const answer = await this.#lookUp(serving, serving.understood);
      await this.#write(serving, answer);
      return answer;
    } finally {
      release();
    }
  }

  async #readRequest(serving: Serving): Promise<Understood> {
    const { limits, scheduler } = this.#init;
    const { stream, signal } = serving;
    const controller = new AbortController();
    const abort = (): void => controller.abort(signal.reason);
    const spentMs = scheduler.now() - serving.openedAtMs;
    const timer = scheduler.schedule(
      () => controller.abort(new Decline('failed', 'deadline')),
      Math.max(0, limits.readRequestDeadlineMs - spentMs),
    );
    signal.addEventListener('abort', abort, { once: true });
    try {
      const message = await readMessage(stream, {
        limit: limits.maxRequestBytes,
        signal: controller.signal,
      });
      // Whatever follows a request is dropped, not collected.
      stream.closeRead().catch(() => {});
      return decodeRequest(serving.protocol, message);
    } catch (error: unknown) {
      throw declineOfRead(error);
    } finally {
      signal.removeEventListener('abort', abort);
      timer.unsubscribe();
    }
  }

  async #lookUp(serving: Serving, understood: Understood): Promise<Answer> {
    const { store } = this.#init;
    const { protocol, signal } = serving;
    const { candidateHash, validatorIndex } = understood;
    if (validatorIndex === undefined) {
      const held = await this.#load(serving, () =>
        store === undefined
          ? Promise.resolve(undefined)
          : firstValue(store.serveAvailableData(candidateHash), signal),
      );
      const outcome = held === undefined ? 'no_such_data' : 'answered';
      return { outcome, parts: encodeDataResponse(held) };
    }
    if (store === undefined) {
      throw new Decline('refused', 'no_store');
    }
    const encode = protocol === 'req_chunk/2' ? encodeChunkResponseV2 : encodeChunkResponseV1;
    const answer = await this.#load(serving, async (): Promise<Answer> => {
      const held = await firstValue(store.serveChunk(candidateHash, validatorIndex), signal);
      // A chunk out of the bounds of the wire throws here: as good as a store that failed.
      return { outcome: held === undefined ? 'no_such_chunk' : 'answered', parts: [encode(held)] };
    });
    return answer ?? { outcome: 'no_such_chunk', parts: [encode(undefined)] };
  }

  /** Spec: recovery spec §1.7: a store that fails refuses chunks, and answers NoSuchData for data. */
  async #load<T>(serving: Serving, load: () => Promise<T | undefined>): Promise<T | undefined> {
    try {
      return await load();
    } catch (error: unknown) {
      serving.signal.throwIfAborted();
      serving.storeFailed = true;
      this.#init.logger.warn('store_failed', { protocol: serving.protocol, error });
      if (kindOf(serving.protocol) === 'chunk') {
        throw new Decline('refused', 'store_failed', error);
      }
      return undefined;
    }
  }

  async #write(serving: Serving, answer: Answer): Promise<void> {
    const { stream, signal, protocol } = serving;
    const bytes = byteLength(answer.parts);
    if (bytes > this.#init.limits.maxResponseBytes) {
      throw new Decline('refused', 'answer_too_large');
    }
    const framed = frameParts(answer.parts);
    const giveBack = this.#admission.reserve(kindOf(protocol), byteLength(framed));
    if (giveBack === undefined) {
      throw new Decline('refused', 'pending_bytes');
    }
    const prefixBytes = byteLength(framed) - bytes;
    let accepted = 0;
    const onAccepted = (pieceBytes: number): void => {
      giveBack(pieceBytes);
      accepted += pieceBytes;
      serving.acceptedBytes = Math.max(0, accepted - prefixBytes);
    };
    try {
      await pipe(pieces(framed, PIECE_BYTES), drainTo(stream, signal, onAccepted));
    } finally {
      giveBack();
    }
    try {
      await stream.close({ signal });
    } catch {
      // Every byte was accepted: a reset from here on is the peer having read enough. Our own
      // deadline is another matter, since bytes may be left in the stream.
      if (signal.reason instanceof Decline && signal.reason.reason !== 'reset') {
        throw signal.reason;
      }
    }
  }

  async #conclude(serving: Serving, result: Answer | Decline): Promise<void> {
    const { stream } = serving;
    if (result instanceof Decline && result.outcome === 'failed') {
      stream.abort(result);
    } else {
      this.#streams.settle(stream);
    }
    this.#tell(serving, result);
  }

  #tell(serving: Serving, result: Answer | Decline): void {
    const { metrics, logger, onServed, scheduler } = this.#init;
    const ms = Math.max(0, scheduler.now() - serving.openedAtMs);
    const reason =
      result instanceof Decline ? result.reason : serving.storeFailed ? 'store_failed' : undefined;
    const event: ServedEvent = {
      protocol: serving.stream.protocol,
      peerId: serving.peerId,
      ...serving.understood,
      outcome: result.outcome,
      ...(reason === undefined ? {} : { reason }),
      bytes: serving.acceptedBytes,
      ms,
    };
    const labels = { protocol: serving.protocol };
    metrics.increment('reqresp_incoming_requests_total', labels);
    metrics.observe('reqresp_incoming_seconds', ms / 1_000, labels);
    metrics.increment('reqresp_incoming_bytes_total', labels, event.bytes);
    if (event.outcome === 'refused') {
      metrics.increment('reqresp_incoming_refused_total', { ...labels, reason: reason ?? '' });
    }
    logger.debug('served', event);
    try {
      onServed?.(event);
    } catch (error: unknown) {
      logger.error('on_served_failed', { error });
    }
  }

  #deadlineOf(protocol: ServedProtocol): number {
    const { limits } = this.#init;
    return kindOf(protocol) === 'chunk' ? limits.serveChunkDeadlineMs : limits.serveDataDeadlineMs;
  }
}

/**
 * How long a stream has been open: it was, before its name was negotiated. What no stream can be is the
 * word of another clock, or of one that was set: then it counts from here.
 */
function ageOf(stream: Stream, nowMs: number): number {
  const ageMs = nowMs - stream.timeline.open;
  return ageMs >= 0 && ageMs <= MAX_NEGOTIATION_MS ? ageMs : 0;
}

function kindOf(protocol: ServedProtocol): ServedKind {
  return protocol === 'req_available_data/1' ? 'available_data' : 'chunk';
}

function decodeRequest(protocol: ServedProtocol, message: Uint8Array): Understood {
  try {
    return kindOf(protocol) === 'chunk'
      ? decodeChunkRequest(message)
      : { candidateHash: decodeDataRequest(message) };
  } catch (error: unknown) {
    throw new Decline('refused', 'undecodable', error);
  }
}

/** Spec: recovery spec §1.7: a broken frame is a stream error, an empty stream is none. */
function declineOfRead(error: unknown): unknown {
  if (!(error instanceof ReadError)) {
    return error;
  }
  switch (error.code) {
    case 'refused':
      return new Decline('refused', 'empty');
    case 'bad_prefix':
    case 'too_large':
    case 'truncated':
      return new Decline('failed', error.code, error);
    case 'reset':
    case 'connection_closed':
      return new Decline('failed', 'reset', error);
  }
}
