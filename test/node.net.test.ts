import { createServer, type Server } from 'node:net';
import { lastValueFrom } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import type { EngineId } from '../src/erasure/kernel/index.ts';
import { type AvailabilityNode, type NodeOptions, openNode } from '../src/node.ts';
import { type AuthorityId, validatorIndex } from '../src/primitives/ids.ts';
import type { PeerLocation } from '../src/recovery/ports.ts';
import { type AvailabilityStore, memoryStore, openLevelStore } from '../src/store/index.ts';
import { type TestCandidate, testCandidate } from './support/candidate-world.ts';
import { FakeDirectory } from './support/fake-directory.ts';
import { authorityAt } from './support/fake-network.ts';
import { RecordedLog, RecordedMetrics } from './support/recovery-world.ts';
import { tempFolder } from './support/temp-folder.ts';

const GENESIS = new Uint8Array(32).fill(0x91);
const LOOPBACK = '/ip4/127.0.0.1/tcp/0';
const VALIDATORS = [0, 1, 2, 3];
const candidate = testCandidate({ validatorCount: VALIDATORS.length });
const { candidateHash, erasureRoot, receipt, coreIndex } = candidate;
const request = { receipt, sessionIndex: 10, coreIndex };

/** Sockets, servers and their connects that this process has open. */
function sockets(): readonly string[] {
  return process.getActiveResourcesInfo().filter((name) => /^TCP|Connect/.test(name));
}

async function untilNoSockets(): Promise<void> {
  // What was closed is gone a few turns later; a socket that stays fails the test.
  const endMs = performance.now() + 3_000;
  while (sockets().length > 0 && performance.now() < endMs) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(sockets()).toEqual([]);
}

function directory(locations: ReadonlyMap<AuthorityId, PeerLocation> = new Map()): FakeDirectory {
  const made = new FakeDirectory();
  made.sessions.set(10, {
    index: 10,
    validators: VALIDATORS.map(authorityAt),
    groups: [[0]],
    nodeFeatures: [false, false, true],
  });
  locations.forEach((location, authority) => {
    made.locations.set(authority, location);
  });
  return made;
}

function options(fields: Partial<NodeOptions> = {}): NodeOptions {
  return {
    genesisHash: GENESIS,
    directory: directory(),
    inboundConnectionThreshold: 1_000_000,
    ...fields,
  };
}

async function storeAll(store: AvailabilityStore, { data, mapping }: TestCandidate): Promise<void> {
  await lastValueFrom(
    store.storeAvailableData({
      candidateHash,
      erasureRoot,
      validatorCount: VALIDATORS.length,
      data,
      mapping,
    }),
  );
}

function locationOf({ libp2p, multiaddrs }: AvailabilityNode): PeerLocation {
  return { peerId: libp2p.peerId.toString(), addresses: [...multiaddrs] };
}

/** A listener that says nothing. */
async function listening(): Promise<{ readonly server: Server; readonly port: number }> {
  // What comes is dropped, so that the end of the other side is seen.
  const server = createServer((socket) => void socket.resume().on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

describe('openNode', () => {
  const opened: AvailabilityNode[] = [];
  const open = async (fields: Partial<NodeOptions> = {}): Promise<AvailabilityNode> => {
    const node = await openNode(options(fields));
    opened.push(node);
    return node;
  };

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((node) => node.stop()));
    await untilNoSockets();
  });

  it.each(['memory', 'level'] as const)(
    'makes two peers with a %s store that recover from each other, and stop closes everything',
    async (kind) => {
      await using folder = await tempFolder();
      const storeAt = (name: string): string => (kind === 'memory' ? 'memory' : folder.at(name));
      // Each holds what the other lacks: one the chunks of V0 and V1, the other those of V2 and V3.
      const nodes = [
        await open({ listen: [LOOPBACK], store: storeAt('a') }),
        await open({ listen: [LOOPBACK], store: storeAt('b') }),
      ] as const;
      for (const [place, node] of nodes.entries()) {
        for (const v of [2 * place, 2 * place + 1].map((index) => validatorIndex(index))) {
          const chunk = candidate.chunks[candidate.mapping.chunkOf(v)]!;
          await lastValueFrom(
            node.store!.storeChunk({
              candidateHash,
              erasureRoot,
              validatorCount: VALIDATORS.length,
              validatorIndex: v,
              chunk,
            }),
          );
        }
      }
      const locations = new Map(
        VALIDATORS.map((v) => [authorityAt(v), locationOf(nodes[v < 2 ? 0 : 1])]),
      );
      const metrics = new RecordedMetrics();
      for (const [place, node] of nodes.entries()) {
        await using recovery = node.createRecovery({ directory: directory(locations), metrics });
        await recovery.start();
        // Regular chunks from everybody: own ones from the store, the others over the wire.
        const { data, account } = await recovery.recoverData(request);
        expect(data).toEqual(candidate.data);
        const asked = account.attempts.map(({ validatorIndex: v }) => v);
        const own = [2 * place, 2 * place + 1];
        expect(asked.filter((v) => own.includes(v))).toEqual([]);
        expect(account.chunksHeld.length).toBeGreaterThanOrEqual(2);
      }
      expect(sockets().length).toBeGreaterThan(0);
      await Promise.all(nodes.map((node) => node.stop()));
      expect(nodes.map(({ peer }) => peer.openCount)).toEqual([0, 0]);
      await untilNoSockets();
      if (kind === 'level') {
        const store = await lastValueFrom(openLevelStore(folder.at('a')));
        await lastValueFrom(store.close(), { defaultValue: undefined });
      }
    },
  );

  it('asks without listening, and serves full data to who does', async () => {
    const server = await open({ listen: [LOOPBACK], store: 'memory' });
    await storeAll(server.store!, candidate);
    const locations = new Map([[authorityAt(0), locationOf(server)]]);
    const client = await open({ directory: directory(locations) });
    expect(client.multiaddrs).toEqual([]);
    expect(client.store).toBeUndefined();
    await using recovery = client.createRecovery();
    await recovery.start();
    const recovered = await recovery.recoverData({ ...request, backingGroup: 0 });
    expect(recovered).toMatchObject({ data: candidate.data, from: 'full_from_backers' });
  });

  it('hands its logger, metrics and settings to the recovery it makes', async () => {
    const [logger, metrics] = [new RecordedLog(), new RecordedMetrics()];
    const node = await open({ logger, metrics });
    await using recovery = node.createRecovery(
      {},
      { sessionMissing: 'unavailable', receiptSession: 'ignored' },
    );
    await recovery.start();
    await expect(recovery.recoverData({ ...request, sessionIndex: 9 })).rejects.toMatchObject({
      code: 'unavailable',
    });
    await expect(recovery.recoverData(request)).rejects.toMatchObject({ code: 'unavailable' });
    expect([...metrics.counts.keys()].join(' ')).toContain('recoveries_finished');
  });

  it('hands its engine to the recoveries it makes, which share its work until it stops', async () => {
    const node = await open({ engine: 'scalar', workers: 0 });
    const { directory: sessions } = options();
    for (const settings of [{}, { attempts: { systematic: 1, regular: 1 } }]) {
      await using recovery = node.createRecovery({ directory: sessions }, settings);
      await recovery.start();
      const error = await recovery.recoverData(request).catch((cause: unknown) => cause);
      expect(error).toMatchObject({
        code: 'unavailable',
        account: { work: { engine: 'scalar', reason: 'option', threads: 0 } },
      });
    }
    await node.stop();
  });

  it('refuses an engine that is none before it opens anything', async () => {
    await expect(openNode(options({ engine: 'gpu' as EngineId }))).rejects.toThrow(RangeError);
    await untilNoSockets();
  });

  it('is the peer whose identity was given', async () => {
    const identity = new Uint8Array(32).fill(5);
    const ids: string[] = [];
    for (const _time of [1, 2]) {
      const node = await open({ identity });
      ids.push(node.libp2p.peerId.toString());
      await node.stop();
    }
    const other = await open();
    expect(ids[0]).toBe(ids[1]);
    expect(other.libp2p.peerId.toString()).not.toBe(ids[0]);
  });

  it('leaves a store that was passed in open', async () => {
    const store = memoryStore();
    const node = await open({ store });
    expect(node.store).toBe(store);
    await storeAll(store, candidate);
    await node.stop();
    expect(await lastValueFrom(store.loadChunkBytes(candidateHash))).toBeGreaterThan(0);
  });

  it('can be stopped many times at once, and each waits for the end', async () => {
    await using folder = await tempFolder();
    const node = await open({ listen: [LOOPBACK], store: folder.at('s') });
    const stops = [1, 2, 3, 4].map(() => node.stop());
    await stops.at(-1);
    expect(node.libp2p.status).toBe('stopped');
    // The store is free again although the first stop was not waited for.
    const store = await lastValueFrom(openLevelStore(folder.at('s')));
    await lastValueFrom(store.close(), { defaultValue: undefined });
    await Promise.all(stops);
    await untilNoSockets();
  });

  it('is closed by leaving its scope', async () => {
    {
      await using node = await openNode(options({ listen: [LOOPBACK] }));
      expect(node.multiaddrs).toHaveLength(1);
    }
    await untilNoSockets();
  });

  it('ends what is asked through it with cancelled when it stops', async () => {
    const { server, port } = await listening();
    // The dial hangs in the handshake.
    const peerId = (await open()).libp2p.peerId.toString();
    const addresses = [`/ip4/127.0.0.1/tcp/${port}`];
    const node = await open({
      directory: directory(new Map([[authorityAt(1), { peerId, addresses }]])),
    });
    const asked = lastValueFrom(
      node.peer.chunks.askChunk({
        candidateHash,
        sessionIndex: 10,
        validatorIndex: validatorIndex(1),
        authority: authorityAt(1),
        maxBytes: 100_000,
      }),
    );
    const [outcome] = await Promise.all([
      asked.catch((error: unknown) => error),
      new Promise((resolve) => setImmediate(resolve)).then(() => node.stop()),
    ]);
    expect(outcome).toMatchObject({ name: 'RequestError', code: 'cancelled' });
    await new Promise((resolve) => server.close(resolve));
  });

  it('ends a recovery that it made with stopped when it stops', async () => {
    const { server, port } = await listening();
    const peerId = (await open()).libp2p.peerId.toString();
    const addresses = [`/ip4/127.0.0.1/tcp/${port}`];
    const silent = VALIDATORS.map((v) => [authorityAt(v), { peerId, addresses }] as const);
    const node = await open({ directory: directory(new Map(silent)) });
    const recovery = node.createRecovery();
    await recovery.start();
    const ended = recovery.recoverData(request).catch((error: unknown) => error);
    await expect.poll(() => node.peer.openCount).toBeGreaterThan(0);
    await node.stop();
    expect(await ended).toMatchObject({ name: 'RecoveryError', code: 'stopped' });
    await new Promise((resolve) => server.close(resolve));
  });

  it.each<[string, (port: number) => Partial<NodeOptions>]>([
    ['its port is in use', (port) => ({ listen: [`/ip4/127.0.0.1/tcp/${port}`] })],
    ['its address is none', () => ({ listen: ['/ip4/127.0.0.1/udp/1'] })],
    ['its address is malformed', () => ({ listen: ['nowhere'] })],
    ['its identity has another size', () => ({ listen: [LOOPBACK], identity: new Uint8Array(31) })],
    ['its chain is no hash', () => ({ listen: [LOOPBACK], genesisHash: new Uint8Array(3) })],
  ])('leaves nothing open when %s', async (_name, fieldsOf) => {
    await using folder = await tempFolder();
    const { server, port } = await listening();
    await expect(openNode(options({ store: folder.at('s'), ...fieldsOf(port) }))).rejects.toThrow();
    await new Promise((resolve) => server.close(resolve));
    await untilNoSockets();
    const store = await lastValueFrom(openLevelStore(folder.at('s')));
    await lastValueFrom(store.close(), { defaultValue: undefined });
  });

  it('leaves nothing open when its store is locked, and says so', async () => {
    await using folder = await tempFolder();
    const store = await lastValueFrom(openLevelStore(folder.at('s')));
    await expect(
      openNode(options({ listen: [LOOPBACK], store: folder.at('s') })),
    ).rejects.toMatchObject({ code: 'store_locked' });
    await untilNoSockets();
    await lastValueFrom(store.close(), { defaultValue: undefined });
  });
});
