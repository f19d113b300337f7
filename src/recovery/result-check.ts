/**
 * @module
 * Holds decoded data against the candidate. The only maker of {@link CheckedData}: whatever reaches a
 * caller as a result went through here.
 */

import { identity, type MonoTypeOperatorFunction, map, type Observable, of } from 'rxjs';
import {
  type AvailableData,
  decodeAvailableData,
  encodeAvailableData,
  encodeValidationData,
} from '../codec/available-data.ts';
import type { Decoded, RecoveryWork } from '../coding/erasure-work.ts';
import { equalBytes, toHex } from '../primitives/bytes.ts';
import { CodecError } from '../primitives/errors.ts';
import { blake2b256 } from '../primitives/hash.ts';
import { systematicThreshold } from '../primitives/thresholds.ts';
import type { InvalidEvidence } from './errors.ts';
import type { MetricsSink, Runtime, SessionInfo } from './ports.ts';
import { RECOVERY_METRICS, timed } from './recovery-metrics.ts';
import type { Candidate, CheckMode } from './request.ts';
import type { WorkLog } from './work-log.ts';

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
  /** Where the cost of the check is noted; absent: nowhere. */
  readonly noted?: CostNotes;
};

/** Where a recovery notes what its checks cost. */
export type CostNotes = {
  readonly metrics: MetricsSink;
  readonly runtime: Runtime;
  readonly workLog: WorkLog;
};

/** What the data of one recovery is held against; its cost is not noted. */
export function checkSubject({
  request: { candidate, checkMode },
  session,
}: {
  readonly request: Pick<CheckSubject, 'candidate' | 'checkMode'>;
  readonly session: Pick<SessionInfo, 'validators'>;
}): CheckSubject {
  return { candidate, checkMode, validatorCount: session.validators.length };
}

/** The same, with its cost noted. */
export function notedSubject(
  context: Parameters<typeof checkSubject>[0] & CostNotes,
): CheckSubject {
  return { ...checkSubject(context), noted: context };
}

/** Outcome of a check. A mismatch is no verdict about the candidate until its source is considered. */
export type CheckOutcome =
  | { readonly type: 'checked'; readonly data: CheckedData }
  | {
      readonly type: 'mismatch';
      readonly evidence: Omit<InvalidEvidence, 'chunkIndices' | 'validatorCount'>;
    };

/** A value and its canonical encoding. */
type Encoded = {
  readonly encoded: Uint8Array;
  /** In memory that only we have. */
  readonly own: AvailableData;
};

/**
 * Checks data against the candidate (recovery spec §4.8).
 *
 * Spec: re-encode mode compares the root of the canonical encoding, so surplus bytes or columns in what
 * was decoded are a mismatch although the value is right. Impl: we encode the value, never the bytes.
 * What passes is read from that encoding: nobody who had a hand in the data, or does the work, can
 * change it.
 *
 * Buffers: copies the data once, and once more where the work gets to see it.
 *
 * @throws RangeError, TypeError for data that has no encoding.
 */
export function checkData(
  data: AvailableData,
  subject: CheckSubject,
  work: Pick<RecoveryWork, 'erasureRoot'>,
): Observable<CheckOutcome> {
  const encoded = encodeAvailableData(data);
  const isShown = subject.checkMode === 're_encode';
  subject.noted?.workLog.copied(encoded.length * (isShown ? 2 : 1));
  const own = decodeAvailableData(isShown ? encoded.slice() : encoded).value;
  return checkEncoded({ encoded, own }, subject, work);
}

/**
 * Checks a decoded payload. One that is no value is a mismatch.
 *
 * Where the work gave the root of the codeword that the payload lies on, that root is compared if what
 * is encoded from the value is this very codeword. The conditions (erasure spec §4.7), each necessary:
 * the value decodes strictly, so that its L bytes are its canonical encoding; only zeros follow; and
 * there are as many columns as L bytes need. Then the canonical encoding, padded, is the payload, its
 * codeword is the payload's, and `codewordRoot` is the root that encoding again would give. So this
 * accepts what encoding again accepts, and nothing else. In every other case, a differing root included,
 * the value is encoded again, so that a mismatch has the same evidence whoever did the work.
 *
 * Buffers: keeps views of `payload`, which nobody else may write to. Copies nothing where the root is at
 * hand or only the PoV hash is asked for.
 */
export function checkDecoded(
  { payload, codewordRoot }: Pick<Decoded, 'payload' | 'codewordRoot'>,
  subject: CheckSubject,
  work: Pick<RecoveryWork, 'erasureRoot'>,
): Observable<CheckOutcome> {
  const decoded = decodeOrCode(payload);
  if (typeof decoded === 'string') {
    return of({ type: 'mismatch', evidence: { reason: 'not_decodable', code: decoded } });
  }
  const { value, bytesRead } = decoded;
  const { candidate, checkMode, validatorCount, noted } = subject;
  if (checkMode === 'pov_hash') {
    const encoded = payload.subarray(0, bytesRead);
    return checkEncoded({ encoded, own: value }, subject, work);
  }
  if (
    codewordRoot !== undefined &&
    equalBytes(codewordRoot, candidate.erasureRoot) &&
    isPaddedOnly(payload, bytesRead, validatorCount)
  ) {
    return of(passed(value, bytesRead)).pipe(timedReencode(noted));
  }
  const encoded = encodeAvailableData(value);
  noted?.workLog.copied(encoded.length);
  return checkEncoded({ encoded, own: value }, subject, work);
}

/** As {@link checkDecoded}, for a payload of which nothing is known. */
export function checkPayload(
  payload: Uint8Array,
  subject: CheckSubject,
  work: Pick<RecoveryWork, 'erasureRoot'>,
): Observable<CheckOutcome> {
  return checkDecoded({ payload }, subject, work);
}

/**
 * Takes data of our own store for checked without holding it against the candidate, as the reference
 * does (recovery spec §4.4): for `checkStoredData: false` alone, where a bad disk becomes a result. Bytes
 * that are no value are a mismatch all the same.
 */
export function trustStored(stored: Uint8Array): CheckOutcome {
  const decoded = decodeOrCode(stored);
  return typeof decoded === 'string'
    ? { type: 'mismatch', evidence: { reason: 'not_decodable', code: decoded } }
    : {
        type: 'checked',
        data: {
          data: decoded.value,
          scaleBytes: decoded.bytesRead,
          isTrusted: true,
        } as CheckedData,
      };
}

/** Whether a payload is what the first `valueBytes` of it, padded, would be: zeros, and no column more. */
function isPaddedOnly(payload: Uint8Array, valueBytes: number, validatorCount: number): boolean {
  const columnBytes = 2 * systematicThreshold(validatorCount);
  return (
    payload.length === columnBytes * Math.ceil(valueBytes / columnBytes) &&
    payload.subarray(valueBytes).every((byte) => byte === 0)
  );
}

function checkEncoded(
  { encoded, own }: Encoded,
  { candidate, checkMode, noted }: CheckSubject,
  work: Pick<RecoveryWork, 'erasureRoot'>,
): Observable<CheckOutcome> {
  const good = passed(own, encoded.length);
  if (checkMode === 'pov_hash') {
    return of(compare('pov_hash_mismatch', candidate.povHash, povHash(encoded, own), good));
  }
  return work.erasureRoot(encoded).pipe(
    map((root) => compare('root_mismatch', candidate.erasureRoot, root, good)),
    timedReencode(noted),
  );
}

/** The encoding begins with that of the PoV, which the hash is over: no copy of it is made. */
function povHash(encoded: Uint8Array, { validationData }: AvailableData): Uint8Array {
  const restBytes = encodeValidationData(validationData).length;
  return blake2b256(encoded.subarray(0, encoded.length - restBytes));
}

function passed(data: AvailableData, scaleBytes: number): CheckOutcome & { type: 'checked' } {
  return { type: 'checked', data: { data, scaleBytes } as CheckedData };
}

function timedReencode(noted: CheckSubject['noted']): MonoTypeOperatorFunction<CheckOutcome> {
  return noted === undefined ? identity : timed(noted, RECOVERY_METRICS.reencodeSeconds);
}

function decodeOrCode(payload: Uint8Array): ReturnType<typeof decodeAvailableData> | string {
  try {
    return decodeAvailableData(payload);
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
  good: CheckOutcome,
): CheckOutcome {
  return equalBytes(expected, actual)
    ? good
    : {
        type: 'mismatch',
        evidence: { reason, expected: toHex(expected), actual: toHex(actual) },
      };
}
