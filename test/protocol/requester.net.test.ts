/**
 * @module
 * Our requester over real sockets: finding and losing connections, deadlines and their stages, and
 * giving up. The guarantees of the chunk source port, by name.
 */

import { createServer, type Server } from 'node:net';
import { generateKeyPair } from '@libp2p/crypto/keys';
import {
  asyncScheduler,
  EMPTY,
  lastValueFrom,
  map,
  NEVER,
  of,
  type SchedulerLike,
  throwError,
  timer,
} from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { encodeFrame, encodePrefix } from '../../protocol/framing.ts';
import { encodeChunkResponseV2 } from '../../protocol/messages.ts';
import type { authorityId } from '../../src/primitives/ids.ts';
import type { PeerLocation, RequestError, SessionDirectory } from '../../src/recovery/ports.ts';
import {
  chunkOf,
  chunkQuestion,
  dataOfSize,
  dataQuestion,
  directoryOf,
  locationOf,
  PATIENT,
  type RunningPeer,
  SERVER,
  startClient,
  startPeer,
  storeOf,
} from './peers.ts';
import { FIN, type RawPeer, type RawStream, RST, startRawPeer } from './raw-yamux.ts';

const CHUNK = chunkOf(3, 100_000);
const FRAME = encodeFrame(encodeChunkResponseV2(CHUNK));
const GOOD_STORE = storeOf({ chunk: (v) => of(chunkOf(v)), data: () => of(dataOfSize(20_000)) });

const running: { stop(): Promise<void> }[] = [];
const listeners: Server[] = [];
function keep<T extends { stop(): Promise<void> }>(peer: T): T {
  running.push(peer);
  return peer;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((peer) => peer.stop()));
  for (const listener of listeners.splice(0)) {
    listener.close();
  }
});

function ask(client: RunningPeer, validator = 3): Promise<unknown> {
  const reply = lastValueFrom(client.peer.chunks.askChunk(chunkQuestion(validator)));
  reply.catch(() => {});
  return reply;
}

async function rawPair(limits = {}): Promise<{ raw: RawPeer; client: RunningPeer }> {
  const raw = keep(await startRawPeer());
  return {
    raw,
    client: keep(await startClient(locationOf(raw.node), { limits: { ...PATIENT, ...limits } })),
  };
}

async function accept(raw: RawPeer): Promise<RawStream> {
  const stream = await (await raw.connection()).inbound();
  await stream.acceptProtocol();
  await stream.readMessage();
  return stream;
}

/** A port of loopback that answers nothing: closed, or open and silent. */
async function uselessPort(kind: 'closed' | 'silent'): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  if (kind === 'closed') {
    await new Promise((resolve) => listener.close(resolve));
  } else {
    listener.on('connection', (socket) => {
      socket.on('error', () => {});
      socket.unref();
    });
    listeners.push(listener);
  }
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('Requester finding a peer', () => {
  it('asks nothing before the subscription', async () => {
    let asked = 0;
    const directory: SessionDirectory = {
      session: () => EMPTY,
      locate: () => {
        asked += 1;
        return EMPTY;
      },
    };
    const client = keep(await startPeer({ directory }, false));
    const reply = client.peer.chunks.askChunk(chunkQuestion());
    expect(asked).toBe(0);
    await expect(lastValueFrom(reply)).rejects.toMatchObject({ code: 'dial_failed' });
    expect(asked).toBe(1);
  });

  const useless: readonly (readonly [string, PeerLocation | undefined])[] = [
    ['an authority that the directory does not know', undefined],
    ['a peer id that is none', { peerId: 'nobody', addresses: [] }],
  ];
  for (const [name, location] of useless) {
    it(`reports ${name} as dial_failed at once`, async () => {
      const locations = new Map(location === undefined ? [] : [[SERVER, location]]);
      const client = keep(
        await startPeer({ directory: directoryOf(locations), limits: PATIENT }, false),
      );
      await expect(ask(client)).rejects.toMatchObject({
        name: 'RequestError',
        code: 'dial_failed',
        details: { stage: 'dial', bytes: 0 },
      });
    });
  }

  it('reports no usable address, a closed port, another peer and ourselves as dial_failed', async () => {
    const server = keep(await startPeer({ limits: PATIENT, store: GOOD_STORE }));
    const other = keep(await startPeer());
    const port = await uselessPort('closed');
    const { peerId } = server.location;
    const locations = new Map<ReturnType<typeof authorityId>, PeerLocation>();
    const client = keep(await startPeer({ directory: directoryOf(locations), limits: PATIENT }));
    for (const location of [
      { peerId, addresses: [] },
      { peerId, addresses: ['no address', ...other.location.addresses] },
      { peerId, addresses: [`/ip4/127.0.0.1/tcp/${port}`] },
      { peerId, addresses: [other.location.addresses[0]?.split('/p2p/')[0] ?? ''] },
      client.location,
    ]) {
      locations.set(SERVER, location);
      await expect(ask(client), JSON.stringify(location)).rejects.toMatchObject({
        code: 'dial_failed',
      });
    }
    expect(client.peer.openCount).toBe(0);
  });

  it('reports a directory that fails, or never answers, as dial_failed within the deadline', async () => {
    for (const locate of [() => throwError(() => new Error('down')), () => NEVER]) {
      const directory: SessionDirectory = { session: () => EMPTY, locate };
      const client = keep(await startPeer({ directory, limits: { chunkDeadlineMs: 150 } }, false));
      await expect(ask(client)).rejects.toMatchObject({
        code: 'dial_failed',
        details: { stage: 'dial' },
      });
    }
  });

  it('reaches a peer with two addresses of which one is dead', async () => {
    const server = keep(await startPeer({ limits: PATIENT, store: GOOD_STORE }));
    const dead = `/ip4/127.0.0.1/tcp/${await uselessPort('closed')}`;
    const client = keep(
      await startClient(
        {
          peerId: server.location.peerId,
          addresses: [dead, ...server.location.addresses],
        },
        { limits: PATIENT },
      ),
    );
    expect(await ask(client)).toMatchObject({ chunk: chunkOf(3) });
  });

  it('begins with the next address after one that ate the whole deadline', async () => {
    const server = keep(await startPeer({ limits: PATIENT, store: GOOD_STORE }));
    const silent = `/ip4/127.0.0.1/tcp/${await uselessPort('silent')}`;
    const client = keep(
      await startClient(
        {
          peerId: server.location.peerId,
          addresses: [silent, ...server.location.addresses],
        },
        { limits: { ...PATIENT, chunkDeadlineMs: 1_000 } },
      ),
    );
    await expect(ask(client)).rejects.toMatchObject({
      code: 'dial_failed',
      details: { stage: 'dial' },
    });
    expect(await ask(client)).toMatchObject({ chunk: chunkOf(3) });
  });

  it('follows an address that changes between two requests', async () => {
    const privateKey = await generateKeyPair('Ed25519');
    const before = await startPeer({ store: GOOD_STORE, limits: PATIENT }, true, privateKey);
    const locations = new Map([[SERVER, before.location]]);
    const client = keep(
      await startPeer({ directory: directoryOf(locations), limits: PATIENT }, false),
    );
    await ask(client);
    await before.stop();
    const after = keep(await startPeer({ limits: PATIENT, store: GOOD_STORE }, true, privateKey));
    expect(after.location.addresses).not.toEqual(before.location.addresses);
    locations.set(SERVER, after.location);
    expect(await ask(client)).toMatchObject({ chunk: chunkOf(3) });
  });

  it('dials for full data only when the question says so', async () => {
    const server = keep(await startPeer({ limits: PATIENT, store: GOOD_STORE }));
    const client = keep(await startClient(server.location, { limits: PATIENT }));
    const asking = (dial: boolean): Promise<unknown> =>
      lastValueFrom(client.peer.data.askData(dataQuestion({ dial })));
    await expect(asking(false)).rejects.toMatchObject({ code: 'not_connected' });
    expect(await asking(true)).toMatchObject({ type: 'available_data' });
    expect(await asking(false)).toMatchObject({ type: 'available_data' });
  });

  it('registers its protocols, so that its limits hold on both sides', async () => {
    const client = keep(await startClient({ peerId: '', addresses: [] }));
    expect(client.node.getProtocols().filter((name) => name.includes('/req_'))).toHaveLength(5);
  });
});

describe('Requester losing a connection', () => {
  it('redials after the peer has closed the connection', async () => {
    const server = keep(await startPeer({ limits: PATIENT, store: GOOD_STORE }));
    const client = keep(await startClient(server.location, { limits: PATIENT }));
    await ask(client);
    await server.node.hangUp(client.node.peerId);
    expect(await ask(client)).toMatchObject({ chunk: chunkOf(3) });
  });

  it('redials once when the connection goes away under a request', async () => {
    const { raw, client } = await rawPair();
    const reply = ask(client);
    const first = await raw.connection();
    await (await first.inbound()).acceptProtocol();
    first.kill();
    const stream = await accept(raw);
    stream.write(FRAME, FIN);
    expect(await reply).toMatchObject({ chunk: CHUNK });
  });

  it('gives up when the second connection goes away too', async () => {
    const { raw, client } = await rawPair();
    const reply = ask(client);
    for (let i = 0; i < 2; i += 1) {
      const connection = await raw.connection();
      await (await connection.inbound()).acceptProtocol();
      connection.kill();
    }
    await expect(reply).rejects.toMatchObject({ code: 'connection_closed' });
  });

  it('replaces a connection that takes no more streams though its socket lives', async () => {
    const { raw, client } = await rawPair();
    const reply = ask(client);
    const first = await raw.connection();
    const stream = await first.inbound();
    await stream.acceptProtocol();
    stream.write(FRAME, FIN);
    await reply;
    first.goAway();
    await first.ping();
    expect(client.node.getConnections()[0]?.status).toBe('open');
    const again = ask(client);
    (await accept(raw)).write(FRAME, FIN);
    expect(await again).toMatchObject({ chunk: CHUNK });
    await expect.poll(() => client.node.getConnections().length).toBe(1);
  });

  it('does not redial full data when dialing is not allowed', async () => {
    const { raw, client } = await rawPair();
    await client.node.dial(raw.node.getMultiaddrs());
    const reply = lastValueFrom(client.peer.data.askData(dataQuestion({ dial: false })));
    reply.catch(() => {});
    const connection = await raw.connection();
    await connection.inbound();
    connection.kill();
    await expect(reply).rejects.toMatchObject({ code: 'connection_closed' });
  });
});

describe('Requester running out of time', () => {
  const limits = { chunkDeadlineMs: 250 };

  it('names the stage of its one deadline: negotiate, first_byte, body', async () => {
    const { raw, client } = await rawPair(limits);
    const negotiating = ask(client);
    const connection = await raw.connection();
    const silent = await connection.inbound();
    await expect(negotiating).rejects.toMatchObject({
      code: 'timeout',
      details: { stage: 'negotiate', bytes: 0 },
    });
    await silent.untilFlag(RST);

    const waiting = ask(client);
    const accepted = await connection.inbound();
    await accepted.acceptProtocol();
    await expect(waiting).rejects.toMatchObject({
      code: 'timeout',
      details: { stage: 'first_byte', bytes: 0 },
    });
    await accepted.untilFlag(RST);

    const reading = ask(client);
    const half = await connection.inbound();
    await half.acceptProtocol();
    half.write(FRAME.subarray(0, 50_000));
    const failure = await reading.catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'timeout', details: { stage: 'body', bytes: 50_000 } });
    const { elapsedMs } = (failure as { details: { elapsedMs: number } }).details;
    expect(elapsedMs).toBeGreaterThan(200);
    expect(elapsedMs).toBeLessThan(2_000);
    await half.untilFlag(RST);
    expect(client.peer.openCount).toBe(0);
  });

  it.each([-3_600_000, 3_600_000])(
    'keeps its deadline when the clock jumps by %i ms',
    async (jumpMs) => {
      const raw = keep(await startRawPeer());
      let offsetMs = 0;
      const scheduler: SchedulerLike = {
        now: () => asyncScheduler.now() + offsetMs,
        schedule: asyncScheduler.schedule.bind(asyncScheduler),
      };
      const directory: SessionDirectory = {
        session: () => EMPTY,
        locate: () =>
          timer(50).pipe(
            map(() => {
              offsetMs = jumpMs;
              return locationOf(raw.node);
            }),
          ),
      };
      const client = keep(await startPeer({ directory, scheduler, limits }, false));
      const startedAtMs = performance.now();
      const failure = await ask(client).catch((error: unknown) => error);
      const tookMs = performance.now() - startedAtMs;
      expect(failure).toMatchObject({ code: 'timeout', details: { stage: 'negotiate' } });
      expect((failure as RequestError).details['elapsedMs']).toBeGreaterThanOrEqual(0);
      expect(tookMs).toBeGreaterThan(limits.chunkDeadlineMs * 0.9);
      expect(tookMs).toBeLessThan(limits.chunkDeadlineMs * 4);
    },
  );

  it('is not held up by a peer that drips a byte per 50 ms', async () => {
    const { raw, client } = await rawPair(limits);
    const reply = ask(client);
    const stream = await accept(raw);
    stream.write(encodePrefix(1_000));
    const drip = setInterval(() => stream.write(Uint8Array.of(0)), 50);
    await expect(reply).rejects.toMatchObject({ code: 'timeout', details: { stage: 'body' } });
    clearInterval(drip);
    await stream.untilFlag(RST);
  });

  it('resets an answered stream that the peer does not end', async () => {
    const { raw, client } = await rawPair({ lingerMs: 150 });
    const reply = ask(client);
    const stream = await accept(raw);
    stream.write(FRAME);
    expect(await reply).toMatchObject({ chunk: CHUNK });
    expect(client.peer.openCount).toBeGreaterThan(0);
    await stream.untilFlag(FIN);
    await stream.untilFlag(RST);
    expect(client.peer.openCount).toBe(0);
  });
});

describe('Requester giving up', () => {
  it('resets the stream in the turn of the unsubscription, in mid-answer', async () => {
    const { raw, client } = await rawPair();
    const subscription = client.peer.chunks.askChunk(chunkQuestion(3)).subscribe(() => {});
    const stream = await accept(raw);
    stream.write(FRAME.subarray(0, 50_000));
    const [connection] = client.node.getConnections();
    expect(connection?.streams.length).toBe(1);
    subscription.unsubscribe();
    expect(connection?.streams.length).toBe(0);
    await stream.untilFlag(RST);
    expect(client.peer.openCount).toBe(0);
  });

  it('resets the stream when it gives up in the negotiation', async () => {
    const { raw, client } = await rawPair();
    const subscription = client.peer.chunks.askChunk(chunkQuestion(3)).subscribe(() => {});
    const stream = await (await raw.connection()).inbound();
    subscription.unsubscribe();
    await stream.untilFlag(RST);
    await expect.poll(() => client.peer.openCount).toBe(0);
  });

  it('ends a dial that nobody waits for', async () => {
    const silent = `/ip4/127.0.0.1/tcp/${await uselessPort('silent')}`;
    const other = keep(await startPeer());
    const client = keep(
      await startClient(
        { peerId: other.location.peerId, addresses: [silent] },
        { limits: PATIENT },
      ),
    );
    const subscription = client.peer.chunks.askChunk(chunkQuestion(3)).subscribe(() => {});
    await expect.poll(() => client.node.getDialQueue().length).toBe(1);
    subscription.unsubscribe();
    await expect.poll(() => client.node.getDialQueue().length).toBe(0);
    expect(client.peer.openCount).toBe(0);
  });

  it('ends what is running with `cancelled` when it is stopped', async () => {
    const { raw, client } = await rawPair();
    const reply = ask(client);
    const stream = await accept(raw);
    await client.peer.stop();
    await expect(reply).rejects.toMatchObject({ code: 'cancelled' });
    await stream.untilFlag(RST);
  });

  it('asks nobody once it is stopped, until it is started again', async () => {
    const server = keep(await startPeer({ limits: PATIENT, store: GOOD_STORE }));
    const client = keep(await startClient(server.location, { limits: PATIENT }));
    await client.peer.stop();
    await expect(ask(client)).rejects.toMatchObject({ name: 'RequestError', code: 'cancelled' });
    expect(client.node.getConnections()).toEqual([]);
    await client.peer.start();
    expect(await ask(client)).toMatchObject({ type: 'chunk' });
  });
});

describe('Requester asking much', () => {
  it('holds 64 streams to one peer and lets the rest wait for a free one', async () => {
    const { raw, client } = await rawPair();
    const replies = Array.from({ length: 80 }, () => ask(client));
    const connection = await raw.connection();
    const streams: RawStream[] = [];
    for (let i = 0; i < 64; i += 1) {
      const stream = await connection.inbound();
      await stream.acceptProtocol();
      await stream.readMessage();
      streams.push(stream);
    }
    expect(client.node.getConnections()[0]?.streams.length).toBe(64);
    expect(connection.streams.size).toBe(64);
    for (const stream of streams.splice(0, 16)) {
      stream.write(FRAME, FIN);
      const next = await connection.inbound();
      await next.acceptProtocol();
      streams.push(next);
    }
    expect(client.node.getConnections()[0]?.streams.length).toBe(64);
    for (const stream of streams) {
      stream.write(FRAME, FIN);
    }
    expect(await Promise.all(replies)).toHaveLength(80);
    await expect.poll(() => client.peer.openCount).toBe(0);
  });

  it('reads an answer of 16 MiB, which the ready-made readers cannot', async () => {
    const encoded = dataOfSize(16_777_216 - 100);
    const server = keep(
      await startPeer({ limits: PATIENT, store: storeOf({ data: () => of(encoded) }) }),
    );
    const client = keep(await startClient(server.location, { limits: PATIENT }));
    const reply = await lastValueFrom(client.peer.data.askData(dataQuestion()));
    expect(reply).toMatchObject({ type: 'available_data', bytes: encoded.length + 1 });
  });
});
