/**
 * @module
 * Entry point `./protocol`: the libp2p peer.
 */

export { DEFAULT_LIMITS, type PeerLimits } from './limits.ts';
export { type ChainId, type ProtocolNames, protocolNames } from './names.ts';
export type { AvailabilityPeerComponents, DialOptions, NodeLike } from './network.ts';
export { libp2pSettings, type NodeSettings } from './node-settings.ts';
export type { ServedEvent, ServedOutcome, ServedReason } from './served-event.ts';
export {
  type AvailabilityPeer,
  type AvailabilityPeerInit,
  availabilityPeer,
  createAvailabilityPeer,
} from './service.ts';
