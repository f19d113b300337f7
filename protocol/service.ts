/**
 * @module
 * The availability peer: the two sources and the responder on one libp2p node, as a libp2p service
 * or on a node that runs already.
 */

import type { Connection, Stream } from '@libp2p/interface';
import { asyncScheduler, type SchedulerLike } from 'rxjs';
import {
  type ChunkSource,
  type DataSource,
  type Logger,
  type MetricsSink,
  NO_LOGGER,
  NO_METRICS,
  type ServedStore,
  type SessionDirectory,
} from '../src/recovery/ports.ts';
import { MAX_INBOUND_STREAMS_PER_PROTOCOL, type PeerLimits, withDefaults } from './limits.ts';
import { protocolNames } from './names.ts';
import {
  type AvailabilityPeerComponents,
  type NodeLike,
  networkOfComponents,
  networkOfNode,
  type PeerNetwork,
} from './network.ts';
import { Requester } from './requester.ts';
import { Responder, type ServedProtocol } from './responder.ts';
import { assertRuntime } from './runtime-check.ts';
import type { ServedEvent } from './served-event.ts';

/** What a peer is made of. */
export type AvailabilityPeerInit = {
  /** Hash of block 0 of the chain, 32 bytes; part of every protocol name. */
  readonly genesisHash: Uint8Array;
  /** Fork id of the chain specification, if it defines one. */
  readonly forkId?: string;
  /** Where validators are. */
  readonly directory: SessionDirectory;
  /** What is served. Without one, chunk requests are refused and data requests get NoSuchData. */
  readonly store?: ServedStore;
  readonly logger?: Logger;
  readonly metrics?: MetricsSink;
  /** Replaces some of the default limits. */
  readonly limits?: Partial<PeerLimits>;
  /** Told once per inbound request. */
  readonly onServed?: (event: ServedEvent) => void;
  /** Clock and timers of deadlines; the real ones when absent. */
  readonly scheduler?: SchedulerLike;
};

/** The two sources, and a life cycle for the responder. */
export interface AvailabilityPeer {
  /** Asks validators for chunks. */
  readonly chunks: ChunkSource;
  /** Asks validators for full data. */
  readonly data: DataSource;
  /**
   * Registers the protocols. Also a peer that serves nothing does so: libp2p takes the limit of
   * outbound streams from the registered handler.
   */
  start(): Promise<void>;
  /**
   * Ends all requests with `cancelled`, resets all streams and removes the handlers. Whoever asks after
   * that gets `cancelled` at once, until the peer is started again.
   */
  stop(): Promise<void>;
  /** Requests, streams, waiting answers and reserved bytes that are not done; zero when idle. */
  readonly openCount: number;
}

/**
 * The peer as a libp2p service; libp2p starts and stops it.
 *
 * @example
 * ```ts
 * const node = await createLibp2p({
 *   ...libp2pSettings({ listen: ['/ip4/127.0.0.1/tcp/0'] }),
 *   services: { availability: availabilityPeer({ genesisHash, directory, store }) },
 * });
 * const { chunks } = node.services.availability;
 * ```
 */
export function availabilityPeer(
  init: AvailabilityPeerInit,
): (components: AvailabilityPeerComponents) => AvailabilityPeer {
  return (components) => peerOn(networkOfComponents(components), init);
}

/** The peer on a node that runs already. The caller starts and stops it, and owns the node. */
export function createAvailabilityPeer(
  node: NodeLike,
  init: AvailabilityPeerInit,
): AvailabilityPeer {
  return peerOn(networkOfNode(node), init);
}

function peerOn(network: PeerNetwork, init: AvailabilityPeerInit): AvailabilityPeer {
  assertRuntime();
  const limits = withDefaults(init.limits);
  const names = protocolNames({ genesisHash: init.genesisHash, forkId: init.forkId });
  const scheduler = init.scheduler ?? asyncScheduler;
  const metrics = init.metrics ?? NO_METRICS;
  const logger = init.logger ?? NO_LOGGER;
  const { directory, store, onServed } = init;
  const requester = new Requester({ network, directory, names, limits, scheduler, metrics });
  const responder = new Responder({ store, limits, scheduler, logger, metrics, onServed });
  const served: readonly (readonly [string, ServedProtocol])[] = [
    [names.chunkV2, 'req_chunk/2'],
    [names.chunkV1, 'req_chunk/1'],
    [names.chunkV1Legacy, 'req_chunk/1'],
    [names.availableData, 'req_available_data/1'],
    [names.availableDataLegacy, 'req_available_data/1'],
  ];
  return {
    chunks: requester,
    data: requester,
    get openCount() {
      return requester.openCount + responder.openCount;
    },
    async start() {
      requester.start();
      for (const [name, protocol] of served) {
        const handler = (stream: Stream, connection: Connection): Promise<void> =>
          responder.serve(protocol, stream, connection);
        await network.handle(name, handler, {
          maxInboundStreams: MAX_INBOUND_STREAMS_PER_PROTOCOL,
          maxOutboundStreams: limits.maxOutboundStreamsPerPeer,
          runOnLimitedConnection: false,
        });
      }
    },
    async stop() {
      requester.stop();
      responder.abortAll();
      for (const [name] of served) {
        await network.unhandle(name);
      }
    },
  };
}
