/**
 * @module
 * One question and its answer on one fresh stream of a given connection, and what becomes of the
 * stream afterwards. Knows no message, no deadline and no retry.
 */

import type { Connection, Stream } from '@libp2p/interface';
import type { SchedulerLike, Subscription } from 'rxjs';
import { hasCode } from '../src/primitives/errors.ts';
import type { RequestErrorCode } from '../src/recovery/ports.ts';
import { errorOf } from './abort-reason.ts';
import { encodeFrame } from './framing.ts';
import { ReadError, readMessage } from './read-message.ts';
import type { RequestProgress } from './request-progress.ts';

/** What to ask, and by when to give up. */
export type ExchangeInit = {
  /** Protocol names in order of preference; the peer takes the first that it knows. */
  readonly names: readonly string[];
  /** The request, without its length prefix. */
  readonly request: Uint8Array;
  /** Largest answer accepted, in bytes. */
  readonly limit: number;
  /** Ends the exchange, at any point. */
  readonly signal: AbortSignal;
  /** Kept up to date, so that the deadline can say where we were. */
  readonly progress: RequestProgress;
};

/** What came back. */
export type ExchangeAnswer = {
  /** The name that the peer took. */
  readonly protocol: string;
  /** The answer without its length prefix. */
  readonly message: Uint8Array;
};

/**
 * Streams that were opened and have not ended. An answered stream stays here until the peer has ended
 * its side too, or until it is reset for taking too long.
 */
export class OpenStreams {
  readonly #scheduler: SchedulerLike;
  readonly #lingerMs: number;
  readonly #streams = new Set<Stream>();

  /** @param lingerMs - How long a stream may stay half open after its answer. */
  constructor(scheduler: SchedulerLike, lingerMs: number) {
    this.#scheduler = scheduler;
    this.#lingerMs = lingerMs;
  }

  /** How many there are. */
  get count(): number {
    return this.#streams.size;
  }

  /** Follows a stream to its end. `onEnd` is called once, also when it has ended already. */
  follow(stream: Stream, onEnd: () => void): void {
    this.#streams.add(stream);
    whenEnded(stream, () => {
      this.#streams.delete(stream);
      onEnd();
    });
  }

  /**
   * Ends a stream in good order: what still comes is dropped, our side is closed, and the stream is
   * reset if the peer does not end its side in time.
   */
  settle(stream: Stream): void {
    stream.closeRead().catch(() => {});
    stream.close().catch(() => {});
    let timer: Subscription | undefined;
    whenEnded(stream, () => timer?.unsubscribe());
    if (!hasEnded(stream)) {
      timer = this.#scheduler.schedule(() => {
        stream.abort(new Error('the peer did not end an answered stream'));
      }, this.#lingerMs);
    }
  }

  /** Resets all of them. */
  abortAll(): void {
    for (const stream of [...this.#streams]) {
      stream.abort(new Error('the peer is stopping'));
    }
  }
}

/**
 * Asks on a new stream.
 *
 * Order (network spec §3.2): listen, send the whole request in one call, read the answer, and only
 * then close our side, since a stream whose both ends are closed drops the bytes of the frame that
 * closed it. Every failure resets the stream, so that the peer stops working.
 *
 * @throws A `RequestError`, or the signal's reason.
 */
export async function exchange(
  connection: Connection,
  streams: OpenStreams,
  init: ExchangeInit & { readonly onEnd: () => void },
): Promise<ExchangeAnswer> {
  const { signal, progress } = init;
  progress.stage = 'negotiate';
  progress.bytes = 0;
  progress.protocol = init.names[0] ?? '';
  const stream = await open(connection, init);
  streams.follow(stream, init.onEnd);
  const abort = (): void => stream.abort(errorOf(signal.reason));
  try {
    signal.throwIfAborted();
    signal.addEventListener('abort', abort, { once: true });
    progress.stage = 'first_byte';
    progress.protocol = stream.protocol;
    const answer = readMessage(stream, {
      limit: init.limit,
      signal,
      onBytes: (bytes) => progress.received(bytes),
    });
    // A send on a stream that ended meanwhile throws; the reader then knows the better reason.
    trySend(stream, encodeFrame(init.request));
    const message = await answer;
    streams.settle(stream);
    return { protocol: stream.protocol, message };
  } catch (cause: unknown) {
    stream.abort(errorOf(cause));
    signal.throwIfAborted();
    throw requestErrorOf(cause, connection, progress);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

async function open(
  connection: Connection,
  init: ExchangeInit & { readonly onEnd: () => void },
): Promise<Stream> {
  try {
    init.signal.throwIfAborted();
    return await connection.newStream([...init.names], { signal: init.signal });
  } catch (cause: unknown) {
    init.onEnd();
    init.signal.throwIfAborted();
    throw requestErrorOf(cause, connection, init.progress);
  }
}

function trySend(stream: Stream, frame: Uint8Array): void {
  try {
    stream.send(frame);
  } catch {
    if (stream.status === 'open') {
      stream.abort(new Error('the stream does not take a request'));
    }
  }
}

function requestErrorOf(cause: unknown, connection: Connection, progress: RequestProgress): Error {
  if (cause instanceof ReadError) {
    const announced = cause.details['announcedBytes'];
    progress.received(Number(cause.details['bytes'] ?? 0));
    return progress.error(cause.code, cause, typeof announced === 'number' ? announced : undefined);
  }
  return progress.error(negotiationCode(cause, connection), cause);
}

/** By the names of libp2p's errors, since a second copy of its classes breaks `instanceof`. */
function negotiationCode(cause: unknown, connection: Connection): RequestErrorCode {
  const name = cause instanceof Error ? cause.name : '';
  if (name === 'UnsupportedProtocolError') {
    return 'unsupported_protocol';
  }
  if (
    connection.status !== 'open' ||
    name === 'ConnectionClosedError' ||
    name === 'ConnectionClosingError' ||
    name === 'MuxerClosedError'
  ) {
    return 'connection_closed';
  }
  // The stream ended during the negotiation without a byte of an answer.
  return name === 'UnexpectedEOFError' || hasCode(cause, 'refused') ? 'refused' : 'reset';
}

function hasEnded(stream: Stream): boolean {
  return stream.status === 'closed' || stream.status === 'aborted' || stream.status === 'reset';
}

function whenEnded(stream: Stream, onEnd: () => void): void {
  if (hasEnded(stream)) {
    onEnd();
    return;
  }
  stream.addEventListener('close', onEnd, { once: true });
}
