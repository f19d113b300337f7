/**
 * @module
 * Cutting an answer, and waiting for a stream that is full.
 */

import type { Stream } from '@libp2p/interface';
import fc from 'fast-check';
import { pipe } from 'it-pipe';
import { describe, expect, it } from 'vitest';
import { drainTo, frameParts, pieces, writable } from '../../protocol/write-message.ts';
import { concatBytes } from '../../src/primitives/bytes.ts';

const SEED = Number(process.env['SEED'] ?? 11);

/** The part of a stream that a writer touches, with libp2p's order of events. */
class FakeStream extends EventTarget {
  status = 'open';
  writableNeedsDrain = false;
  readonly sent: Uint8Array[] = [];
  listeners = 0;
  /** Whether the flush after the next drain fills the stream again. */
  fillsAgain = 0;

  override addEventListener(...args: Parameters<EventTarget['addEventListener']>): void {
    this.listeners += 1;
    super.addEventListener(...args);
  }

  override removeEventListener(...args: Parameters<EventTarget['removeEventListener']>): void {
    this.listeners -= 1;
    super.removeEventListener(...args);
  }

  send(bytes: Uint8Array): boolean {
    this.sent.push(bytes);
    this.writableNeedsDrain = true;
    return false;
  }

  drain(): void {
    this.writableNeedsDrain = false;
    queueMicrotask(() => {
      if (this.fillsAgain > 0) {
        this.fillsAgain -= 1;
        this.writableNeedsDrain = true;
      }
    });
    this.dispatchEvent(new Event('drain'));
  }

  end(): void {
    this.status = 'reset';
    this.dispatchEvent(new Event('close'));
  }

  asStream(): Stream {
    return this as unknown as Stream;
  }
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('pieces', () => {
  it(`keeps every byte, in pieces of the size, none empty (seed ${SEED})`, () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 6 }),
        fc.integer({ min: 1, max: 120 }),
        (parts, size) => {
          const cut = [...pieces(parts, size)];
          expect(concatBytes(cut)).toEqual(concatBytes(parts));
          expect(cut.slice(0, -1).every((piece) => piece.length === size)).toBe(true);
          expect(cut.every((piece) => piece.length > 0 && piece.length <= size)).toBe(true);
        },
      ),
      { seed: SEED },
    );
  });

  it('puts the prefix and the first bytes of the answer together, and views the rest', () => {
    const answer = new Uint8Array(1_000).fill(7);
    const cut = [...pieces(frameParts([Uint8Array.of(0), answer]), 400)];
    expect(cut.map((piece) => piece.length)).toEqual([400, 400, 203]);
    expect(cut[0]?.subarray(0, 4)).toEqual(Uint8Array.of(0xe9, 0x07, 0, 7));
    expect(cut[1]?.buffer).toBe(answer.buffer);
  });
});

describe('drainTo', () => {
  it('sends one piece and then waits for each drain, without listeners left', async () => {
    const stream = new FakeStream();
    const accepted: number[] = [];
    const { signal } = new AbortController();
    const parts = [new Uint8Array(10)];
    const written = pipe(
      pieces(parts, 4),
      drainTo(stream.asStream(), signal, (bytes) => accepted.push(bytes)),
    );
    const seen: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      await turn();
      seen.push(stream.sent.length);
      stream.drain();
    }
    await written;
    expect(seen).toEqual([1, 2, 3]);
    expect(accepted).toEqual([4, 4, 2]);
    expect(stream.listeners).toBe(0);
  });

  it('is done when the last piece is accepted, though the stream is full', async () => {
    const stream = new FakeStream();
    await pipe(
      pieces([new Uint8Array(3)], 4),
      drainTo(stream.asStream(), new AbortController().signal),
    );
    expect(stream.writableNeedsDrain).toBe(true);
  });
});

describe('writable', () => {
  it('keeps waiting while a flush fills the stream again', async () => {
    const stream = new FakeStream();
    stream.writableNeedsDrain = true;
    stream.fillsAgain = 2;
    let isDone = false;
    const waited = writable(stream.asStream(), new AbortController().signal).then(() => {
      isDone = true;
    });
    for (const expected of [false, false, true]) {
      stream.drain();
      await turn();
      expect(isDone).toBe(expected);
    }
    await waited;
    expect(stream.listeners).toBe(0);
  });

  it('rejects when the stream ends or the signal aborts, and leaves no listener', async () => {
    for (const stop of ['end', 'abort'] as const) {
      const stream = new FakeStream();
      stream.writableNeedsDrain = true;
      const controller = new AbortController();
      const waited = writable(stream.asStream(), controller.signal);
      waited.catch(() => {});
      if (stop === 'end') {
        stream.end();
      } else {
        controller.abort(new Error('deadline'));
      }
      await expect(waited).rejects.toThrow(stop === 'end' ? 'closed' : 'deadline');
      expect(stream.listeners).toBe(0);
    }
  });
});
