/**
 * @module
 * A node as a config describes it, with its store. Opens and closes; what is asked and served is the
 * business of the commands.
 */

import { multiaddr } from '@multiformats/multiaddr';
import type { ServedEvent } from '../../protocol/served-event.ts';
import { type AvailabilityNode, openNode } from '../node.ts';
import type { SessionDirectory } from '../recovery/ports.ts';
import { AvailabilityStore, type StoreSettings } from '../store/availability-store.ts';
import { memoryStore, openLevelDatastore } from '../store/open.ts';
import type { Config } from './config.ts';
import { configDirectory } from './config-directory.ts';
import { CliError } from './failure.ts';
import { loadOrMakeSecret } from './identity-file.ts';
import { LyingStore } from './lying-store.ts';
import { completed, soleValue } from './settle.ts';

/** A running peer. */
export type RunningPeer = {
  readonly node: AvailabilityNode;
  readonly store: AvailabilityStore;
  /** Closes connections, node and store. Never rejects; gives up on the node after a while. */
  stop(): Promise<void>;
};

/** What differs between a peer that serves and one that recovers. */
export type PeerProcessOptions = {
  /** Where to listen when the config names nothing; empty for a peer that only dials. */
  readonly listenByDefault: readonly string[];
  /** Told once per inbound request. */
  readonly onServed?: (event: ServedEvent) => void;
  /** Whether its answers are wrong on purpose. */
  readonly lies?: boolean;
  /** In place of the config's. */
  readonly directory?: SessionDirectory;
};

/** How long a node may take to close its connections, in milliseconds. */
const STOP_MS = 2_000;

/** Inbound connections per second and address where every peer has the same address: no limit at all. */
const UNLIMITED_CONNECTIONS = 1_000_000;

/** Opens the store and the node of a config and starts the peer. */
export async function openPeer(config: Config, options: PeerProcessOptions): Promise<RunningPeer> {
  const identity =
    config.identity === undefined ? undefined : await loadOrMakeSecret(config.identity);
  const store = await openStore(config, options.lies === true);
  const listen = config.listen.length > 0 ? config.listen : options.listenByDefault;
  try {
    const node = await openNode({
      genesisHash: config.genesisHash,
      directory: options.directory ?? configDirectory(config),
      store,
      listen,
      validatorCount: config.session.validators.length,
      ...(listen.every(isLoopback) ? { inboundConnectionThreshold: UNLIMITED_CONNECTIONS } : {}),
      ...(config.forkId === undefined ? {} : { forkId: config.forkId }),
      ...(identity === undefined ? {} : { identity }),
      ...(options.onServed === undefined ? {} : { onServed: options.onServed }),
      ...config.work,
    });
    const stop = async (): Promise<void> => {
      await within(STOP_MS, () => node.stop());
      await closeStore(store);
    };
    return { node, store, stop };
  } catch (error: unknown) {
    await closeStore(store);
    const reason = listenFaults(error) ?? `cannot start the peer: ${reasonOf(error)}`;
    throw new CliError('local_fault', reason, {}, error);
  }
}

/** What the system says about an address, in words. */
const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'address in use',
  EADDRNOTAVAIL: 'no address of this machine',
  EACCES: 'not permitted',
};

/**
 * Says which addresses could not be listened on, and why; nothing when that was not the fault. libp2p
 * tells it only in its message, a line per address.
 */
export function listenFaults(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'UnsupportedListenAddressesError') {
    return undefined;
  }
  const faults = [...error.message.matchAll(/^\s*(\/\S*): (?:Error: )?(.*)$/gm)].map(
    ([, address = '', text = '']) => {
      const [code = ''] = /\bE[A-Z]{4,}\b/.exec(text) ?? [];
      return `cannot listen on ${address}: ${LISTEN_FAULTS[code] ?? text}`;
    },
  );
  return faults.length === 0 ? undefined : faults.join('; ');
}

/** libp2p puts the stacks of several errors into one message: the lines that say something. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const lines = text.split('\n').filter((line) => !/^\s*(at\s|$)/.test(line));
  return lines.map((line) => line.trim()).join(' ');
}

/**
 * Whether only peers of this machine can connect to an address. Elsewhere hosts stay held to the
 * connections per second of `libp2pSettings`.
 */
export function isLoopback(address: string): boolean {
  const [host] = multiaddr(address).getComponents();
  return (
    (host?.name === 'ip4' && host.value?.startsWith('127.') === true) ||
    (host?.name === 'ip6' && host.value === '::1')
  );
}

async function openStore(config: Config, lies: boolean): Promise<AvailabilityStore> {
  const { retention } = config.settings;
  const settings: StoreSettings = {
    ...(retention === undefined ? {} : { retention: durations(retention) }),
    ...(retention?.pruneEveryMs === undefined ? {} : { pruneEveryMs: retention.pruneEveryMs }),
  };
  const store = await openStoreAt(config.store, settings, lies);
  if (retention !== undefined) {
    store.startPruning();
  }
  return store;
}

async function openStoreAt(
  place: string | undefined,
  settings: StoreSettings,
  lies: boolean,
): Promise<AvailabilityStore> {
  if (place === undefined || place === 'memory') {
    return memoryStore(settings);
  }
  const datastore = await soleValue(openLevelDatastore(place));
  const close = (): Promise<void> => datastore.close();
  return lies
    ? new LyingStore(datastore, settings, close)
    : new AvailabilityStore(datastore, settings, close);
}

function durations({
  unavailableMs,
  finalizedMs,
}: NonNullable<Config['settings']['retention']>): NonNullable<StoreSettings['retention']> {
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
