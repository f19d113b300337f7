/**
 * @module
 * Every limit of the peer on one page, with its unit and its source. The README of this folder lists
 * the same numbers in prose.
 */

import { MAX_REQUEST_BYTES, MAX_RESPONSE_BYTES } from '../src/primitives/limits.ts';

/** Limits of requester and responder. Times are milliseconds, sizes are bytes. */
export type PeerLimits = {
  /** One chunk request: dialing, negotiation and answer together (recovery spec §0). */
  readonly chunkDeadlineMs: number;
  /** One full-data request: dialing, negotiation and answer together (recovery spec §0). */
  readonly dataDeadlineMs: number;
  /** Largest answer accepted and sent (recovery spec §0). */
  readonly maxResponseBytes: number;
  /** Largest request accepted (recovery spec §0). */
  readonly maxRequestBytes: number;
  /** Streams that we hold open to one peer; further requests wait within their deadline. */
  readonly maxOutboundStreamsPerPeer: number;
  /** Requests started per event-loop turn (network spec, rule 9). */
  readonly requestStartsPerTurn: number;
  /** From the opening of an inbound chunk stream to the end of our answer. */
  readonly serveChunkDeadlineMs: number;
  /** From the opening of an inbound full-data stream to the end of our answer. */
  readonly serveDataDeadlineMs: number;
  /** From the opening of an inbound stream to the last byte of its request. */
  readonly readRequestDeadlineMs: number;
  /** Inbound requests in progress per protocol, waiting ones included; above it we refuse. */
  readonly maxInProgressPerProtocol: number;
  /** Chunk answers being served to one peer at a time. */
  readonly servedChunksPerPeer: number;
  /** Chunk requests of one peer that wait for their turn; above it we refuse. */
  readonly waitingChunksPerPeer: number;
  /** Full-data answers being served to one peer at a time. */
  readonly servedDataPerPeer: number;
  /** Full-data requests of one peer that wait for their turn; above it we refuse. */
  readonly waitingDataPerPeer: number;
  /** Answer bytes waiting to be written, over all streams. */
  readonly maxPendingBytes: number;
  /** The same, above which full data is refused while chunks still pass. */
  readonly maxPendingBytesForData: number;
  /** How long a stream may stay half open after a complete answer. */
  readonly lingerMs: number;
};

const MIB = 1_048_576;

/** The limits of network spec §3.4 and recovery spec §0, §1. */
export const DEFAULT_LIMITS: PeerLimits = {
  chunkDeadlineMs: 1_000,
  dataDeadlineMs: 2_000,
  maxResponseBytes: MAX_RESPONSE_BYTES,
  maxRequestBytes: MAX_REQUEST_BYTES,
  maxOutboundStreamsPerPeer: 64,
  requestStartsPerTurn: 4,
  serveChunkDeadlineMs: 1_000,
  serveDataDeadlineMs: 2_000,
  readRequestDeadlineMs: 1_000,
  maxInProgressPerProtocol: 100,
  servedChunksPerPeer: 8,
  waitingChunksPerPeer: 64,
  servedDataPerPeer: 2,
  waitingDataPerPeer: 4,
  maxPendingBytes: 64 * MIB,
  // A quarter is left to chunks: whoever serves them helps many, full data helps one.
  maxPendingBytesForData: 48 * MIB,
  // An honest peer ends its side within a round trip of ours.
  lingerMs: 1_000,
};

/**
 * Streams that libp2p accepts per connection and protocol before it resets the excess. High, so that
 * our own admission decides: it refuses, which is no fault of the peer (network spec §3.4).
 */
export const MAX_INBOUND_STREAMS_PER_PROTOCOL = 512;

/**
 * What an inbound stream may hold unread before its request is read, and what a requester may send
 * beyond its request: the stream is reset above it. The stream's own default is 4 MiB, which 512
 * waiting streams would multiply.
 */
export const MAX_UNREAD_BYTES = 65_536;

/** After this, libp2p resets a stream whose name is not negotiated (its default): none comes older. */
export const MAX_NEGOTIATION_MS = 10_000;

/** The defaults with some of them replaced. */
export function withDefaults(limits: Partial<PeerLimits> = {}): PeerLimits {
  return { ...DEFAULT_LIMITS, ...limits };
}
