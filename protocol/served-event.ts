/**
 * @module
 * What is told about each inbound request, for logs and metrics of whoever runs a peer.
 */

import type { CandidateHash, ValidatorIndex } from '../src/primitives/ids.ts';

/**
 * How an inbound request ended.
 *
 * - `answered`: with what was asked for; a reset after our last byte counts as this.
 * - `no_such_chunk`, `no_such_data`: with the one-byte answer that says so.
 * - `refused`: closed without a byte.
 * - `failed`: the stream was reset, by either side, before the answer was out.
 */
export type ServedOutcome = 'answered' | 'no_such_chunk' | 'no_such_data' | 'refused' | 'failed';

/**
 * Why a request was refused or failed.
 *
 * - `busy`: one of the caps of admission. `pending_bytes`: too many answers wait to be written.
 * - `no_store`: we serve nothing. `store_failed`: the store could not be read.
 * - `answer_too_large`: what is stored does not fit into a response.
 * - `undecodable`: the request is no message of this protocol. `empty`: no request came.
 * - `bad_prefix`, `too_large`, `truncated`: its frame is broken.
 * - `deadline`: it was not done in time. `stopped`: we are stopping.
 * - `reset`: the peer or the connection went away.
 */
export type ServedReason =
  | 'busy'
  | 'pending_bytes'
  | 'no_store'
  | 'store_failed'
  | 'answer_too_large'
  | 'undecodable'
  | 'empty'
  | 'bad_prefix'
  | 'too_large'
  | 'truncated'
  | 'deadline'
  | 'stopped'
  | 'reset';

/** One inbound request, told once when it is over. */
export type ServedEvent = {
  /** Protocol name as negotiated. */
  readonly protocol: string;
  /** Text form of the asking peer's id. */
  readonly peerId: string;
  /** Known once the request was decoded. */
  readonly candidateHash?: CandidateHash;
  /** Known once a chunk request was decoded. */
  readonly validatorIndex?: ValidatorIndex;
  readonly outcome: ServedOutcome;
  /** Set with `refused` and `failed`; also with `no_such_data` when the store failed. */
  readonly reason?: ServedReason;
  /** Bytes of the answer that were accepted for sending, without the length prefix. */
  readonly bytes: number;
  /** From the opening of the stream, in milliseconds. */
  readonly ms: number;
};
