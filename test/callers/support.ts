/**
 * @module
 * What tests of callers stand on: receipts of made-up parachain blocks, ends of recoveries, and short
 * forms of events for marbles.
 */

import type { Observable } from 'rxjs';
import type { InOrderEvent, PendingCandidate } from '../../src/callers/in-order-events.ts';
import { encodeReceipt } from '../../src/codec/candidate.ts';
import { toHex } from '../../src/primitives/bytes.ts';
import { ChaCha8 } from '../../src/primitives/chacha8.ts';
import { authorityId, candidateHash, validatorIndex } from '../../src/primitives/ids.ts';
import type { AttemptRecord, RecoveryAccount } from '../../src/recovery/account.ts';
import { RecoveryError, type RecoveryErrorCode } from '../../src/recovery/errors.ts';
import type { RecoveredEvent, RecoveryEvent } from '../../src/recovery/events.ts';
import type { AnswerType } from '../../src/recovery/labels.ts';
import type { Runtime } from '../../src/recovery/ports.ts';

/** Head hash of a block number, as bytes. */
function headBytes(number: number): Uint8Array {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(28, number);
  return bytes;
}

/** Head hash of a block number. */
export function headHash(number: number): string {
  return toHex(headBytes(number));
}

/** A candidate for block `number` of a para, whose parent is block `parent`. */
export function pending(number: number, parent: number, paraId = 2_000): PendingCandidate {
  const hash = new Uint8Array(32);
  const { bytes } = encodeReceipt({
    version: 'v2',
    paraId,
    relayParent: hash,
    coreIndex: 0,
    sessionIndex: 10,
    validationDataHash: hash,
    povHash: hash,
    erasureRoot: hash,
    paraHeadHash: headBytes(number),
    validationCodeHash: hash,
    commitmentsHash: hash,
  });
  return { receipt: bytes, sessionIndex: 10, parentHeadHash: headHash(parent) };
}

/** The block number of a receipt made by {@link pending}. */
export function numberOf(receipt: Uint8Array): number {
  return new DataView(receipt.buffer, receipt.byteOffset).getUint32(228 + 28);
}

/** An account whose attempts were answered like this. */
export function accountOf(answers: readonly (AnswerType | undefined)[] = []): RecoveryAccount {
  const attempts = answers.map(
    (answer, attemptId): Partial<AttemptRecord> => ({
      attemptId,
      kind: 'chunk',
      strategy: 'regular_chunks',
      source: authorityId(`v${attemptId}`),
      validatorIndex: validatorIndex(attemptId),
      startedAtMs: 0,
      isLate: false,
      isUseful: false,
      bytes: 0,
      ...(answer === undefined ? {} : { answer }),
    }),
  );
  return { attempts } as unknown as RecoveryAccount;
}

/** The end of a recovery with data. */
export const RECOVERED: RecoveredEvent = {
  type: 'recovered',
  atMs: 0,
  data: {
    pov: { blockData: Uint8Array.of(1) },
    validationData: {
      parentHead: new Uint8Array(),
      relayParentNumber: 0,
      relayParentStorageRoot: new Uint8Array(32),
      maxPovSize: 0,
    },
  },
  from: 'regular_chunks',
  account: accountOf(),
};

/** The first event of a recovery. */
export const STARTED: RecoveryEvent = {
  type: 'started',
  atMs: 0,
  candidateHash: candidateHash('0'.repeat(64)),
  sessionIndex: 10,
};

/** The end of a recovery without data. */
export function failure(
  code: RecoveryErrorCode,
  account: RecoveryAccount = accountOf(),
): RecoveryError {
  return new RecoveryError(code, code, {}, { account });
}

/** Virtual time, and chance from a seed. */
export function runtimeOf(scheduler: Runtime['scheduler'], seed = 1): Runtime {
  return { scheduler, random: new ChaCha8(new Uint8Array(32).fill(seed)) };
}

/** One word per event: `r2` recovered, `s2 imported` skipped, `g2 failed` given up, `w2` waits. */
export function wordOf(event: InOrderEvent): string {
  const number = Number.parseInt(event.block.headHash.slice(-8), 16);
  switch (event.type) {
    case 'recovered':
      return `r${number}`;
    case 'progress':
      return event.event.type === 'try_waiting' ? `w${number}` : `p${number}`;
    case 'skipped':
      return `s${number} ${event.reason}`;
    case 'given_up':
      return `g${number} ${event.reason}`;
  }
}

/** Whatever came until virtual time has passed. */
export function collected<T>(source$: Observable<T>): {
  readonly values: T[];
  readonly end: { error?: unknown; isComplete: boolean };
  unsubscribe(): void;
} {
  const values: T[] = [];
  const end: { error?: unknown; isComplete: boolean } = { isComplete: false };
  const subscription = source$.subscribe({
    next: (value) => values.push(value),
    error: (error: unknown) => {
      end.error = error;
    },
    complete: () => {
      end.isComplete = true;
    },
  });
  return { values, end, unsubscribe: () => subscription.unsubscribe() };
}
