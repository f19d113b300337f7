/**
 * @module
 * Requester and responder against each other over real sockets: every answer there is.
 */

import { createLibp2p } from 'libp2p';
import { lastValueFrom, of, throwError } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { libp2pSettings } from '../../protocol/node-settings.ts';
import type { ServedEvent } from '../../protocol/served-event.ts';
import { availabilityPeer } from '../../protocol/service.ts';
import {
  CANDIDATE,
  chunkOf,
  chunkQuestion,
  dataOfSize,
  dataQuestion,
  directoryOf,
  GENESIS,
  locationOf,
  PATIENT,
  type RunningPeer,
  SERVER,
  startClient,
  startPeer,
  storeOf,
} from './peers.ts';

type Stoppable = { stop(): void | Promise<void> };
const running: Stoppable[] = [];
const keep = <T extends Stoppable>(peer: T): T => {
  running.push(peer);
  return peer;
};

afterEach(async () => {
  await Promise.all(running.splice(0).map(async (peer) => peer.stop()));
});

async function pair(
  store: Parameters<typeof storeOf>[0] | undefined,
  served: ServedEvent[] = [],
): Promise<{ client: RunningPeer; server: RunningPeer }> {
  const server = keep(
    await startPeer({
      limits: PATIENT,
      ...(store === undefined ? {} : { store: storeOf(store) }),
      onServed: (event) => served.push(event),
    }),
  );
  const client = keep(await startClient(server.location, { limits: PATIENT }));
  return { client, server };
}

describe('availabilityPeer', () => {
  it('brings a chunk with its own index over /2', async () => {
    const served: ServedEvent[] = [];
    const { client } = await pair({ chunk: (v) => of(chunkOf(v)) }, served);
    const reply = await lastValueFrom(client.peer.chunks.askChunk(chunkQuestion(5)));
    expect(reply).toMatchObject({ type: 'chunk', chunk: chunkOf(5), bytes: 80 });
    expect(reply.protocol).toBe(`/${'91'.repeat(32)}/req_chunk/2`);
    expect(served).toMatchObject([
      {
        protocol: reply.protocol,
        candidateHash: CANDIDATE,
        validatorIndex: 5,
        outcome: 'answered',
        bytes: 80,
        peerId: client.node.peerId.toString(),
      },
    ]);
  });

  it('brings full data of 5 MiB', async () => {
    const encoded = dataOfSize(5 * 1_048_576);
    const { client } = await pair({ data: () => of(encoded) });
    const reply = await lastValueFrom(client.peer.data.askData(dataQuestion()));
    expect(reply).toMatchObject({ type: 'available_data', bytes: encoded.length + 1 });
    if (reply.type === 'available_data') {
      expect(Buffer.compare(reply.data.pov.blockData, encoded.subarray(4, 4 + 5 * 1_048_576))).toBe(
        0,
      );
    }
  });

  it('tells a missing chunk and missing data from a refusal', async () => {
    const { client } = await pair({});
    const { chunks, data } = client.peer;
    expect(await lastValueFrom(chunks.askChunk(chunkQuestion()))).toMatchObject({
      type: 'no_such_chunk',
      bytes: 1,
    });
    expect(await lastValueFrom(data.askData(dataQuestion()))).toMatchObject({
      type: 'no_such_data',
      bytes: 1,
    });
  });

  it('refuses chunks and says NoSuchData when its store fails, or when it has none', async () => {
    const fail = () => throwError(() => new Error('disk on fire'));
    for (const store of [{ chunk: fail, data: fail }, undefined]) {
      const { client } = await pair(store);
      const { chunks, data } = client.peer;
      await expect(lastValueFrom(chunks.askChunk(chunkQuestion()))).rejects.toMatchObject({
        code: 'refused',
        details: { stage: 'first_byte', bytes: 0 },
      });
      expect(await lastValueFrom(data.askData(dataQuestion()))).toMatchObject({
        type: 'no_such_data',
      });
    }
  });

  it('is a libp2p service', async () => {
    const server = keep(await startPeer({ store: storeOf({ chunk: (v) => of(chunkOf(v)) }) }));
    const node = keep(
      await createLibp2p({
        ...libp2pSettings({ listen: ['/ip4/127.0.0.1/tcp/0'] }),
        services: {
          availability: availabilityPeer({
            genesisHash: GENESIS,
            limits: PATIENT,
            directory: directoryOf(new Map([[SERVER, server.location]])),
            store: storeOf({ chunk: (v) => of(chunkOf(v, 6)) }),
          }),
        },
      }),
    );
    const asked = node.services.availability.chunks.askChunk(chunkQuestion(1));
    expect(await lastValueFrom(asked)).toMatchObject({ chunk: chunkOf(1) });
    const client = keep(await startClient(locationOf(node), { limits: PATIENT }));
    expect(await lastValueFrom(client.peer.chunks.askChunk(chunkQuestion(2)))).toMatchObject({
      chunk: chunkOf(2, 6),
    });
  });
});
