/**
 * @module
 * The libp2p settings that a peer needs, each with its reason (network spec §5.1). The only file that
 * imports the encryption and the muxer, whose packages have other homes too.
 */

import { noise } from '@chainsafe/libp2p-noise';
import type { ComponentLogger, Logger as Libp2pLogger, PrivateKey } from '@libp2p/interface';
import { tcp } from '@libp2p/tcp';
import { yamux } from '@libp2p/yamux';
import type { Libp2pOptions } from 'libp2p';
import type { Logger } from '../src/recovery/ports.ts';

/** What differs from node to node. */
export type NodeSettings = {
  /** Multiaddresses to listen on; none means that we only dial. */
  readonly listen?: readonly string[];
  /** Our identity; libp2p makes a fresh one when absent. */
  readonly privateKey?: PrivateKey;
  /** Validators of the session: sets how many connections are kept. Default 1,000. */
  readonly validatorCount?: number;
  /** Inbound connections per second and address; raise it where all peers share one address. */
  readonly inboundConnectionThreshold?: number;
  /** Receives libp2p's own log lines at debug level; nothing is formatted when absent. */
  readonly logger?: Logger;
};

const NONE = (): void => {};
const SILENT: Libp2pLogger = Object.assign(NONE, {
  error: NONE,
  trace: NONE,
  enabled: false,
  newScope: () => SILENT,
});

/**
 * Options for `createLibp2p`: TCP, noise, yamux, and limits that suit a full validator set.
 *
 * Identify is not among them: no peer needs it, and it doubles the cost of a dial. Add it as a
 * service where the node has other uses for it.
 */
export function libp2pSettings(settings: NodeSettings = {}): Libp2pOptions {
  const { privateKey, validatorCount = 1_000, logger } = settings;
  return {
    ...(privateKey === undefined ? {} : { privateKey }),
    addresses: { listen: [...(settings.listen ?? [])] },
    transports: [
      tcp({
        backlog: 511,
        outboundSocketInactivityTimeout: 120_000,
        inboundSocketInactivityTimeout: 120_000,
      }),
    ],
    connectionEncrypters: [noise()],
    streamMuxers: [
      yamux({
        // The default of 10 aborts a connection on which a peer opens its streams before the upgrade
        // is finished; a Polkadot node opens well over ten.
        maxEarlyStreams: 1_024,
        maxInboundStreams: 512,
        maxOutboundStreams: 512,
        keepAliveInterval: 30_000,
        streamOptions: {
          // Both ends assume 256 KiB, nobody announces it: another value closes the connection.
          initialStreamWindowSize: 262_144,
          // A window capped at 256 KiB made 5 MiB at 50 ms round trip take six times as long.
          maxStreamWindowSize: 16_777_216,
        },
      }),
    ],
    connectionManager: {
      maxConnections: 2 * validatorCount + 200,
      maxParallelDials: 32,
      maxDialQueueLength: 4_000,
      dialTimeout: 5_000,
      addressDialTimeout: 3_000,
      maxIncomingPendingConnections: 256,
      // One host, at 50 connections a second that stay silent, holds 200 of these 256 places; with
      // the default of 10 s it would hold all of them, and nobody else could connect.
      inboundUpgradeTimeout: 4_000,
      inboundConnectionThreshold: settings.inboundConnectionThreshold ?? 50,
    },
    // Pings cost 62 ms of CPU per second at 333 connections with the default of 10 s.
    connectionMonitor: { enabled: true, pingInterval: 60_000 },
    logger: logger === undefined ? { forComponent: () => SILENT } : loggerOnto(logger),
  };
}

/** libp2p's logger on ours. Peers choose part of the text, so everything is debug level. */
function loggerOnto(logger: Logger): ComponentLogger {
  const scope = (component: string): Libp2pLogger =>
    Object.assign((formatter: unknown) => logger.debug('libp2p', { component, formatter }), {
      error: (formatter: unknown, ...args: unknown[]) =>
        logger.debug('libp2p_error', { component, formatter, args }),
      trace: NONE,
      enabled: true,
      newScope: (name: string) => scope(`${component}:${name}`),
    });
  return { forComponent: scope };
}
