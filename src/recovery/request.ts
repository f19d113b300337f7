/**
 * @module
 * What a caller asks for, and the checked form of it that the orchestrator works with.
 */

import {
  type CandidateReceipt,
  candidateHashOf,
  candidateReceipt,
  descriptorVersion,
  receiptErasureRoot,
  receiptPovHash,
  receiptSchedulingSession,
  receiptSessionIndex,
} from '../codec/candidate.ts';
import type { MappingScheme } from '../mapping/assignment.ts';
import type { CandidateHash } from '../primitives/ids.ts';
import type { StrategyType } from './labels.ts';
import { STRATEGY_TYPES } from './labels.ts';
import type { MappingOption } from './ports.ts';

/**
 * How a result is held against the candidate (recovery spec §4.8). `re_encode`: encoded again, its
 * erasure root must be the receipt's. `pov_hash`: the PoV's hash must be the receipt's; neither the
 * erasure root nor the validation data is looked at.
 */
export type CheckMode = 're_encode' | 'pov_hash';

/** What to recover. */
export type RecoveryRequest = {
  /** The candidate receipt, 324 bytes. Supplies candidate hash, erasure root and PoV hash. */
  readonly receipt: Uint8Array;
  /** Session whose validators hold the chunks. */
  readonly sessionIndex: number;
  /** Group that backed the candidate; enables the first strategy and backups of the second. */
  readonly backingGroup?: number;
  /**
   * Validators who are known to hold the whole data besides the group, such as approval checkers; asked
   * like the members of the group.
   */
  readonly holders?: readonly number[];
  /** Core the candidate was backed on; the mapping needs it. */
  readonly coreIndex?: number;
  /** Default `re_encode`. */
  readonly checkMode?: CheckMode;
  /** Whether our own store is read. Default: yes, when there is one. */
  readonly useStore?: boolean;
  /** Exactly these strategies, in this order, whatever the size. */
  readonly strategies?: readonly StrategyType[];
  /** Overrides the session's chunk mapping. */
  readonly mapping?: MappingOption;
  /** Overrides the size limit of the settings, in bytes. */
  readonly sizeLimitBytes?: number;
  /** After this time the call ends in `unavailable`, reason `deadline`. */
  readonly timeoutMs?: number;
};

/** The commitments of a candidate. */
export type Candidate = {
  readonly candidateHash: CandidateHash;
  readonly erasureRoot: Uint8Array;
  readonly povHash: Uint8Array;
  readonly receipt: CandidateReceipt;
};

/** A request whose fields were checked. */
export type CheckedRequest = Omit<RecoveryRequest, 'receipt' | 'checkMode' | 'useStore'> & {
  readonly candidate: Candidate;
  readonly checkMode: CheckMode;
  readonly useStore: boolean;
};

const U32_MAX = 4_294_967_295;
const MAPPING_SCHEMES: readonly MappingScheme[] = ['identity', 'rfc47', 'chacha8'];

/**
 * Checks a request.
 *
 * @throws TypeError, RangeError for misuse; `CodecError` `bad_length` for a receipt of another size.
 */
export function checkRequest(request: RecoveryRequest): CheckedRequest {
  if (!(request.receipt instanceof Uint8Array)) {
    throw new TypeError(`receipt: expected a Uint8Array, got ${typeof request.receipt}`);
  }
  // A copy: what the candidate committed to must not change while it is being recovered.
  const receipt = candidateReceipt(new Uint8Array(request.receipt));
  assertInteger('sessionIndex', request.sessionIndex ?? Number.NaN, 0, U32_MAX);
  assertInteger('backingGroup', request.backingGroup, 0, U32_MAX);
  assertInteger('coreIndex', request.coreIndex, 0, U32_MAX);
  assertInteger('sizeLimitBytes', request.sizeLimitBytes, 0, Number.MAX_SAFE_INTEGER);
  // The longest delay that timers take: 2^31 - 1 ms.
  assertInteger('timeoutMs', request.timeoutMs, 1, 2_147_483_647);
  const checkMode = request.checkMode ?? 're_encode';
  if (checkMode !== 're_encode' && checkMode !== 'pov_hash') {
    throw new TypeError(`checkMode: expected re_encode or pov_hash, got ${String(checkMode)}`);
  }
  if (typeof (request.useStore ?? true) !== 'boolean') {
    throw new TypeError(`useStore: expected a boolean, got ${String(request.useStore)}`);
  }
  assertHolders(request.holders ?? []);
  assertStrategies(request.strategies ?? []);
  assertMapping(request.mapping);
  const { receipt: _receipt, ...rest } = request;
  return {
    ...rest,
    candidate: {
      candidateHash: candidateHashOf(receipt),
      erasureRoot: receiptErasureRoot(receipt),
      povHash: receiptPovHash(receipt),
      receipt,
    },
    checkMode,
    useStore: request.useStore ?? true,
  };
}

/**
 * Refuses a session that the receipt does not name. A v2 receipt names one; a v3 receipt also the one it
 * was scheduled in, and either may be the one whose validators hold the chunks; others name none.
 *
 * @throws RangeError when the receipt names other sessions.
 */
export function assertReceiptSession({ candidate, sessionIndex }: CheckedRequest): void {
  const { receipt } = candidate;
  const version = descriptorVersion(receipt);
  const named =
    version === 'v2' || version === 'v3'
      ? [receiptSessionIndex(receipt), receiptSchedulingSession(receipt)]
      : [];
  if (named.length > 0 && !named.includes(sessionIndex)) {
    const expected = [...new Set(named)].join(' or ');
    throw new RangeError(
      `sessionIndex: expected ${expected}, as the receipt says, got ${sessionIndex}`,
    );
  }
}

function assertHolders(holders: unknown): void {
  if (!Array.isArray(holders)) {
    throw new TypeError(`holders: expected an array of validator indices, got ${typeof holders}`);
  }
  for (const holder of holders as readonly number[]) {
    assertInteger('holders', holder, 0, U32_MAX);
  }
}

function assertStrategies(strategies: unknown): void {
  const expected = `strategies: expected an array of ${STRATEGY_TYPES.join(', ')}`;
  if (!Array.isArray(strategies)) {
    throw new TypeError(`${expected}, got ${typeof strategies}`);
  }
  for (const strategy of strategies as readonly unknown[]) {
    if (!STRATEGY_TYPES.some((type) => type === strategy)) {
      throw new TypeError(`${expected}, got ${String(strategy)}`);
    }
  }
}

function assertMapping(mapping: MappingOption | undefined): void {
  if (mapping === undefined) {
    return;
  }
  if (!MAPPING_SCHEMES.includes(mapping?.scheme)) {
    throw new TypeError(
      `mapping.scheme: expected ${MAPPING_SCHEMES.join(', ')}, got ${String(mapping?.scheme)}`,
    );
  }
  if (mapping.scheme === 'chacha8' && !(mapping.seed instanceof Uint8Array)) {
    throw new TypeError(`mapping.seed: expected 32 bytes for chacha8, got ${typeof mapping.seed}`);
  }
  if (mapping.scheme === 'chacha8' && mapping.seed?.length !== 32) {
    throw new RangeError(`mapping.seed: expected 32 bytes, got ${mapping.seed?.length}`);
  }
}

function assertInteger(name: string, value: number | undefined, min: number, max: number): void {
  if (value !== undefined && !(Number.isInteger(value) && value >= min && value <= max)) {
    throw new RangeError(`${name}: expected an integer in ${min}..${max}, got ${value}`);
  }
}
