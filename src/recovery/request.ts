/**
 * @module
 * What a caller asks for, and the checked form of it that the orchestrator works with.
 */

import {
  type CandidateReceipt,
  candidateHashOf,
  candidateReceipt,
  receiptErasureRoot,
  receiptPovHash,
} from '../codec/candidate.ts';
import type { CandidateHash } from '../primitives/ids.ts';
import type { StrategyType } from './events.ts';
import { STRATEGY_TYPES } from './events.ts';
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

/**
 * Checks a request.
 *
 * @throws TypeError, RangeError for misuse; `CodecError` `bad_length` for a receipt of another size.
 */
export function checkRequest(request: RecoveryRequest): CheckedRequest {
  const receipt = candidateReceipt(request.receipt);
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
  for (const strategy of request.strategies ?? []) {
    if (!STRATEGY_TYPES.includes(strategy)) {
      throw new TypeError(`strategies: expected ${STRATEGY_TYPES.join(', ')}, got ${strategy}`);
    }
  }
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

function assertInteger(name: string, value: number | undefined, min: number, max: number): void {
  if (value !== undefined && !(Number.isInteger(value) && value >= min && value <= max)) {
    throw new RangeError(`${name}: expected an integer in ${min}..${max}, got ${value}`);
  }
}
