/**
 * @module
 * Our requester against a raw end: every way in which an answer can be cut, broken or withheld
 * (network spec §9, as requester).
 */

import { lastValueFrom } from 'rxjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeFrame, encodePrefix } from '../../protocol/framing.ts';
import { encodeChunkResponseV1, encodeChunkResponseV2 } from '../../protocol/messages.ts';
import { protocolNames } from '../../protocol/names.ts';
import { concatBytes } from '../../src/primitives/bytes.ts';
import type { ChunkReply } from '../../src/recovery/ports.ts';
import {
  chunkOf,
  chunkQuestion,
  dataOfSize,
  dataQuestion,
  GENESIS,
  locationOf,
  PATIENT,
  type RunningPeer,
  startClient,
} from './peers.ts';
import {
  FIN,
  type RawConnection,
  type RawPeer,
  type RawStream,
  RST,
  startRawPeer,
} from './raw-yamux.ts';

const NAMES = protocolNames({ genesisHash: GENESIS });
const CHUNK = chunkOf(3, 100_000);
const MESSAGE = encodeChunkResponseV2(CHUNK);
const FRAME = encodeFrame(MESSAGE);
const PREFIX = encodePrefix(MESSAGE.length);

let raw: RawPeer;
let client: RunningPeer;
let connection: RawConnection | undefined;

beforeAll(async () => {
  raw = await startRawPeer();
  client = await startClient(locationOf(raw.node), { limits: PATIENT });
});

afterAll(async () => {
  await client.stop();
  await raw.stop();
});

beforeEach(() => {
  if (connection !== undefined && !connection.isOpen) {
    connection = undefined;
  }
});

/** The stream of a request that was negotiated and read. */
async function requested(): Promise<RawStream> {
  connection ??= await raw.connection();
  const stream = await connection.inbound();
  await stream.acceptProtocol();
  await stream.readMessage();
  return stream;
}

/** Asks, lets the raw end do something, and waits until nothing is left of it. */
async function ask(answer: (stream: RawStream) => void | Promise<void>): Promise<ChunkReply> {
  const reply = lastValueFrom(client.peer.chunks.askChunk(chunkQuestion(3)));
  reply.catch(() => {});
  const stream = await requested();
  await answer(stream);
  try {
    return await reply;
  } finally {
    // An answered stream stays until the peer has ended its side too.
    stream.signal(FIN);
    await expect.poll(() => client.peer.openCount).toBe(0);
  }
}

function inPieces(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    pieces.push(bytes.subarray(at, at + size));
  }
  return pieces;
}

const GOOD: readonly (readonly [string, (stream: RawStream) => void | Promise<void>])[] = [
  ['whole in one frame', (stream) => stream.write(FRAME)],
  [
    'with its prefix in a frame of its own',
    (stream) => {
      stream.write(PREFIX);
      stream.write(MESSAGE);
    },
  ],
  [
    'in frames of 16 KiB',
    (stream) => {
      for (const piece of inPieces(FRAME, 16_384)) {
        stream.write(piece);
      }
    },
  ],
  [
    'with the end of the stream on its last frame',
    (stream) => {
      stream.write(FRAME.subarray(0, 50_000));
      stream.write(FRAME.subarray(50_000), FIN);
    },
  ],
  ['with the end of the stream on its only frame', (stream) => stream.write(FRAME, FIN)],
  [
    'followed by a reset',
    (stream) => {
      stream.write(FRAME);
      stream.signal(RST);
    },
  ],
  ['with further bytes behind it', (stream) => stream.write(concatBytes([FRAME, FRAME]))],
];

const BAD: readonly (readonly [string, string, (stream: RawStream) => void])[] = [
  ['a close without a byte', 'refused', (stream) => stream.signal(FIN)],
  ['half a prefix and a close', 'truncated', (stream) => stream.write(PREFIX.subarray(0, 1), FIN)],
  [
    'half an answer and a close',
    'truncated',
    (stream) => {
      stream.write(FRAME.subarray(0, 60_000));
      stream.signal(FIN);
    },
  ],
  ['a reset before the first byte', 'reset', (stream) => stream.signal(RST)],
  [
    'a reset within the answer',
    'reset',
    (stream) => {
      stream.write(FRAME.subarray(0, 60_000));
      stream.signal(RST);
    },
  ],
  [
    'a length of one above the limit',
    'too_large',
    (stream) => stream.write(encodePrefix(16_777_217)),
  ],
  [
    'a prefix of six bytes',
    'bad_prefix',
    (stream) => stream.write(Uint8Array.of(0x81, 0x80, 0x80, 0x80, 0x80, 0x00)),
  ],
  [
    'a prefix that is not minimal',
    'bad_prefix',
    (stream) => stream.write(Uint8Array.of(0x81, 0x00)),
  ],
];

describe('Requester', () => {
  for (const [name, answer] of GOOD) {
    it(`takes an answer ${name}`, async () => {
      expect(await ask(answer)).toMatchObject({
        type: 'chunk',
        chunk: CHUNK,
        protocol: NAMES.chunkV2,
        bytes: MESSAGE.length,
      });
    });
  }

  it('takes an answer of one byte per frame', async () => {
    const small = encodeChunkResponseV2(chunkOf(3, 60));
    const reply = await ask((stream) => {
      for (const byte of encodeFrame(small)) {
        stream.write(Uint8Array.of(byte));
      }
    });
    expect(reply).toMatchObject({ chunk: chunkOf(3, 60) });
  });

  for (const [name, code, answer] of BAD) {
    it(`reports ${name} as ${code}`, async () => {
      await expect(ask(answer)).rejects.toMatchObject({ name: 'RequestError', code });
    });
  }

  it('resets the stream of a broken answer', async () => {
    let stream: RawStream | undefined;
    const asked = ask((given) => {
      stream = given;
      given.write(encodePrefix(16_777_217));
    });
    await expect(asked).rejects.toMatchObject({
      details: { announcedBytes: 16_777_217, stage: 'body', bytes: 4, protocol: NAMES.chunkV2 },
    });
    await stream?.untilFlag(RST);
    expect(stream?.count(FIN)).toBe(0);
  });

  it('takes an empty message for what it is: undecodable', async () => {
    await expect(ask((stream) => stream.write(Uint8Array.of(0)))).rejects.toMatchObject({
      name: 'CodecError',
      code: 'unexpected_end',
      details: { protocol: NAMES.chunkV2, bytes: 0 },
    });
  });

  it('closes its side once, and only after the answer', async () => {
    let closedEarly = true;
    const reply = ask(async (stream) => {
      stream.write(FRAME.subarray(0, 50_000));
      await stream.until(() => stream.frames.length > 0);
      closedEarly = stream.count(FIN) > 0;
      stream.write(FRAME.subarray(50_000));
      await stream.untilFlag(FIN);
      expect(stream.count(FIN)).toBe(1);
    });
    await reply;
    expect(closedEarly).toBe(false);
  });

  it('sends prefix and request in one frame', async () => {
    const reply = ask((stream) => {
      // Two frames of negotiation lines at most, then 37 bytes.
      expect(stream.dataFrameSizes.at(-1)).toBe(37);
      stream.write(FRAME);
    });
    await reply;
  });

  it('falls back to /1 and the legacy name on a plain `na`, in one stream', async () => {
    for (const known of [NAMES.chunkV1, NAMES.chunkV1Legacy]) {
      const reply = lastValueFrom(client.peer.chunks.askChunk(chunkQuestion(3)));
      connection ??= await raw.connection();
      const first = await connection.inbound();
      void first.acceptProtocol(() => false);
      const second = await connection.inbound();
      expect(await second.acceptProtocol((name) => name === known)).toBe(known);
      await second.readMessage();
      second.write(encodeFrame(encodeChunkResponseV1(CHUNK)));
      second.signal(FIN);
      expect(await reply).toMatchObject({
        protocol: known,
        chunk: { bytes: CHUNK.bytes, chunkIndex: 3 },
      });
      await first.untilFlag(RST);
    }
    await expect.poll(() => client.peer.openCount).toBe(0);
  });

  it('reports a peer that knows no version as unsupported_protocol', async () => {
    const reply = lastValueFrom(client.peer.chunks.askChunk(chunkQuestion(3)));
    reply.catch(() => {});
    for (let i = 0; i < 2; i += 1) {
      connection ??= await raw.connection();
      const stream = await connection.inbound();
      void stream.acceptProtocol(() => false);
    }
    await expect(reply).rejects.toMatchObject({ code: 'unsupported_protocol' });
  });

  it('does not fall back on a reset in the negotiation', async () => {
    const reply = lastValueFrom(client.peer.chunks.askChunk(chunkQuestion(3)));
    reply.catch(() => {});
    connection ??= await raw.connection();
    const stream = await connection.inbound();
    await stream.readLine();
    stream.signal(RST);
    await expect(reply).rejects.toMatchObject({ code: 'reset', details: { stage: 'negotiate' } });
  });

  it('holds data requests to the limit of the question', async () => {
    const encoded = dataOfSize(20_000);
    const answer = encodeFrame(concatBytes([Uint8Array.of(0), encoded]));
    for (const [maxBytes, expected] of [
      [encoded.length + 1, { type: 'available_data' }],
      [encoded.length, { code: 'too_large', details: { announcedBytes: encoded.length + 1 } }],
    ] as const) {
      const reply = lastValueFrom(client.peer.data.askData(dataQuestion({ maxBytes }))).catch(
        (error: unknown) => error,
      );
      const stream = await requested();
      stream.write(answer, FIN);
      expect(await reply).toMatchObject(expected);
    }
  });

  it('holds chunk requests to the limit of the question', async () => {
    for (const [maxBytes, expected] of [
      [MESSAGE.length, { type: 'chunk' }],
      [MESSAGE.length - 1, { code: 'too_large', details: { announcedBytes: MESSAGE.length } }],
    ] as const) {
      const question = { ...chunkQuestion(3), maxBytes };
      const reply = lastValueFrom(client.peer.chunks.askChunk(question)).catch(
        (error: unknown) => error,
      );
      const stream = await requested();
      stream.write(encodeFrame(MESSAGE), FIN);
      expect(await reply).toMatchObject(expected);
    }
  });

  it('survives a data frame that announces 1 GiB', async () => {
    // The guard of network spec §5.3 is a later piece of work: here the request ends by its deadline.
    const other = await startRawPeer();
    const impatient = await startClient(locationOf(other.node), {
      limits: { ...PATIENT, chunkDeadlineMs: 500 },
    });
    const reply = lastValueFrom(impatient.peer.chunks.askChunk(chunkQuestion(3)));
    reply.catch(() => {});
    const stream = await (await other.connection()).inbound();
    await stream.acceptProtocol();
    await stream.readMessage();
    stream.announce(1_073_741_824);
    await expect(reply).rejects.toMatchObject({
      code: 'timeout',
      details: { stage: 'first_byte' },
    });
    await stream.untilFlag(RST);
    await other.stop();
    await impatient.stop();
  });

  it('survives a frame beyond the window it granted', async () => {
    const reply = lastValueFrom(client.peer.chunks.askChunk(chunkQuestion(3)));
    reply.catch(() => {});
    const stream = await requested();
    stream.write(concatBytes([encodePrefix(9_000_000), new Uint8Array(2_000_000)]));
    // A connection that breaks off is redialed once: the second request meets a fresh stream.
    connection = await raw.connection();
    const again = await requested();
    again.write(FRAME, FIN);
    expect(await reply).toMatchObject({ chunk: CHUNK });
  });
});
