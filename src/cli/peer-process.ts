/**
 * @module
 * A libp2p node with an availability peer on it, as a config describes it. Opens and closes; what is
 * asked and served is the business of the commands.
 */

import { generateKeyPairFromSeed } from '@libp2p/crypto/keys';
import { createLibp2p } from 'libp2p';

import { libp2pSettings } from '../../protocol/node-settings.ts';
import type { ServedEvent } from '../../protocol/served-event.ts';
import { type AvailabilityPeer, createAvailabilityPeer } from '../../protocol/service.ts';
import { hashReady } from '../primitives/hash.ts';
import type { Logger, ServedStore, SessionDirectory } from '../recovery/ports.ts';
import type { AvailabilityStore } from '../store/availability-store.ts';
import { memoryStore, openLevelStore } from '../store/open.ts';
import type { Config } from './config.ts';
import { configDirectory } from './config-directory.ts';
import { CliError } from './failure.ts';
import { loadOrMakeSecret } from './identity-file.ts';
import { completed, soleValue } from './settle.ts';

/** A running peer. */
export type RunningPeer = {
  readonly peerId: string;
  /** With the peer id at the end; empty when it does not listen. */
  readonly multiaddrs: readonly string[];
  readonly peer: AvailabilityPeer;
  readonly store: AvailabilityStore;
  readonly directory: SessionDirectory;
  /** Closes connections, node and store. Never rejects; gives up on the node after a while. */
  stop(): Promise<void>;
};

/** What differs between a peer that serves and one that recovers. */
export type PeerProcessOptions = {
  /** Where to listen when the config names nothing; empty for a peer that only dials. */
  readonly listenByDefault: readonly string[];
  readonly logger?: Logger;
  readonly onServed?: (event: ServedEvent) => void;
  /** Stands between the store and the answers. */
  readonly wrapServed?: (store: ServedStore) => ServedStore;
};

/** How long a node may take to close its connections, in milliseconds. */
const STOP_MS = 2_000;

/** Inbound connections per second and address: peers of one machine share one address. */
const INBOUND_CONNECTIONS = 1_000_000;

/** Opens the store and the node of a config and starts the peer. */
export async function openPeer(config: Config, options: PeerProcessOptions): Promise<RunningPeer> {
  await hashReady();
  const store = await openStore(config, options.logger);
  try {
    return await openNode(config, store, options);
  } catch (error: unknown) {
    await closeStore(store);
    throw error;
  }
}

async function openNode(
  config: Config,
  store: AvailabilityStore,
  options: PeerProcessOptions,
): Promise<RunningPeer> {
  const listen = config.listen.length > 0 ? config.listen : options.listenByDefault;
  const node = await createLibp2p({
    ...libp2pSettings({
      listen,
      validatorCount: config.session.validators.length,
      inboundConnectionThreshold: INBOUND_CONNECTIONS,
      ...(config.identity === undefined
        ? {}
        : {
            privateKey: await generateKeyPairFromSeed(
              'Ed25519',
              await loadOrMakeSecret(config.identity),
            ),
          }),
    }),
    start: false,
  });
  const directory = configDirectory(config);
  const peer = createAvailabilityPeer(node, {
    genesisHash: config.genesisHash,
    ...(config.forkId === undefined ? {} : { forkId: config.forkId }),
    directory,
    store: options.wrapServed?.(store) ?? store,
    ...(options.logger === undefined ? {} : { logger: options.logger }),
    ...(options.onServed === undefined ? {} : { onServed: options.onServed }),
  });
  const stop = async (): Promise<void> => {
    await within(STOP_MS, async () => {
      await peer.stop();
      await node.stop();
    });
    await closeStore(store);
  };
  try {
    // Before the node listens: the first stream must find its handler.
    await peer.start();
    await node.start();
  } catch (error: unknown) {
    await within(STOP_MS, async () => node.stop());
    throw new CliError('local_fault', `cannot listen on ${listen.join(', ')}`, {}, error);
  }
  return {
    peerId: node.peerId.toString(),
    multiaddrs: node.getMultiaddrs().map((address) => address.toString()),
    peer,
    store,
    directory,
    stop,
  };
}

async function openStore(config: Config, logger: Logger | undefined): Promise<AvailabilityStore> {
  const { retention } = config.settings;
  const settings = {
    ...(logger === undefined ? {} : { logger }),
    ...(retention === undefined ? {} : { retention: definedOnly(retention) }),
    ...(retention?.pruneEveryMs === undefined ? {} : { pruneEveryMs: retention.pruneEveryMs }),
  };
  const store =
    config.store === undefined || config.store === 'memory'
      ? memoryStore(settings)
      : await soleValue(openLevelStore(config.store, settings));
  if (retention !== undefined) {
    store.startPruning();
  }
  return store;
}

function definedOnly({
  unavailableMs,
  finalizedMs,
}: {
  readonly unavailableMs?: number;
  readonly finalizedMs?: number;
}): { readonly unavailableMs?: number; readonly finalizedMs?: number } {
  return {
    ...(unavailableMs === undefined ? {} : { unavailableMs }),
    ...(finalizedMs === undefined ? {} : { finalizedMs }),
  };
}

async function closeStore(store: AvailabilityStore): Promise<void> {
  await completed(store.close()).catch(() => {});
}

/** Waits for work to settle, but not for ever; its failure is of no interest. */
async function within(limitMs: number, work: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work().catch(() => {}), limit]);
  clearTimeout(timer);
}
