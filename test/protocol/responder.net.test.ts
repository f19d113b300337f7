/**
 * @module
 * Our responder under load and in trouble: caps, deadlines, failing stores, stopping.
 */

import { asyncScheduler, delay, finalize, lastValueFrom, NEVER, of } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeFrame } from '../../protocol/framing.ts';
import { decodeChunkResponseV2, encodeChunkRequest } from '../../protocol/messages.ts';
import { protocolNames } from '../../protocol/names.ts';
import type { ServedEvent } from '../../protocol/served-event.ts';
import { concatBytes } from '../../src/primitives/bytes.ts';
import { validatorIndex } from '../../src/primitives/ids.ts';
import {
  CANDIDATE,
  chunkOf,
  chunkQuestion,
  dataOfSize,
  dataQuestion,
  GENESIS,
  PATIENT,
  type RunningPeer,
  startClient,
  startPeer,
  storeOf,
} from './peers.ts';
import { FIN, negotiation, RST, startRawPeer } from './raw-yamux.ts';

const NAMES = protocolNames({ genesisHash: GENESIS });
const running: { stop(): Promise<void> }[] = [];
function keep<T extends { stop(): Promise<void> }>(peer: T): T {
  running.push(peer);
  return peer;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((peer) => peer.stop()));
});

type Outcome = string;

/** The type of a reply, or the code of a failure. */
async function outcome(request: Promise<{ type: string }>): Promise<Outcome> {
  try {
    return (await request).type;
  } catch (error: unknown) {
    return String((error as { code?: unknown }).code);
  }
}

function askChunk(client: RunningPeer, validator = 0): Promise<Outcome> {
  return outcome(lastValueFrom(client.peer.chunks.askChunk(chunkQuestion(validator))));
}

function askData(client: RunningPeer): Promise<Outcome> {
  return outcome(lastValueFrom(client.peer.data.askData(dataQuestion())));
}

function count(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of outcomes) {
    counts[one] = (counts[one] ?? 0) + 1;
  }
  return counts;
}

/** A store that answers late and knows how many answers were being looked up at a time. */
function slowStore(ms: number): { store: ReturnType<typeof storeOf>; most: () => number } {
  let now = 0;
  let most = 0;
  const slowly = <T>(value: T) => {
    now += 1;
    most = Math.max(most, now);
    return of(value).pipe(
      delay(ms),
      finalize(() => (now -= 1)),
    );
  };
  return {
    store: storeOf({
      chunk: (v) => slowly(chunkOf(v)),
      data: () => slowly(dataOfSize(20_000)),
    }),
    most: () => most,
  };
}

describe('Responder under load', () => {
  it('serves 50 chunk requests of one peer at once, 8 at a time', async () => {
    const { store, most } = slowStore(5);
    const server = keep(await startPeer({ limits: PATIENT, store }));
    const client = keep(await startClient(server.location, { limits: PATIENT }));
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, i) => askChunk(client, i)));
    expect(count(outcomes)).toEqual({ chunk: 50 });
    expect(most()).toBe(8);
    await expect.poll(() => server.peer.openCount).toBe(0);
  });

  it('serves 2 full data of one peer at a time, lets 4 wait and refuses the rest', async () => {
    const { store, most } = slowStore(300);
    const server = keep(await startPeer({ limits: PATIENT, store }));
    const client = keep(await startClient(server.location, { limits: PATIENT }));
    await askChunk(client);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => askData(client)));
    expect(count(outcomes)).toEqual({ available_data: 6, refused: 4 });
    expect(most()).toBe(2);
  });

  it('answers 50 requests sent in the turn after the dial, request and name pipelined', async () => {
    const server = keep(
      await startPeer({ limits: PATIENT, store: storeOf({ chunk: (v) => of(chunkOf(v)) }) }),
    );
    const raw = keep(await startRawPeer());
    await raw.node.dial(server.node.getMultiaddrs());
    const connection = await raw.connection();
    const streams = Array.from({ length: 50 }, (_, i) => {
      const stream = connection.open();
      const request = encodeChunkRequest({
        candidateHash: CANDIDATE,
        validatorIndex: validatorIndex(i),
      });
      stream.write(concatBytes([negotiation(NAMES.chunkV2), encodeFrame(request)]));
      return stream;
    });
    for (const [i, stream] of streams.entries()) {
      await stream.readLine();
      await stream.readLine();
      expect(decodeChunkResponseV2(await stream.readMessage())).toEqual(chunkOf(i));
      stream.signal(FIN);
    }
    await expect.poll(() => server.peer.openCount).toBe(0);
  });

  it('takes streams opened before the upgrade has finished, well over the default of ten', async () => {
    const server = keep(
      await startPeer({ limits: PATIENT, store: storeOf({ chunk: (v) => of(chunkOf(v)) }) }),
    );
    const raw = keep(await startRawPeer());
    // The raw end opens them as soon as it has a muxer, while the other end is still upgrading.
    const dialed = raw.node.dial(server.node.getMultiaddrs());
    const connection = await raw.connection();
    const streams = Array.from({ length: 60 }, () => connection.open());
    await dialed;
    await Promise.all(streams.map((stream) => stream.selectProtocol(NAMES.chunkV2)));
    expect(connection.isOpen).toBe(true);
    expect(streams.every((stream) => stream.count(RST) === 0)).toBe(true);
  });

  it('answers or refuses each of 512 streams opened at once, and resets none', async () => {
    const served: ServedEvent[] = [];
    const { store } = slowStore(2);
    const server = keep(
      await startPeer({ limits: PATIENT, store, onServed: (event) => served.push(event) }),
    );
    const raw = keep(await startRawPeer());
    await raw.node.dial(server.node.getMultiaddrs());
    const connection = await raw.connection();
    const request = encodeChunkRequest({
      candidateHash: CANDIDATE,
      validatorIndex: validatorIndex(1),
    });
    const streams = Array.from({ length: 512 }, () => connection.open());
    for (const stream of streams) {
      stream.write(concatBytes([negotiation(NAMES.chunkV2), encodeFrame(request)]));
    }
    await Promise.all(
      streams.map(async (stream) => {
        await stream.until(() => stream.count(FIN) + stream.count(RST) > 0);
        stream.signal(FIN);
      }),
    );
    expect(streams.filter((stream) => stream.count(RST) > 0)).toHaveLength(0);
    const outcomes = count(served.map((event) => event.reason ?? event.outcome));
    expect(Object.keys(outcomes).sort()).toEqual(['answered', 'busy']);
    expect(outcomes['answered']).toBeGreaterThanOrEqual(72);
    await expect.poll(() => server.peer.openCount).toBe(0);
  });
});

describe('Responder in trouble', () => {
  it('refuses full data, not chunks, when too much waits to be written', async () => {
    const served: ServedEvent[] = [];
    const server = keep(
      await startPeer({
        store: storeOf({ chunk: (v) => of(chunkOf(v)), data: () => of(dataOfSize(20_000)) }),
        limits: { ...PATIENT, maxPendingBytesForData: 10_000 },
        onServed: (event) => served.push(event),
      }),
    );
    const client = keep(await startClient(server.location, { limits: PATIENT }));
    expect(await askData(client)).toBe('refused');
    expect(await askChunk(client)).toBe('chunk');
    expect(served[0]).toMatchObject({ outcome: 'refused', reason: 'pending_bytes' });
  });

  it.each([-3_600_000, 3_600_000])('serves by a clock that is %i ms off', async (offsetMs) => {
    const scheduler = {
      now: () => asyncScheduler.now() + offsetMs,
      schedule: asyncScheduler.schedule.bind(asyncScheduler),
    };
    const events: ServedEvent[] = [];
    const server = keep(
      await startPeer({
        scheduler,
        limits: PATIENT,
        store: storeOf({ chunk: (v) => of(chunkOf(v)) }),
        onServed: (event) => events.push(event),
      }),
    );
    const client = keep(await startClient(server.location, { limits: PATIENT }));
    expect(await askChunk(client)).toBe('chunk');
    await expect.poll(() => events.length).toBe(1);
    expect(events[0]).toMatchObject({ outcome: 'answered' });
    expect(events[0]!.ms).toBeGreaterThanOrEqual(0);
    expect(events[0]!.ms).toBeLessThan(PATIENT.serveChunkDeadlineMs!);
  });

  it('resets a request whose store does not answer in time, and stops the lookup', async () => {
    let isLookingUp = false;
    const store = storeOf({
      chunk: () => {
        isLookingUp = true;
        return NEVER.pipe(finalize(() => (isLookingUp = false)));
      },
    });
    const served: ServedEvent[] = [];
    const server = keep(
      await startPeer({
        store,
        limits: { serveChunkDeadlineMs: 150 },
        onServed: (event) => served.push(event),
      }),
    );
    const client = keep(await startClient(server.location, { limits: PATIENT }));
    expect(await askChunk(client)).toBe('reset');
    expect(served).toMatchObject([{ outcome: 'failed', reason: 'deadline' }]);
    expect(isLookingUp).toBe(false);
    expect(server.peer.openCount).toBe(0);
  });

  it('keeps every exception of a store or a listener from the wire', async () => {
    const server = keep(
      await startPeer({
        limits: PATIENT,
        store: storeOf({
          chunk: () => {
            throw new Error('thrown, not emitted');
          },
          data: () => {
            throw new Error('thrown, not emitted');
          },
        }),
        onServed: () => {
          throw new Error('a listener in trouble');
        },
      }),
    );
    const client = keep(await startClient(server.location, { limits: PATIENT }));
    expect(await askChunk(client)).toBe('refused');
    expect(await askData(client)).toBe('no_such_data');
  });

  it('refuses a chunk that cannot be encoded', async () => {
    const bad = { ...chunkOf(1), proof: [] };
    const server = keep(
      await startPeer({ limits: PATIENT, store: storeOf({ chunk: () => of(bad) }) }),
    );
    const client = keep(await startClient(server.location, { limits: PATIENT }));
    expect(await askChunk(client)).toBe('refused');
  });

  it('stops looking up when the peer goes away', async () => {
    let isLookingUp = false;
    const store = storeOf({
      chunk: () => {
        isLookingUp = true;
        return NEVER.pipe(finalize(() => (isLookingUp = false)));
      },
    });
    const server = keep(await startPeer({ limits: PATIENT, store }));
    const client = keep(await startClient(server.location, { limits: PATIENT }));
    const subscription = client.peer.chunks.askChunk(chunkQuestion()).subscribe(() => {});
    await expect.poll(() => isLookingUp).toBe(true);
    subscription.unsubscribe();
    await expect.poll(() => isLookingUp).toBe(false);
    await expect.poll(() => server.peer.openCount).toBe(0);
  });

  it('resets what it is serving when it is stopped, and refuses nothing after that', async () => {
    const served: ServedEvent[] = [];
    const server = keep(
      await startPeer({
        limits: PATIENT,
        store: storeOf({ chunk: () => NEVER }),
        onServed: (event) => served.push(event),
      }),
    );
    const client = keep(await startClient(server.location, { limits: PATIENT }));
    const reply = askChunk(client);
    await expect.poll(() => server.peer.openCount).toBeGreaterThan(0);
    await server.peer.stop();
    expect(await reply).toBe('reset');
    expect(served).toMatchObject([{ outcome: 'failed', reason: 'stopped' }]);
    expect(server.peer.openCount).toBe(0);
    expect(await askChunk(client)).toBe('unsupported_protocol');
  });
});
