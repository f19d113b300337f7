/**
 * @module
 * Real peers on loopback for the tests of this folder: a node with the availability peer on it, a
 * directory of such nodes, and a store of made-up content.
 */

import type { PrivateKey } from '@libp2p/interface';
import { createLibp2p, type Libp2p } from 'libp2p';
import { EMPTY, type Observable, of } from 'rxjs';
import type { PeerLimits } from '../../protocol/limits.ts';
import { libp2pSettings } from '../../protocol/node-settings.ts';
import {
  type AvailabilityPeer,
  type AvailabilityPeerInit,
  createAvailabilityPeer,
} from '../../protocol/service.ts';
import type { Chunk } from '../../src/primitives/chunk.ts';
import {
  type AuthorityId,
  authorityId,
  type CandidateHash,
  candidateHash,
  chunkIndex,
  type ValidatorIndex,
  validatorIndex,
} from '../../src/primitives/ids.ts';
import { MAX_RESPONSE_BYTES } from '../../src/primitives/limits.ts';
import type {
  ChunkQuestion,
  DataQuestion,
  PeerLocation,
  ServedStore,
  SessionDirectory,
} from '../../src/recovery/ports.ts';

/** The chain of all tests. */
export const GENESIS: Uint8Array = new Uint8Array(32).fill(0x91);

/** The candidate of all tests. */
export const CANDIDATE: CandidateHash = candidateHash('11'.repeat(32));

/** The authority under which a directory of one peer knows it. */
export const SERVER: AuthorityId = authorityId('server');

/** A chunk question about {@link CANDIDATE} to {@link SERVER}. */
export function chunkQuestion(index = 0, authority: AuthorityId = SERVER): ChunkQuestion {
  return {
    candidateHash: CANDIDATE,
    sessionIndex: 1,
    validatorIndex: validatorIndex(index),
    authority,
    maxBytes: MAX_RESPONSE_BYTES,
  };
}

/** A data question about {@link CANDIDATE} to {@link SERVER}. */
export function dataQuestion(changes: Partial<DataQuestion> = {}): DataQuestion {
  return { ...chunkQuestion(), maxBytes: 16_777_216, dial: true, ...changes };
}

/** A directory that looks locations up in a map, each time anew. */
export function directoryOf(locations: ReadonlyMap<AuthorityId, PeerLocation>): SessionDirectory {
  return {
    session: () => EMPTY,
    locate: (authority) => {
      const location = locations.get(authority);
      return location === undefined ? EMPTY : of(location);
    },
  };
}

/** What a served store holds, as functions of the question. */
export type StoreContent = {
  readonly chunk?: (validator: ValidatorIndex) => Observable<Chunk>;
  readonly data?: () => Observable<Uint8Array>;
};

/** A served store of made-up content. */
export function storeOf(content: StoreContent): ServedStore {
  return {
    serveChunk: (_candidate, validator) => content.chunk?.(validator) ?? EMPTY,
    serveAvailableData: () => content.data?.() ?? EMPTY,
  };
}

/** A chunk of some size whose bytes, index and proof depend on the validator. */
export function chunkOf(validator: number, bytes = 40): Chunk {
  return {
    bytes: new Uint8Array(bytes).fill(validator),
    chunkIndex: chunkIndex(validator + 100),
    proof: [new Uint8Array(32).fill(validator)],
  };
}

/** SCALE of an available data whose PoV has this many bytes of block data. */
export function dataOfSize(povBytes: number): Uint8Array {
  const head = Buffer.from('0404', 'hex');
  const rest = Buffer.alloc(40, 0x55);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(povBytes * 4 + 2);
  const pov = Buffer.alloc(povBytes);
  for (let i = 0; i < povBytes; i += 1) {
    pov[i] = (7 * i + (i >> 8)) & 0xff;
  }
  return new Uint8Array(Buffer.concat([length, pov, head, rest]));
}

/** Deadlines that a loaded machine keeps, for tests that are not about deadlines. */
export const PATIENT: Partial<PeerLimits> = {
  chunkDeadlineMs: 20_000,
  dataDeadlineMs: 20_000,
  serveChunkDeadlineMs: 20_000,
  serveDataDeadlineMs: 20_000,
  readRequestDeadlineMs: 20_000,
  lingerMs: 20_000,
};

/** A running node with a peer on it. */
export type RunningPeer = {
  readonly node: Libp2p;
  readonly peer: AvailabilityPeer;
  readonly location: PeerLocation;
  stop(): Promise<void>;
};

/** A node with our settings on loopback. */
async function startNode(listen = true, privateKey?: PrivateKey): Promise<Libp2p> {
  return await createLibp2p(
    libp2pSettings({
      ...(privateKey === undefined ? {} : { privateKey }),
      listen: listen ? ['/ip4/127.0.0.1/tcp/0'] : [],
      inboundConnectionThreshold: 1_000_000,
    }),
  );
}

/** Starts a peer. */
export async function startPeer(
  init: Partial<AvailabilityPeerInit> = {},
  listen = true,
  privateKey?: PrivateKey,
): Promise<RunningPeer> {
  const node = await startNode(listen, privateKey);
  const peer = createAvailabilityPeer(node, {
    genesisHash: GENESIS,
    directory: directoryOf(new Map()),
    ...init,
  });
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

/** Where a node is. */
export function locationOf(node: Libp2p): PeerLocation {
  return {
    peerId: node.peerId.toString(),
    addresses: node.getMultiaddrs().map((address) => address.toString()),
  };
}

/** A client that knows one location under {@link SERVER}. */
export async function startClient(
  location: PeerLocation,
  init: Partial<AvailabilityPeerInit> = {},
): Promise<RunningPeer> {
  return await startPeer({ directory: directoryOf(new Map([[SERVER, location]])), ...init }, false);
}
