/**
 * @module
 * The heavy work of a recovery as a port: proofs, decoding and roots. It is done on the calling thread
 * or elsewhere; recovery sees no difference but time.
 */

import type { Observable } from 'rxjs';
import type { VerifyChunkAnswer } from '../commitment/verify-chunk.ts';
import type { EngineChoice, EngineId } from '../erasure/kernel/index.ts';
import type { Chunk, VerifiedChunk } from '../primitives/chunk.ts';
import type { Coding } from './coding.ts';

/** What the work of one recovery is about. */
export type WorkSubject = {
  readonly coding: Coding;
  /** 32 bytes. */
  readonly erasureRoot: Uint8Array;
  /** n of the session. */
  readonly validatorCount: number;
};

/** What does the work. */
export type WorkDescription = {
  readonly engine: EngineId;
  /** Why this engine. */
  readonly reason: EngineChoice['reason'];
  /** Workers beside the calling thread; 0 where it does everything itself. */
  readonly threads: number;
  /** Name of the hash kernel, once one was chosen. */
  readonly hash?: string;
};

/** Does the work of any number of recoveries. Whoever makes one closes it. */
export interface ErasureWork {
  /** As of this moment. */
  readonly description: WorkDescription;
  /** The work of one recovery. Takes no memory worth speaking of before something is asked. */
  open(subject: WorkSubject): RecoveryWork;
  /** Frees threads and memory. What is still open then ends in errors. */
  close?(): void;
}

/**
 * How chunks became a payload.
 *
 * - `transposition`: all systematic chunks were there.
 * - `rows`: few were missing and made by coefficient rows (erasure spec §4.9).
 * - `blocks`: decoded by blocks (erasure spec §4.6).
 * - `reveal`: decoded, missing chunks revealed with it (erasure spec §4.7).
 * - `plain`: by the plain codec.
 */
export type DecodePath = 'transposition' | 'rows' | 'blocks' | 'reveal' | 'plain';

/** How proven chunks become the payload: systematic ones by transposition, any by decoding. */
export type DecodeMethod = 'reassemble' | 'reconstruct';

/** What is to be decoded. */
export type DecodeQuestion = {
  readonly method: DecodeMethod;
  readonly chunks: readonly VerifiedChunk[];
  /**
   * Whether `codewordRoot` would be of use. With it, k of more chunks may be decoded from: chunks on one
   * codeword give the same payload whichever are taken, and of others `codewordRoot` is not the root
   * under which they are proven, so that the asker finds out and asks again without. Without it all
   * chunks count.
   */
  readonly wantsRoot: boolean;
  /**
   * Where the payload may go instead of memory of its own, which is new each time and costs, page by page, as
   * much as putting systematic chunks together.
   *
   * - A buffer, if it is long enough: nobody else writes to it until the answer comes, and what it holds after
   *   an error is anything.
   * - `arena`: the payload may be a view of the work's own memory, to be read in the turn of its emission alone
   *   before anything else is asked of the work, and not to be written to; afterwards anything may stand there.
   */
  readonly into?: Uint8Array | 'arena';
};

/** A payload and what is known about it. */
export type Decoded = {
  /**
   * As the codec's `reconstruct` or `reassemble` gives it for the chunks decoded from, zeros and all: 2k
   * bytes per column. Memory of its own, which nobody but the receiver may write to; or in the place that
   * {@link DecodeQuestion.into} says.
   */
  readonly payload: Uint8Array;
  /**
   * Erasure root of the codeword whose data symbols are `payload`: over the proven hashes of the k chunks
   * that it was decoded from and fresh hashes of all other positions as encoded from it, never over the
   * proven hash of a surplus chunk. Absent where more chunks than k were decoded from. The work may leave
   * it out otherwise too: then the root is asked for by {@link RecoveryWork.erasureRoot}, and all chunks
   * were decoded from.
   */
  readonly codewordRoot?: Uint8Array;
  readonly path: DecodePath;
};

/** What the work of one recovery has cost. A snapshot. */
export type WorkTally = {
  readonly copiedBytes: {
    /** Bytes of chunks, proofs and payloads, copied to where they are kept and worked on. */
    readonly load: number;
    /** Payloads, copied from there to memory of their own. */
    readonly result: number;
  };
  /** Chunks that were hashed: those that came, and those that were made to find a root. */
  readonly hashedChunks: number;
  /** Hashes of proven chunks that went into a root without being computed again. */
  readonly reusedHashes: number;
  /** How the last payload was decoded. */
  readonly path?: DecodePath;
};

/** The tally of work that has not begun. */
export const NO_WORK: WorkTally = {
  copiedBytes: { load: 0, result: 0 },
  hashedChunks: 0,
  reusedHashes: 0,
};

/**
 * The work of one recovery.
 *
 * **Guarantees.**
 * - Cold; one value each, then completion. Unsubscribing gives the work up.
 * - An {@link ErasureError} of `decode` or `erasureRoot` is about the chunks or the payload; any other
 *   error is a local fault and says nothing about the candidate, and so is every error of `verify`.
 * - The same answers as `coding.plain` gives, whatever does the work.
 * - What is handed in is read only. Chunks and payloads are read in the turn of the subscription or
 *   are the asker's promise not to change; what is handed out nobody else keeps or writes to.
 */
export interface RecoveryWork {
  /**
   * Checks a chunk and its index. Answers come in the order of asking, at once where the work is done on
   * the calling thread. The chunk is read in the turn of the subscription alone, and a verified one
   * has bytes and proof of its own, so that what came may be overwritten afterwards.
   *
   * The work may keep both in memory of its own and copy them out when they are read: `bytes` and `proof` are
   * then getters of the chunk's class, not seen by spreading and cloning. They give the same array at each
   * reading as long as the work is open. After {@link RecoveryWork.close} they are there if they were read
   * before; else reading may throw.
   */
  verify(chunk: Chunk): Observable<VerifyChunkAnswer>;
  /**
   * Checks several chunks that are there together: the answers of {@link RecoveryWork.verify} for each, in the
   * order of the chunks, all at once. Costs less than asking for each.
   */
  verifyAll(chunks: readonly Chunk[]): Observable<readonly VerifyChunkAnswer[]>;
  /** Payload from verified chunks, which stay unchanged meanwhile. */
  decode(question: DecodeQuestion): Observable<Decoded>;
  /** Erasure root of a payload, 32 bytes; the payload stays unchanged meanwhile. */
  erasureRoot(payload: Uint8Array): Observable<Uint8Array>;
  /** What it has cost so far; readable after {@link RecoveryWork.close} too. */
  readonly tally: WorkTally;
  /** Frees what it holds and gives up what is on the way. At any moment, any number of times. */
  close(): void;
}
