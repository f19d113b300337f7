/**
 * @module
 * The reader on a stream of events: what it decides, and that it leaves no listener behind.
 */

import {
  type Stream,
  StreamAbortEvent,
  StreamCloseEvent,
  StreamMessageEvent,
  StreamResetEvent,
} from '@libp2p/interface';
import { describe, expect, it } from 'vitest';
import { encodeFrame, encodePrefix } from '../../protocol/framing.ts';
import { readMessage } from '../../protocol/read-message.ts';

/** The part of a stream that a reader touches, counting listeners. */
class FakeStream extends EventTarget {
  status = 'open';
  readStatus = 'readable';
  remoteWriteStatus = 'writable';
  readBufferLength = 0;
  listeners = 0;

  override addEventListener(...args: Parameters<EventTarget['addEventListener']>): void {
    this.listeners += 1;
    super.addEventListener(...args);
  }

  override removeEventListener(...args: Parameters<EventTarget['removeEventListener']>): void {
    this.listeners -= 1;
    super.removeEventListener(...args);
  }

  data(bytes: Uint8Array): void {
    this.dispatchEvent(new StreamMessageEvent(bytes));
  }

  remoteEnd(): void {
    this.remoteWriteStatus = 'closed';
    this.dispatchEvent(new Event('remoteCloseWrite'));
  }

  asStream(): Stream {
    return this as unknown as Stream;
  }
}

const FRAME = encodeFrame(Uint8Array.of(1, 2, 3));

/** What comes of a reading during which something happens to the stream. */
async function read(
  happens: (stream: FakeStream, controller: AbortController) => void,
  stream: FakeStream = new FakeStream(),
): Promise<unknown> {
  const controller = new AbortController();
  const message = readMessage(stream.asStream(), { limit: 100, signal: controller.signal });
  message.catch(() => {});
  happens(stream, controller);
  try {
    return await message;
  } catch (error: unknown) {
    return (error as { code?: unknown }).code ?? error;
  } finally {
    expect(stream.listeners).toBe(0);
  }
}

describe('readMessage', () => {
  it('resolves with the message, though the end was announced before its bytes', async () => {
    const message = await read((stream) => {
      stream.remoteEnd();
      stream.data(FRAME);
    });
    expect(message).toEqual(Uint8Array.of(1, 2, 3));
  });

  it('waits for bytes that the stream still holds when its end is announced', async () => {
    const message = await read((stream) => {
      stream.data(FRAME.subarray(0, 1));
      stream.readBufferLength = 3;
      stream.remoteEnd();
      setImmediate(() => {
        stream.readBufferLength = 0;
        stream.data(FRAME.subarray(1));
      });
    });
    expect(message).toEqual(Uint8Array.of(1, 2, 3));
  });

  it('tells a refusal, a truncation, a reset and a lost connection apart', async () => {
    const outcomes = await Promise.all([
      read((stream) => stream.remoteEnd()),
      read((stream) => {
        stream.data(FRAME.subarray(0, 2));
        stream.remoteEnd();
      }),
      read((stream) => stream.dispatchEvent(new StreamResetEvent(new Error('reset')))),
      read((stream) => {
        stream.data(FRAME.subarray(0, 2));
        stream.dispatchEvent(new StreamResetEvent(new Error('reset')));
      }),
      read((stream) => stream.dispatchEvent(new StreamCloseEvent())),
      read((stream) => stream.dispatchEvent(new StreamAbortEvent(new Error('muxer')))),
    ]);
    expect(outcomes).toEqual([
      'refused',
      'truncated',
      'reset',
      'reset',
      'connection_closed',
      'connection_closed',
    ]);
  });

  it('fails at once on a broken prefix and on an announcement above the limit', async () => {
    expect(await read((stream) => stream.data(encodePrefix(101)))).toBe('too_large');
    expect(await read((stream) => stream.data(Uint8Array.of(0x80, 0)))).toBe('bad_prefix');
  });

  it('notices an end that came before it was called', async () => {
    const ended = new FakeStream();
    ended.remoteWriteStatus = 'closed';
    expect(await read(() => {}, ended)).toBe('refused');
    const reset = new FakeStream();
    reset.status = 'reset';
    expect(await read(() => {}, reset)).toBe('reset');
  });

  it('rejects with the reason of its signal, and takes its listener off it', async () => {
    const reason = new Error('deadline');
    expect(await read((_stream, controller) => controller.abort(reason))).toBe(reason);
    const controller = new AbortController();
    let listeners = 0;
    const { signal } = controller;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners += 1;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...args);
    };
    const stream = new FakeStream();
    const message = readMessage(stream.asStream(), { limit: 100, signal });
    expect(listeners).toBe(1);
    stream.data(FRAME);
    await message;
    expect(listeners).toBe(0);
    controller.abort();
    await expect(readMessage(stream.asStream(), { limit: 100, signal })).rejects.toThrow('aborted');
  });
});
