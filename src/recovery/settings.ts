/**
 * @module
 * Every number and rule of recovery that can be set, as plain data, and the preset in force.
 */

import type { CheckMode } from './request.ts';

/** When a network error allows the same source to be asked again (network spec §4). */
export type NetworkRetries = 'by_code' | 'alike';

/** Numbers and rules of recovery. Byte sizes and milliseconds as the names say. */
export type RecoverySettings = {
  /** Attempts in all per (source, validator index), first try included. */
  readonly attempts: {
    readonly systematic: number;
    readonly regular: number;
  };
  /** Live attempts of one recovery at most (recovery spec §0, `N_PARALLEL`). */
  readonly parallelAttempts: number;
  /** Silence after which every live attempt counts as late and new ones may start. */
  readonly softTimeoutMs: number;
  /**
   * How many chunks end the collecting. `systematic_threshold`: k, decoded from exactly k, the lowest
   * indices (PoV-hash mode keeps `recovery_threshold`). `recovery_threshold`: f+1, decoded from all
   * that are held.
   */
  readonly stopAt: 'systematic_threshold' | 'recovery_threshold';
  /**
   * What a failed decode or check of systematic chunks does in PoV-hash mode: `confirm` lets any chunks
   * have their say first, `invalid` ends the recovery. In both, and always in re-encode mode, `invalid`
   * needs proofs that were verified again and the plain engine's agreement: the reference's verdict, and
   * none from a fault of ours.
   */
  readonly systematicFailure: 'confirm' | 'invalid';
  /**
   * Whether full data from our own store is checked like data from a peer: a bad disk must not give a
   * "valid". `false`: it goes out as it is, as long as it decodes.
   */
  readonly checkStoredData: boolean;
  /**
   * What an invalid own systematic chunk does: its index is fetched from a backer, or the systematic
   * strategy ends.
   */
  readonly localChunk: 'from_backers' | 'end_strategy';
  /** Whether our own validator index is asked over the network. */
  readonly askSelf: boolean;
  /** When a freed slot is used again: on every answer, or when the whole round is over. */
  readonly refill: 'on_answer' | 'after_round';
  /**
   * Whether the window belongs to the recovery: attempts on the way survive a change of strategy, and a
   * failed source is not asked again for a chunk that somebody else delivered meanwhile.
   */
  readonly carryInFlight: boolean;
  /** What an unknown size means for the first strategy: ask with a cap, or count as large. */
  readonly sizeUnknown: 'capped_request' | 'large';
  /** Check modes in which a named backing group is asked for the full data. */
  readonly fastPathFor: readonly CheckMode[];
  /** Whether backers that are not connected are dialed for the full data. */
  readonly dialBackers: boolean;
  /** Time for all backers together, after which the next strategy runs; `null` for none. */
  readonly totalBackerTimeMs: number | null;
  /** How network errors count towards `attempts`. */
  readonly networkRetries: NetworkRetries;
  /** Full data is asked of backers only below this size, in bytes. */
  readonly sizeLimitBytes: number;
  /** What a session ends in that is unknown, or that the directory fails to tell. */
  readonly sessionMissing: 'local_fault' | 'unavailable';
  /** Whether a v2 or v3 receipt that names other sessions than the request is refused as misuse. */
  readonly receiptSession: 'must_match' | 'ignored';
  /**
   * A read of our own store that takes longer counts as failed, and the network is used; `null` waits
   * as long as it takes.
   */
  readonly storeTimeoutMs: number | null;
  /** Recoveries that run at once; equal requests count as one. */
  readonly maxConcurrent: number;
  /** Recoveries that may wait for their turn, by deadline; one more is `local_fault`, `overloaded`. */
  readonly maxWaiting: number;
  /** Results kept: successes and `invalid` (recovery spec §0). */
  readonly cacheEntries: number;
};

/** Size limits in use on networks, in bytes (recovery spec §0, §4.3 and Appendix A). */
export const SIZE_LIMITS: {
  /** The oldest nodes: 128 KiB. */
  readonly oldest: number;
  /** Polkadot and collators: 1 MiB. */
  readonly conservative: number;
  /** Half way: 2.5 MiB, half of the former maximum PoV. */
  readonly middle: number;
  /** Kusama and test networks: 4 MiB. */
  readonly relaxed: number;
} = {
  oldest: 131_072,
  conservative: 1_048_576,
  middle: 2_621_440,
  relaxed: 4_194_304,
};

/**
 * The default preset. Where it departs from the reference, the field's doc names both positions, and
 * `strategies/README.md` says why.
 */
export const STANDARD: RecoverySettings = {
  // recovery spec §0: 2 systematic, 5 regular.
  attempts: { systematic: 2, regular: 5 },
  parallelAttempts: 50,
  softTimeoutMs: 1_000,
  stopAt: 'systematic_threshold',
  systematicFailure: 'confirm',
  checkStoredData: true,
  localChunk: 'from_backers',
  askSelf: false,
  refill: 'on_answer',
  carryInFlight: true,
  sizeUnknown: 'capped_request',
  fastPathFor: ['re_encode', 'pov_hash'],
  dialBackers: true,
  // Five silent backers cost 10 s at 2 s each; after 3 s chunks are the better bet.
  totalBackerTimeMs: 3_000,
  networkRetries: 'by_code',
  sizeLimitBytes: SIZE_LIMITS.relaxed,
  sessionMissing: 'local_fault',
  receiptSession: 'must_match',
  // Ours: as long as the network may take for the full data (recovery spec §0, 2 s).
  storeTimeoutMs: 2_000,
  // Ours: a checker of 500 parachains seldom has more than a few; 16 of 10 MiB bound the memory.
  maxConcurrent: 16,
  maxWaiting: 256,
  cacheEntries: 16,
};

/**
 * The reference's rules (recovery spec §0, §4), for comparison and for networks that must see nothing
 * else. What is not named here is alike in both presets: the attempts, the window of 50, the soft
 * timeout and the 16 results are the reference's own numbers.
 */
export const UPSTREAM: RecoverySettings = {
  ...STANDARD,
  stopAt: 'recovery_threshold',
  systematicFailure: 'invalid',
  checkStoredData: false,
  localChunk: 'end_strategy',
  askSelf: true,
  refill: 'after_round',
  carryInFlight: false,
  sizeUnknown: 'large',
  dialBackers: false,
  totalBackerTimeMs: null,
  networkRetries: 'alike',
  // Polkadot and collators; elsewhere the reference is run with `relaxed`.
  sizeLimitBytes: SIZE_LIMITS.conservative,
  sessionMissing: 'unavailable',
  receiptSession: 'ignored',
  storeTimeoutMs: null,
};
