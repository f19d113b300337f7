import type { Libp2p } from 'libp2p';
import { createLibp2p } from 'libp2p';
import {
  asyncScheduler,
  defer,
  EMPTY,
  lastValueFrom,
  NEVER,
  type Observable,
  of,
  throwError,
} from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import { protocolNames } from '../../protocol/names.ts';
import { libp2pSettings } from '../../protocol/node-settings.ts';
import {
  type AvailabilityPeer,
  type AvailabilityPeerInit,
  createAvailabilityPeer,
} from '../../protocol/service.ts';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import { createRecovery } from '../../src/create-recovery.ts';
import { ChaCha8 } from '../../src/primitives/chacha8.ts';
import { validatorIndex } from '../../src/primitives/ids.ts';
import type { ChunkReply, DataReply, PeerLocation, ServedStore } from '../../src/recovery/ports.ts';
import { testCandidate } from '../support/candidate-world.ts';
import { FakeDirectory } from '../support/fake-directory.ts';
import { authorityAt } from '../support/fake-network.ts';
import {
  type OpenSource,
  type SourceScenario,
  type SourceUnderTest,
  sourceContract,
} from '../support/source-contract.ts';

const candidate = testCandidate({ validatorCount: 4 });
const GENESIS = new Uint8Array(32).fill(0x91);
const question = {
  candidateHash: candidate.candidateHash,
  sessionIndex: 10,
  validatorIndex: validatorIndex(1),
  authority: authorityAt(1),
  maxBytes: 100_000,
};

const genuine: ServedStore = {
  serveChunk: (_hash, validator) => of(candidate.chunks[candidate.mapping.chunkOf(validator)]!),
  serveAvailableData: () => of(encodeAvailableData(candidate.data)),
};

const stores = (onAsked: () => void): Readonly<Record<SourceScenario, ServedStore>> => ({
  answers: genuine,
  has_nothing: { serveChunk: () => EMPTY, serveAvailableData: () => EMPTY },
  // A store that fails is a refusal of chunks. Full data is not asked of who is not connected.
  fails: { serveChunk: () => throwError(() => new Error('x')), serveAvailableData: () => EMPTY },
  is_silent: { serveChunk: () => hang(onAsked), serveAvailableData: () => hang(onAsked) },
  garbage: genuine,
});

function hang(onAsked: () => void): Observable<never> {
  return defer(() => {
    onAsked();
    return NEVER;
  });
}

/** A node on loopback, perhaps with the peer on it. */
type Running = {
  readonly node: Libp2p;
  readonly peer: AvailabilityPeer;
  readonly location: PeerLocation;
  stop(): Promise<void>;
};

async function startNode(): Promise<Libp2p> {
  return await createLibp2p(
    libp2pSettings({ listen: ['/ip4/127.0.0.1/tcp/0'], inboundConnectionThreshold: 1_000_000 }),
  );
}

function locationOf(node: Libp2p): PeerLocation {
  return {
    peerId: node.peerId.toString(),
    addresses: node.getMultiaddrs().map((address) => address.toString()),
  };
}

async function startPeer(init: Partial<AvailabilityPeerInit>): Promise<Running> {
  const node = await startNode();
  const directory = new FakeDirectory();
  const peer = createAvailabilityPeer(node, { genesisHash: GENESIS, directory, ...init });
  await peer.start();
  return {
    node,
    peer,
    location: locationOf(node),
    stop: async () => {
      await peer.stop();
      await node.stop();
    },
  };
}

/** A peer that answers every request with a frame of two bytes that mean nothing. */
async function startBabbler(onRequest: () => void): Promise<Pick<Running, 'location' | 'stop'>> {
  const node = await startNode();
  const names = protocolNames({ genesisHash: GENESIS });
  await node.handle([names.chunkV2, names.availableData], async (stream) => {
    onRequest();
    stream.send(Uint8Array.of(2, 7, 7));
    await stream.close();
  });
  return { location: locationOf(node), stop: async () => void (await node.stop()) };
}

/**
 * Server and client on real sockets. Deadlines are those of a busy machine, but where the deadline itself
 * is what ends a request.
 */
function openPair<Reply>(
  ask: (client: Running, scenario: SourceScenario) => ReturnType<SourceUnderTest<Reply>['ask']>,
): OpenSource<Reply> {
  return async (scenario) => {
    let begun = 0;
    let silent = 0;
    const onAsked = (): void => {
      silent += 1;
    };
    const onRequest = (): void => {
      begun += 1;
    };
    const server =
      scenario === 'garbage'
        ? await startBabbler(onRequest)
        : await startPeer({
            store: stores(onAsked)[scenario],
            limits: {
              serveChunkDeadlineMs: 10_000,
              serveDataDeadlineMs: 10_000,
              readRequestDeadlineMs: 10_000,
            },
            onServed: onRequest,
          });
    const directory = new FakeDirectory();
    directory.locations.set(authorityAt(1), server.location);
    const deadlineMs = scenario === 'is_silent' ? 1_000 : 10_000;
    const limits = { chunkDeadlineMs: deadlineMs, dataDeadlineMs: deadlineMs, lingerMs: 250 };
    const client = await startPeer({ directory, limits });
    return {
      // The responder takes six requests for full data of one peer at a time.
      atOnce: 6,
      ask: () => ask(client, scenario),
      begun: () => begun,
      held: () => client.peer.openCount,
      settle: async (promise) => {
        await promise;
        // The streams of answered requests end a round trip later.
        await until(() => client.peer.openCount === 0);
      },
      // Before a stream is open, libp2p frees it a few microtasks after the abort.
      onItsWay: (count) => until(() => silent === count),
      [Symbol.asyncDispose]: async () => {
        await client.stop();
        await server.stop();
      },
    };
  };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

sourceContract<ChunkReply>(
  'ChunkSource: libp2p over loopback',
  { some: 'chunk', none: 'no_such_chunk' },
  openPair(({ peer }) => peer.chunks.askChunk(question)),
);
sourceContract<DataReply>(
  'DataSource: libp2p over loopback',
  { some: 'available_data', none: 'no_such_data' },
  openPair(({ peer }, scenario) =>
    peer.data.askData({ ...question, maxBytes: 1_000, dial: scenario !== 'fails' }),
  ),
);

describe('a recovery over real sockets', () => {
  const running: { stop(): Promise<void> }[] = [];
  const keep = <T extends { stop(): Promise<void> }>(one: T): T => {
    running.push(one);
    return one;
  };
  afterEach(async () => {
    await Promise.all(running.splice(0).map((one) => one.stop()));
  });

  it('uses the address that an authority has at the moment of each request', async () => {
    const [first, second] = [
      keep(await startPeer({ store: genuine })),
      keep(await startPeer({ store: genuine })),
    ];
    const directory = new FakeDirectory();
    directory.sessions.set(10, {
      index: 10,
      validators: [0, 1, 2, 3].map(authorityAt),
      groups: [],
      nodeFeatures: [false, false, true],
    });
    // Everybody is at one peer that is going away while the recovery runs.
    for (const v of [0, 1, 2, 3]) {
      directory.locations.set(authorityAt(v), first.location);
    }
    const client = keep(await startPeer({ directory }));
    await lastValueFrom(client.peer.chunks.askChunk(question));
    await first.stop();
    for (const v of [0, 1, 2, 3]) {
      directory.locations.set(authorityAt(v), second.location);
    }
    await using recovery = createRecovery({
      directory,
      chunkSource: client.peer.chunks,
      dataSource: client.peer.data,
      runtime: { scheduler: asyncScheduler, random: new ChaCha8(new Uint8Array(32)) },
    });
    await recovery.start();
    const { receipt, coreIndex } = candidate;
    const { data, account } = await recovery.recoverData({ receipt, sessionIndex: 10, coreIndex });
    expect(data).toEqual(candidate.data);
    expect(account.totals).toMatchObject({ failed: 0, running: 0 });
    expect(directory.located.length).toBe(1 + account.totals.issued);
  });
});
