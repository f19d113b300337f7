/**
 * @module
 * Finds or makes the connection for a request. Keeps no connection alive and closes none that works;
 * libp2p's connection manager owns them.
 */

import type { Connection, PeerId } from '@libp2p/interface';
import { peerIdFromString } from '@libp2p/peer-id';
import { type Multiaddr, multiaddr } from '@multiformats/multiaddr';
import type { PeerLocation } from '../src/recovery/ports.ts';
import type { PeerNetwork } from './network.ts';
import type { RequestProgress } from './request-progress.ts';

/** Peers whose last good address is remembered; the oldest is forgotten first. */
const REMEMBERED_PEERS = 4_096;

/** A peer as the directory describes it, read and checked. */
export type PeerTarget = { readonly peer: PeerId; readonly addresses: readonly Multiaddr[] };

/**
 * Reads a location. Addresses that are not multiaddresses, or name another peer, are left out.
 *
 * @returns `undefined` when the peer id itself cannot be read.
 */
export function targetOf(location: PeerLocation): PeerTarget | undefined {
  try {
    const peer = peerIdFromString(location.peerId);
    return { peer, addresses: location.addresses.flatMap((text) => addressOf(text, peer)) };
  } catch {
    return undefined;
  }
}

/** Connects to peers. */
export class Connector {
  readonly #network: PeerNetwork;
  readonly #firstToTry = new Map<string, string>();

  /** @param network - Where connections come from. */
  constructor(network: PeerNetwork) {
    this.#network = network;
  }

  /**
   * An open connection to the peer, an existing one if there is any.
   *
   * `spent` is a connection that has just failed us; it is not returned again.
   *
   * @throws A `RequestError` `not_connected` or `dial_failed`, or the signal's reason.
   */
  async connect(
    target: PeerTarget,
    options: {
      readonly dial: boolean;
      readonly signal: AbortSignal;
      readonly progress: RequestProgress;
      readonly spent?: Connection;
    },
  ): Promise<Connection> {
    const { progress, spent } = options;
    progress.stage = 'dial';
    const open = this.#network
      .connections(target.peer)
      .filter((connection) => connection.status === 'open' && connection.limits === undefined);
    const existing = open.find((connection) => connection !== spent);
    if (existing !== undefined) {
      return existing;
    }
    if (!options.dial) {
      throw progress.error('not_connected');
    }
    if (spent !== undefined && open.includes(spent)) {
      // Its muxer has ended while its socket lives (a go-away): libp2p would hand it out again.
      spent.abort(new Error('the connection takes no more streams'));
    }
    return await this.#dial(target, options.signal, progress);
  }

  async #dial(
    target: PeerTarget,
    signal: AbortSignal,
    progress: RequestProgress,
  ): Promise<Connection> {
    if (target.addresses.length === 0) {
      throw progress.error('dial_failed');
    }
    const peer = target.peer.toString();
    const addresses = this.#inOrder(peer, target.addresses);
    try {
      const connection = await this.#network.dial(addresses, { signal });
      this.#remember(peer, connection.remoteAddr.toString());
      return connection;
    } catch (cause: unknown) {
      // libp2p tries addresses one by one, so a silent one may have eaten the whole deadline: begin
      // with the next one the next time.
      const next = addresses[1];
      if (next !== undefined) {
        this.#remember(peer, next.toString());
      }
      signal.throwIfAborted();
      throw progress.error('dial_failed', cause);
    }
  }

  #inOrder(peer: string, addresses: readonly Multiaddr[]): Multiaddr[] {
    const first = this.#firstToTry.get(peer);
    const at = addresses.findIndex((address) => address.toString() === first);
    return at <= 0 ? [...addresses] : [...addresses.slice(at), ...addresses.slice(0, at)];
  }

  #remember(peer: string, address: string): void {
    this.#firstToTry.delete(peer);
    this.#firstToTry.set(peer, address);
    const oldest = this.#firstToTry.keys().next().value;
    if (this.#firstToTry.size > REMEMBERED_PEERS && oldest !== undefined) {
      this.#firstToTry.delete(oldest);
    }
  }
}

function addressOf(text: string, peer: PeerId): Multiaddr[] {
  try {
    const address = multiaddr(text);
    const named = address.getComponents().findLast((part) => part.name === 'p2p')?.value;
    if (named === undefined) {
      return [address.encapsulate(`/p2p/${peer.toString()}`)];
    }
    return named === peer.toString() ? [address] : [];
  } catch {
    return [];
  }
}
