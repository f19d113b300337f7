/**
 * @module
 * Reads the one message of a stream, in both roles. A small state machine on the stream's own
 * events; the ready-made readers cap at 4 MiB, cannot tell a refusal from a truncation, and lose the
 * bytes of a frame that also carries the end of the stream (network spec §2, §3.1).
 */

import type { Stream, StreamCloseEvent, StreamMessageEvent } from '@libp2p/interface';
import { AvailabilityError } from '../src/primitives/errors.ts';
import { errorOf } from './abort-reason.ts';
import { FrameCollector } from './framing.ts';

/**
 * Why a stream brought no message.
 *
 * - `refused`: it ended without a byte.
 * - `truncated`: it ended inside the frame.
 * - `reset`: the peer reset it.
 * - `connection_closed`: the connection under it went away.
 * - `bad_prefix`, `too_large`: as the frame collector says.
 */
export type ReadErrorCode =
  | 'refused'
  | 'truncated'
  | 'reset'
  | 'connection_closed'
  | 'bad_prefix'
  | 'too_large';

/** A stream brought no message; `details` carries `bytes` and, for `too_large`, `announcedBytes`. */
export class ReadError extends AvailabilityError<ReadErrorCode> {
  override readonly name = 'ReadError';
}

/** How to read. */
export type ReadOptions = {
  /** Largest message accepted, in bytes. */
  readonly limit: number;
  /** Ends the reading; the promise rejects with its reason. */
  readonly signal: AbortSignal;
  /** Called with the bytes of the frame received so far, each time that some arrive. */
  readonly onBytes?: (receivedBytes: number) => void;
};

/**
 * Resolves with the message as soon as its last byte is here, whatever follows on the stream.
 *
 * Listens from the moment of the call: call it before sending. Removes every listener on every exit,
 * and never ends the stream itself: the caller closes or aborts.
 *
 * @throws {@link ReadError}, or the signal's reason.
 */
export function readMessage(stream: Stream, options: ReadOptions): Promise<Uint8Array> {
  return new Promise<Uint8Array>((resolve, reject) => {
    const { signal, onBytes } = options;
    const frame = new FrameCollector(options.limit);
    let end: ReadErrorCode | undefined;
    let isDone = false;

    const finish = (settle: () => void): void => {
      if (isDone) {
        return;
      }
      isDone = true;
      stream.removeEventListener('message', onMessage);
      stream.removeEventListener('remoteCloseWrite', onRemoteCloseWrite);
      stream.removeEventListener('close', onClose);
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    const fail = (code: ReadErrorCode, announcedBytes?: number): void => {
      const details = { bytes: frame.receivedBytes, announcedBytes };
      finish(() => reject(new ReadError(code, `stream brought no message: ${code}`, details)));
    };
    const feed = (piece: Uint8Array): boolean => {
      const step = frame.push(piece);
      if (step.type === 'message') {
        onBytes?.(frame.receivedBytes);
        finish(() => resolve(step.message));
      } else if (step.type === 'fault') {
        fail(step.code, step.announcedBytes);
      }
      return isDone;
    };
    // Spec: network spec §3.1 and §2: the flags of a frame are handled before its bytes, so the end
    // may be announced before the last data. Impl: decide in a microtask, and not while the stream
    // still holds bytes for us; their `message` event decides then.
    const decideEnd = (): void => {
      queueMicrotask(() => {
        if (isDone || end === undefined || (stream.readBufferLength > 0 && isReadable(stream))) {
          return;
        }
        const isPlainEnd = end === 'refused';
        fail(isPlainEnd && frame.receivedBytes > 0 ? 'truncated' : end);
      });
    };

    const onMessage = (event: StreamMessageEvent): void => {
      const pieces = event.data instanceof Uint8Array ? [event.data] : event.data;
      for (const piece of pieces) {
        if (feed(piece)) {
          return;
        }
      }
      onBytes?.(frame.receivedBytes);
      decideEnd();
    };
    const onRemoteCloseWrite = (): void => {
      end ??= 'refused';
      decideEnd();
    };
    const onClose = (event: StreamCloseEvent): void => {
      end ??= endOf(event);
      decideEnd();
    };
    const onAbort = (): void => finish(() => reject(errorOf(signal.reason)));

    if (signal.aborted) {
      reject(errorOf(signal.reason));
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    stream.addEventListener('message', onMessage);
    stream.addEventListener('remoteCloseWrite', onRemoteCloseWrite);
    stream.addEventListener('close', onClose);
    // The end may have come before us; bytes that came before are delivered in a microtask.
    if (stream.status === 'reset') {
      end = 'reset';
    } else if (stream.remoteWriteStatus === 'closed') {
      end = stream.status === 'open' ? 'refused' : 'connection_closed';
    }
    decideEnd();
  });
}

/** Whether bytes in the stream's buffer will still be delivered. */
function isReadable(stream: Stream): boolean {
  return stream.readStatus === 'readable';
}

/**
 * What a `close` event says that no `remoteCloseWrite` preceded. Without an error the muxer has ended
 * the stream because its connection is gone; with one of local origin the muxer has aborted, since we
 * stop listening before we abort ourselves.
 */
function endOf(event: StreamCloseEvent): ReadErrorCode {
  return event.error !== undefined && event.local !== true ? 'reset' : 'connection_closed';
}
