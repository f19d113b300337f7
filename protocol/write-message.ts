/**
 * @module
 * Writes one message in pieces that every muxer takes, waiting for the stream between them. The
 * stream's own drain promise is never used: it is made once and not renewed (network spec §2, §3.3).
 */

import type { Stream } from '@libp2p/interface';
import { errorOf } from './abort-reason.ts';
import { encodePrefix } from './framing.ts';

/**
 * Largest data frame that we send: 65,519 bytes of plaintext in one noise message less the 12 bytes
 * of a yamux header, so that one yamux frame fills one noise frame. A Rust muxer closes the
 * connection at frames above 1 MiB (network spec §2, §3.3).
 */
export const PIECE_BYTES = 65_507;

/**
 * The parts of one message behind its length prefix.
 *
 * @param parts - The message's bytes in order; they are read when they are written, not before.
 */
export function frameParts(parts: readonly Uint8Array[]): readonly Uint8Array[] {
  return [encodePrefix(byteLength(parts)), ...parts];
}

/** Bytes of all parts together. */
export function byteLength(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

/**
 * Cuts parts into pieces of exactly `pieceBytes`, the last one shorter; none is empty.
 *
 * Buffers: a piece within one part is a view on it; one across parts is a copy. An answer of a short
 * prefix and a large part is therefore copied in its first piece only.
 */
export function* pieces(
  parts: readonly Uint8Array[],
  pieceBytes: number,
): Generator<Uint8Array, void, undefined> {
  let gathered: Uint8Array[] = [];
  let gatheredBytes = 0;
  for (const part of parts) {
    let offset = 0;
    while (offset < part.length) {
      const end = Math.min(part.length, offset + pieceBytes - gatheredBytes);
      gathered.push(part.subarray(offset, end));
      gatheredBytes += end - offset;
      offset = end;
      if (gatheredBytes === pieceBytes) {
        yield join(gathered, gatheredBytes);
        gathered = [];
        gatheredBytes = 0;
      }
    }
  }
  if (gatheredBytes > 0) {
    yield join(gathered, gatheredBytes);
  }
}

/** Called with the size of each piece once the stream has accepted it. */
export type OnAccepted = (bytes: number) => void;

/**
 * A sink that sends each piece and, before the next one, waits until the stream takes more.
 *
 * Resolves when the stream has *accepted* the last piece, which may be before it is on the wire:
 * a reset after that is no failure of ours (network spec §3.4). Does not close.
 *
 * @throws The signal's reason, or the stream's error when it ends before the last piece.
 */
export function drainTo(
  stream: Stream,
  signal: AbortSignal,
  onAccepted?: OnAccepted,
): (source: Iterable<Uint8Array>) => Promise<void> {
  return async (source) => {
    let hasRoom = true;
    for (const piece of source) {
      if (!hasRoom) {
        await writable(stream, signal);
      }
      signal.throwIfAborted();
      hasRoom = stream.send(piece);
      onAccepted?.(piece.length);
    }
  };
}

/**
 * Resolves when the stream takes more bytes.
 *
 * Impl: on a `drain` event the stream clears its mark and flushes its queue in a microtask, which may
 * fill it again; so we look in a microtask of our own, which runs after that one, and keep waiting
 * while the mark is set.
 */
export function writable(stream: Stream, signal: AbortSignal): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const finish = (settle: () => void): void => {
      stream.removeEventListener('drain', onDrain);
      stream.removeEventListener('close', onClose);
      signal.removeEventListener('abort', onAbort);
      settle();
    };
    const onDrain = (): void => {
      queueMicrotask(() => {
        if (!stream.writableNeedsDrain) {
          finish(resolve);
        }
      });
    };
    const onClose = (): void => finish(() => reject(new Error('stream closed while writing')));
    const onAbort = (): void => finish(() => reject(errorOf(signal.reason)));

    if (signal.aborted) {
      onAbort();
    } else if (stream.status !== 'open') {
      onClose();
    } else if (!stream.writableNeedsDrain) {
      resolve();
    } else {
      signal.addEventListener('abort', onAbort, { once: true });
      stream.addEventListener('drain', onDrain);
      stream.addEventListener('close', onClose);
    }
  });
}

function join(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) {
    return first;
  }
  const joined = new Uint8Array(bytes);
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
