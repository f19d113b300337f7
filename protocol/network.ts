/**
 * @module
 * The few things that we need of libp2p: connections to a peer, a dial, and handlers. Both a running
 * node and the components of a libp2p service offer them, under different names.
 */

import type { Connection, PeerId, StreamHandler, StreamHandlerOptions } from '@libp2p/interface';
import type { Multiaddr } from '@multiformats/multiaddr';

/** How to stop waiting for a dial. */
export type DialOptions = { readonly signal: AbortSignal };

/** libp2p as this folder sees it. */
export interface PeerNetwork {
  /** Connections to a peer, in any state. */
  connections(peer: PeerId): readonly Connection[];
  /** Connects to one of the addresses, each of which ends in the peer's id. */
  dial(addresses: Multiaddr[], options: DialOptions): Promise<Connection>;
  /** Registers a handler for one protocol name. */
  handle(name: string, handler: StreamHandler, options: StreamHandlerOptions): Promise<void>;
  /** Removes a handler. */
  unhandle(name: string): Promise<void>;
}

/** The methods of a running libp2p node that the peer uses. Any `Libp2p` has them. */
export interface NodeLike {
  /** Connections to a peer. */
  getConnections(peer: PeerId): Connection[];
  /** Connects to one of the addresses. */
  dial(addresses: Multiaddr[], options: DialOptions): Promise<Connection>;
  /** Registers a handler. */
  handle(name: string, handler: StreamHandler, options: StreamHandlerOptions): Promise<void>;
  /** Removes a handler. */
  unhandle(name: string): Promise<void>;
}

/** The libp2p components that the service uses. */
export interface AvailabilityPeerComponents {
  /** Keeps and opens connections. */
  readonly connectionManager: {
    /** Connections to a peer, in any state. */
    getConnections(peer: PeerId): Connection[];
    /** Connects to one of the addresses. */
    openConnection(addresses: Multiaddr[], options: DialOptions): Promise<Connection>;
  };
  /** Keeps protocol handlers. */
  readonly registrar: {
    /** Registers a handler for one protocol name. */
    handle(name: string, handler: StreamHandler, options: StreamHandlerOptions): Promise<void>;
    /** Removes a handler. */
    unhandle(name: string): Promise<void>;
  };
}

/** A running node as a network. */
export function networkOfNode(node: NodeLike): PeerNetwork {
  return {
    connections: (peer) => node.getConnections(peer),
    dial: (addresses, options) => node.dial(addresses, options),
    handle: (name, handler, options) => node.handle(name, handler, options),
    unhandle: (name) => node.unhandle(name),
  };
}

/** The components of a libp2p service as a network. */
export function networkOfComponents(components: AvailabilityPeerComponents): PeerNetwork {
  const { connectionManager, registrar } = components;
  return {
    connections: (peer) => connectionManager.getConnections(peer),
    dial: (addresses, options) => connectionManager.openConnection(addresses, options),
    handle: (name, handler, options) => registrar.handle(name, handler, options),
    unhandle: (name) => registrar.unhandle(name),
  };
}
