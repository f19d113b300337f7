/**
 * @module
 * Everything recovery needs from outside, as small interfaces. Sources, stores and directories
 * answer with Observables (promises enter through the adapters of `from-abortable.ts`); metrics,
 * logger and runtime are plain calls.
 */

import type { Observable, SchedulerLike } from 'rxjs';
import type { AvailableData } from '../codec/available-data.ts';
import type { MappingScheme } from '../mapping/assignment.ts';
import type { Chunk } from '../primitives/chunk.ts';
import { AvailabilityError } from '../primitives/errors.ts';
import type { AuthorityId, CandidateHash, ValidatorIndex } from '../primitives/ids.ts';
import type { NodeFeatures } from '../primitives/node-features.ts';
import type { Random } from '../primitives/random.ts';

/** Whom to ask for the chunk that belongs to one validator. */
export type ChunkQuestion = {
  readonly candidateHash: CandidateHash;
  readonly sessionIndex: number;
  /** Whose chunk is wanted. */
  readonly validatorIndex: ValidatorIndex;
  /** Who is asked: that validator, or a backer in its place. */
  readonly authority: AuthorityId;
  /** Largest answer accepted, in bytes of the response; above it the error is `too_large`. */
  readonly maxBytes: number;
};

/** What a source said. `bytes` is the size of the answer on the wire, without framing. */
export type ChunkReply =
  | {
      readonly type: 'chunk';
      readonly chunk: Chunk;
      readonly protocol: string;
      readonly bytes: number;
    }
  | { readonly type: 'no_such_chunk'; readonly protocol: string; readonly bytes: number };

/**
 * Can be asked for single chunks.
 *
 * **Guarantees.**
 * - Cold: nothing is asked before the subscription.
 * - Emits at most one reply and then completes, or errors with a {@link RequestError} or
 *   {@link CodecError}, by a hard deadline of its own. Completing without a reply counts as an error.
 * - Unsubscribing stops the request and frees what it held, in the same turn.
 * - A reply is not verified; nothing about it is believed.
 */
export interface ChunkSource {
  /** Asks once. */
  askChunk(question: ChunkQuestion): Observable<ChunkReply>;
}

/** Whom to ask for the whole available data. */
export type DataQuestion = {
  readonly candidateHash: CandidateHash;
  readonly sessionIndex: number;
  readonly validatorIndex: ValidatorIndex;
  readonly authority: AuthorityId;
  /** Largest answer accepted, in bytes of the response; above it the error is `too_large`. */
  readonly maxBytes: number;
  /** Whether a peer that is not connected is dialed; else the error is `not_connected`. */
  readonly dial: boolean;
};

/** What a source of full data said. */
export type DataReply =
  | {
      readonly type: 'available_data';
      readonly data: AvailableData;
      readonly protocol: string;
      readonly bytes: number;
    }
  | { readonly type: 'no_such_data'; readonly protocol: string; readonly bytes: number };

/** Can be asked for the full available data. **Guarantees** as {@link ChunkSource}. */
export interface DataSource {
  /** Asks once. */
  askData(question: DataQuestion): Observable<DataReply>;
}

/**
 * Why one request brought no answer (network spec §4).
 *
 * - `not_connected`: no connection, and dialing was not allowed.
 * - `dial_failed`: no address known, connection refused, handshake failed, or no connection in time.
 * - `unsupported_protocol`: the peer speaks no version of the protocol.
 * - `refused`: the stream ended without a byte.
 * - `timeout`: our own deadline; `details.stage` is `negotiate`, `first_byte` or `body`.
 * - `truncated`: the stream ended inside the answer.
 * - `reset`: the peer reset the stream.
 * - `connection_closed`: the connection went away.
 * - `too_large`: the announced length exceeds the limit; `details.announcedBytes` says by how much.
 * - `bad_prefix`: the length prefix is not a minimal varint.
 * - `cancelled`: we gave up.
 */
export type RequestErrorCode =
  | 'not_connected'
  | 'dial_failed'
  | 'unsupported_protocol'
  | 'refused'
  | 'timeout'
  | 'truncated'
  | 'reset'
  | 'connection_closed'
  | 'too_large'
  | 'bad_prefix'
  | 'cancelled';

/**
 * One request brought no answer. `details` carries `stage`, `elapsedMs`, `bytes`, `protocol` and,
 * for `too_large`, `announcedBytes`.
 */
export class RequestError extends AvailabilityError<RequestErrorCode> {
  override readonly name = 'RequestError';
}

/** A chunk as a store returned it. */
export type StoredChunk = { readonly validatorIndex: ValidatorIndex; readonly chunk: Chunk };

/** What a store holds and turned out to be corrupt. */
export type StoredEntry =
  | { readonly type: 'chunk'; readonly validatorIndex: ValidatorIndex }
  | { readonly type: 'available_data' };

/**
 * What we hold ourselves, for recovery.
 *
 * **Guarantees.**
 * - Cold; a read is of one moment: it never mixes states before and after a write.
 * - "Nothing held" is completion without a value; an error means that the store could not be read.
 * - What is returned may be wrong: the caller checks it against the candidate.
 */
export interface ChunkStore {
  /** Every chunk held of a candidate, in ascending validator order. */
  loadChunks(candidateHash: CandidateHash): Observable<StoredChunk>;
  /** The SCALE bytes of the full available data. */
  loadAvailableData(candidateHash: CandidateHash): Observable<Uint8Array>;
  /** Size in bytes of any one chunk held. */
  loadChunkBytes(candidateHash: CandidateHash): Observable<number>;
  /** Counts a local corruption and forgets the entry. Completes when it is gone. */
  dropCorrupt(candidateHash: CandidateHash, entry: StoredEntry): Observable<never>;
}

/**
 * What we serve to others.
 *
 * **Guarantees.** Cold; at most one value; completion without one means that it is not held. What is
 * served was checked: a chunk against its proof, full data against the hash kept when it was stored.
 */
export interface ServedStore {
  /** The chunk that belongs to a validator, with its own chunk index. */
  serveChunk(candidateHash: CandidateHash, validatorIndex: ValidatorIndex): Observable<Chunk>;
  /** The SCALE bytes of the full available data, as stored. */
  serveAvailableData(candidateHash: CandidateHash): Observable<Uint8Array>;
}

/** A session's validators and groups. */
export type SessionInfo = {
  /** The index that was asked for; a session of another one is a local fault. */
  readonly index: number;
  /** By validator index; `null` where nobody is known who could be asked. Its length is n. */
  readonly validators: readonly (AuthorityId | null)[];
  /** Members of each backing group, by group index. */
  readonly groups: readonly (readonly number[])[];
  readonly nodeFeatures: NodeFeatures;
  /** Our own place, when we are a validator of this session. */
  readonly ownValidatorIndex?: ValidatorIndex;
  /** Overrides the scheme that the node features select. */
  readonly mapping?: MappingOption;
};

/** An explicit choice of the chunk mapping. `seed` is 32 bytes, for `chacha8` only. */
export type MappingOption = { readonly scheme: MappingScheme; readonly seed?: Uint8Array };

/** Where a peer is reachable. */
export type PeerLocation = {
  /** libp2p peer id in its text form. */
  readonly peerId: string;
  /** Multiaddresses in text form; may be empty when a connection exists. */
  readonly addresses: readonly string[];
};

/**
 * Knows sessions and where their validators are.
 *
 * **Guarantees.** Cold; many sessions at once; at most one value, completion without one means
 * "unknown". Addresses may change while recoveries run: `locate` is asked anew for each request. A
 * session that never comes is bounded by the request's `timeoutMs` alone. The number of validators is
 * trusted for the verdict: under a wrong one honest chunks decode to something else, and `invalid` would
 * be false. A directory that is not sure says "unknown".
 */
export interface SessionDirectory {
  /** Validators and groups of a session. */
  session(sessionIndex: number): Observable<SessionInfo>;
  /** Where an authority is at this moment. */
  locate(authority: AuthorityId): Observable<PeerLocation>;
}

/** Label values of one metric. */
export type MetricLabels = Readonly<Record<string, string>>;

/** Receives metrics. **Guarantees** asked of it: never throws, returns at once. */
export interface MetricsSink {
  /** Adds to a counter. */
  increment(name: string, labels?: MetricLabels, by?: number): void;
  /** Adds a sample to a histogram. */
  observe(name: string, value: number, labels?: MetricLabels): void;
}

/** Fields of one log line. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Receives log lines: a fixed event name and fields. **Guarantees** asked of it: never throws. */
export interface Logger {
  /** For reading one recovery step by step; the only level that may carry peer-chosen text. */
  debug(event: string, fields?: LogFields): void;
  /** Normal milestones. */
  info(event: string, fields?: LogFields): void;
  /** Something an operator should know. */
  warn(event: string, fields?: LogFields): void;
  /** Something that needs an operator. */
  error(event: string, fields?: LogFields): void;
}

/** Time and chance. */
export interface Runtime {
  /** Clock and timers. Virtual in tests and in the simulator. */
  readonly scheduler: SchedulerLike;
  /** Chance: shuffles and jitter. */
  readonly random: Random;
}

/** A sink that drops everything. */
export const NO_METRICS: MetricsSink = { increment: () => {}, observe: () => {} };

/** A logger that drops everything. */
export const NO_LOGGER: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};
