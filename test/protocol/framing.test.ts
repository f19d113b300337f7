/**
 * @module
 * The frame collector on bytes alone.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeFrame,
  encodePrefix,
  FrameCollector,
  type FrameStep,
} from '../../protocol/framing.ts';

const SEED = Number(process.env['SEED'] ?? 7);
const LIMIT = 16_777_216;

function collect(frame: FrameCollector, pieces: readonly Uint8Array[]): FrameStep {
  let step: FrameStep = { type: 'incomplete' };
  for (const piece of pieces) {
    step = frame.push(piece);
    if (step.type !== 'incomplete') {
      return step;
    }
  }
  return step;
}

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

describe('encodePrefix', () => {
  it('writes minimal LEB128', () => {
    const hex = (length: number): string => Buffer.from(encodePrefix(length)).toString('hex');
    expect([0, 1, 36, 127, 128, 1_000, 16_384, 16_777_216, 2 ** 32 - 1].map(hex)).toEqual([
      '00',
      '01',
      '24',
      '7f',
      '8001',
      'e807',
      '808001',
      '80808008',
      'ffffffff0f',
    ]);
  });
});

describe('FrameCollector', () => {
  it(`gives the message back however it is cut, and ignores what follows (seed ${SEED})`, () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 5_000 }),
        fc.uint8Array({ maxLength: 20 }),
        fc.array(fc.nat(200), { maxLength: 60 }),
        (message, extra, sizes) => {
          const bytes = new Uint8Array([...encodeFrame(message), ...extra]);
          const frame = new FrameCollector(LIMIT);
          const step = collect(frame, cut(bytes, sizes));
          expect(step).toEqual({ type: 'message', message });
          expect(frame.receivedBytes).toBe(bytes.length - extra.length);
        },
      ),
      { seed: SEED },
    );
  });

  it(`never throws on arbitrary bytes (seed ${SEED})`, () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 10 }), (pieces) => {
        expect(['incomplete', 'message', 'fault']).toContain(
          collect(new FrameCollector(1_000), pieces).type,
        );
      }),
      { seed: SEED },
    );
  });

  it('takes a message at the limit and refuses one byte more, as soon as the prefix is here', () => {
    const at = new FrameCollector(1_000);
    expect(at.push(encodeFrame(new Uint8Array(1_000))).type).toBe('message');
    const above = new FrameCollector(1_000);
    expect(above.push(encodePrefix(1_001))).toEqual({
      type: 'fault',
      code: 'too_large',
      announcedBytes: 1_001,
    });
  });

  it('refuses a prefix that is not minimal, and one of more than five bytes', () => {
    for (const prefix of [
      [0x80, 0x00],
      [0xa4, 0x00],
      [0xff, 0xff, 0x00],
      [0x80, 0x80, 0x80, 0x80, 0x80],
      [0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
    ]) {
      const step = new FrameCollector(LIMIT).push(Uint8Array.from(prefix));
      expect(step, prefix.join()).toEqual({ type: 'fault', code: 'bad_prefix' });
    }
  });

  it('reads five groups as more than 32 bits', () => {
    const step = new FrameCollector(LIMIT).push(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x7f));
    expect(step).toMatchObject({ code: 'too_large', announcedBytes: 2 ** 35 - 1 });
  });

  it('takes the empty message for a complete one', () => {
    const step = new FrameCollector(LIMIT).push(Uint8Array.of(0));
    expect(step).toEqual({ type: 'message', message: new Uint8Array(0) });
  });

  it('holds memory by what has arrived, not by what is announced', () => {
    const before = process.memoryUsage().arrayBuffers;
    const frames = Array.from({ length: 200 }, () => new FrameCollector(LIMIT));
    for (const frame of frames) {
      frame.push(encodePrefix(LIMIT));
      frame.push(new Uint8Array(1));
    }
    const held = process.memoryUsage().arrayBuffers - before;
    // 200 announcements of 16 MiB are 3.2 GiB; 64 KiB each are 13 MB.
    expect(held).toBeLessThan(40_000_000);
    expect(frames.length).toBe(200);
  });

  it('returns memory of its own that no later push and no pool shares', () => {
    const source = encodeFrame(Uint8Array.of(1, 2, 3));
    const step = new FrameCollector(LIMIT).push(source);
    source.fill(9);
    expect(step).toEqual({ type: 'message', message: Uint8Array.of(1, 2, 3) });
    expect(step.type === 'message' && step.message.buffer.byteLength).toBe(3);
    expect(step.type === 'message' && Buffer.isBuffer(step.message)).toBe(false);
  });
});
