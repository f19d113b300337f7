/**
 * @module
 * Holds decoded data against the candidate. The only maker of {@link CheckedData}: whatever reaches a
 * caller as a result went through here.
 */

import { map, type Observable, of } from 'rxjs';
import {
  type AvailableData,
  decodeAvailableData,
  encodeAvailableData,
  hashPov,
} from '../codec/available-data.ts';
import { equalBytes, toHex } from '../primitives/bytes.ts';
import { CodecError } from '../primitives/errors.ts';
import type { ErasureWork } from './coding.ts';
import type { InvalidEvidence } from './errors.ts';
import type { SessionInfo } from './ports.ts';
import type { Candidate, CheckMode } from './request.ts';

declare const checked: unique symbol;

/** Data that passed the check of its recovery, or that the settings exempt from it: {@link trustStored}. */
export type CheckedData = {
  readonly data: AvailableData;
  /** Size of its SCALE encoding. */
  readonly scaleBytes: number;
  /** It was not held against the candidate: {@link trustStored}. */
  readonly isTrusted?: true;
  readonly [checked]: true;
};

/** What the data is held against. */
export type CheckSubject = {
  readonly candidate: Candidate;
  readonly checkMode: CheckMode;
  /** n of the session. */
  readonly validatorCount: number;
};

/** What the data of one recovery is held against. */
export function checkSubject({
  request: { candidate, checkMode },
  session,
}: {
  readonly request: Pick<CheckSubject, 'candidate' | 'checkMode'>;
  readonly session: Pick<SessionInfo, 'validators'>;
}): CheckSubject {
  return { candidate, checkMode, validatorCount: session.validators.length };
}

/** Outcome of a check. A mismatch is no verdict about the candidate until its source is considered. */
export type CheckOutcome =
  | { readonly type: 'checked'; readonly data: CheckedData }
  | {
      readonly type: 'mismatch';
      readonly evidence: Omit<InvalidEvidence, 'chunkIndices' | 'validatorCount'>;
    };

/**
 * Checks data against the candidate (recovery spec §4.8).
 *
 * Spec: re-encode mode compares the root of the canonical encoding, so surplus bytes or columns in what
 * was decoded are a mismatch although the value is right. Impl: we encode the value, never the bytes.
 * What passes is read from that encoding: nobody who had a hand in the data, or does the work, can
 * change it.
 *
 * @throws RangeError, TypeError for data that has no encoding.
 */
export function checkData(
  data: AvailableData,
  subject: CheckSubject,
  work: ErasureWork,
): Observable<CheckOutcome> {
  const { candidate, checkMode, validatorCount } = subject;
  const encoded = encodeAvailableData(data);
  const own = decodeAvailableData(encoded.slice()).value;
  const passed = { data: own, scaleBytes: encoded.length } as CheckedData;
  if (checkMode === 'pov_hash') {
    return of(compare('pov_hash_mismatch', candidate.povHash, hashPov(own.pov), passed));
  }
  return work
    .erasureRoot(encoded, validatorCount)
    .pipe(map((root) => compare('root_mismatch', candidate.erasureRoot, root, passed)));
}

/**
 * Takes data of our own store for checked without holding it against the candidate, as the reference
 * does (recovery spec §4.4): for `checkStoredData: false` alone, where a bad disk becomes a result. Bytes
 * that are no value are a mismatch all the same.
 */
export function trustStored(stored: Uint8Array): CheckOutcome {
  const data = decodeOrCode(stored);
  return typeof data === 'string'
    ? { type: 'mismatch', evidence: { reason: 'not_decodable', code: data } }
    : {
        type: 'checked',
        data: {
          data,
          scaleBytes: encodeAvailableData(data).length,
          isTrusted: true,
        } as CheckedData,
      };
}

/** Decodes a zero-padded payload and checks it. A payload that is no value is a mismatch. */
export function checkPayload(
  payload: Uint8Array,
  subject: CheckSubject,
  work: ErasureWork,
): Observable<CheckOutcome> {
  const decoded = decodeOrCode(payload);
  return typeof decoded === 'string'
    ? of({ type: 'mismatch', evidence: { reason: 'not_decodable', code: decoded } })
    : checkData(decoded, subject, work);
}

function decodeOrCode(payload: Uint8Array): AvailableData | string {
  try {
    return decodeAvailableData(payload).value;
  } catch (error: unknown) {
    if (error instanceof CodecError) {
      return error.code;
    }
    throw error;
  }
}

function compare(
  reason: 'root_mismatch' | 'pov_hash_mismatch',
  expected: Uint8Array,
  actual: Uint8Array,
  passed: CheckedData,
): CheckOutcome {
  return equalBytes(expected, actual)
    ? { type: 'checked', data: passed }
    : {
        type: 'mismatch',
        evidence: { reason, expected: toHex(expected), actual: toHex(actual) },
      };
}
