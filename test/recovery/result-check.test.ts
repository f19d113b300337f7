import { type Observable, tap, throwError } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import type { RecoveryWork } from '../../src/coding/erasure-work.ts';
import { CODEC_V1 } from '../../src/erasure/index.ts';
import { toHex } from '../../src/primitives/bytes.ts';
import { checkRequest } from '../../src/recovery/request.ts';
import {
  type CheckOutcome,
  checkData,
  checkDecoded,
  checkPayload,
} from '../../src/recovery/result-check.ts';
import { type CandidateKind, testCandidate } from '../support/candidate-world.ts';
import { openedPlain } from '../support/fake-work.ts';
import { provenChunks } from '../support/proven-chunks.ts';

const work = openedPlain({ validatorCount: 7 });
const broken: Pick<RecoveryWork, 'erasureRoot'> = {
  erasureRoot: () => throwError(() => new Error('not to be used')),
};

/** The outcome of a check that answers at once. */
function outcomeOf(outcome$: Observable<CheckOutcome>): CheckOutcome {
  const outcomes: CheckOutcome[] = [];
  outcome$.subscribe((outcome) => outcomes.push(outcome));
  expect(outcomes).toHaveLength(1);
  return outcomes[0]!;
}

function subjectOf(kind: CandidateKind, checkMode: 're_encode' | 'pov_hash' = 're_encode') {
  const made = testCandidate({ validatorCount: 7, kind });
  const { candidate } = checkRequest({ receipt: made.receipt, sessionIndex: 1 });
  return { made, subject: { candidate, checkMode, validatorCount: 7 } };
}

describe('checkData', () => {
  it('passes what was committed to, with the size of its encoding', () => {
    const { made, subject } = subjectOf('honest');
    const outcome = outcomeOf(checkData(made.data, subject, work));
    expect(outcome).toEqual({
      type: 'checked',
      data: { data: made.data, scaleBytes: encodeAvailableData(made.data).length },
    });
  });

  it('compares the root of the canonical encoding, for the number of validators', () => {
    const { made, subject } = subjectOf('honest');
    const outcome = outcomeOf(
      checkData(made.data, { ...subject, validatorCount: 8 }, openedPlain({ validatorCount: 8 })),
    );
    expect(outcome).toMatchObject({
      type: 'mismatch',
      evidence: { reason: 'root_mismatch', expected: toHex(made.erasureRoot) },
    });
  });

  it.each(['trailing_garbage', 'long_chunks', 'no_codeword'] as const)(
    'refuses the right value under the root of %s',
    (kind) => {
      const { made, subject } = subjectOf(kind);
      expect(outcomeOf(checkData(made.data, subject, work)).type).toBe('mismatch');
    },
  );

  it.each(['re_encode', 'pov_hash'] as const)(
    'passes its own copy, which neither the sender nor the work can change (%s)',
    (mode) => {
      const { made, subject } = subjectOf('honest', mode);
      const blockData = made.data.pov.blockData.slice();
      const writing: Pick<RecoveryWork, 'erasureRoot'> = {
        erasureRoot: (payload) => work.erasureRoot(payload).pipe(tap(() => payload.fill(0))),
      };
      const outcome = outcomeOf(checkData({ ...made.data, pov: { blockData } }, subject, writing));
      blockData.fill(0);
      expect(outcome).toMatchObject({ type: 'checked', data: { data: made.data } });
    },
  );

  it('looks at the PoV alone in PoV-hash mode: neither root nor validation data', () => {
    const { made, subject } = subjectOf('trailing_garbage', 'pov_hash');
    const validationData = { ...made.data.validationData, maxPovSize: 1 };
    const data = { ...made.data, validationData };
    expect(outcomeOf(checkData(data, subject, broken)).type).toBe('checked');
    const pov = { blockData: Uint8Array.of(1) };
    expect(outcomeOf(checkData({ ...data, pov }, subject, broken))).toMatchObject({
      type: 'mismatch',
      evidence: { reason: 'pov_hash_mismatch', expected: toHex(subject.candidate.povHash) },
    });
  });

  it('does not look at the PoV hash in re-encode mode', () => {
    const { made, subject } = subjectOf('wrong_pov_hash');
    expect(outcomeOf(checkData(made.data, subject, work)).type).toBe('checked');
    expect(outcomeOf(checkData(made.data, { ...subject, checkMode: 'pov_hash' }, work)).type).toBe(
      'mismatch',
    );
  });

  it('hands on what goes wrong in the work: it is no outcome', () => {
    const { made, subject } = subjectOf('honest');
    const errors: unknown[] = [];
    checkData(made.data, subject, broken).subscribe({
      error: (error: unknown) => errors.push(error),
    });
    expect(errors).toEqual([new Error('not to be used')]);
  });
});

describe('checkPayload', () => {
  it('tolerates the padding, and any bytes after the value', () => {
    const { made, subject } = subjectOf('honest');
    const encoded = encodeAvailableData(made.data);
    for (const rest of [[], [0, 0, 0], [1]]) {
      const payload = Uint8Array.from([...encoded, ...rest]);
      expect(outcomeOf(checkPayload(payload, subject, work)).type).toBe('checked');
    }
  });

  it.each([
    ['nothing', new Uint8Array(), 'unexpected_end'],
    ['a length beyond the end', Uint8Array.of(0xfe, 0xff, 0xff, 0xff), undefined],
    ['a non-canonical length', Uint8Array.of(0x01, 0x00), 'non_canonical_compact'],
  ])('calls %s not decodable, with the code', (_name, payload, code) => {
    const { subject } = subjectOf('honest');
    expect(outcomeOf(checkPayload(payload, subject, work))).toMatchObject({
      type: 'mismatch',
      evidence: { reason: 'not_decodable', code: code ?? expect.any(String) },
    });
  });
});

describe('checkDecoded', () => {
  /** What chunks of a candidate decode to, and the root that they are proven under. */
  function decodedOf(kind: CandidateKind, checkMode: 're_encode' | 'pov_hash' = 're_encode') {
    const { made, subject } = subjectOf(kind, checkMode);
    const payload = CODEC_V1.reassemble(provenChunks(made), 7);
    return { made, subject, decoded: { payload, codewordRoot: made.erasureRoot } };
  }

  it('takes the root that came with the payload, and copies nothing', () => {
    const { made, subject, decoded } = decodedOf('honest');
    const outcome = outcomeOf(checkDecoded(decoded, subject, broken));
    const scaleBytes = encodeAvailableData(made.data).length;
    expect(outcome).toEqual({ type: 'checked', data: { data: made.data, scaleBytes } });
    const { blockData } = (outcome as CheckOutcome & { type: 'checked' }).data.data.pov;
    expect(blockData.buffer).toBe(decoded.payload.buffer);
  });

  it.each(['trailing_garbage', 'long_chunks'] as const)(
    'encodes again what is no canonical encoding, whatever root came with it: %s',
    (kind) => {
      const { subject, decoded } = decodedOf(kind);
      const outcome = outcomeOf(checkDecoded(decoded, subject, work));
      expect(outcome).toMatchObject({ type: 'mismatch', evidence: { reason: 'root_mismatch' } });
      expect(outcome).toEqual(outcomeOf(checkPayload(decoded.payload, subject, work)));
    },
  );

  it('encodes again a payload that lacks its last column', () => {
    const { subject, decoded } = decodedOf('honest');
    const payload = decoded.payload.subarray(0, decoded.payload.length - 1);
    const errors: unknown[] = [];
    checkDecoded({ ...decoded, payload }, subject, broken).subscribe({
      error: (error: unknown) => errors.push(error),
    });
    expect(errors).toEqual([new Error('not to be used')]);
  });

  it('has the last word where another root came with the payload', () => {
    const { subject, decoded } = decodedOf('honest');
    const codewordRoot = new Uint8Array(32);
    expect(outcomeOf(checkDecoded({ ...decoded, codewordRoot }, subject, work)).type).toBe(
      'checked',
    );
  });

  it.each(['trailing_garbage', 'wrong_pov_hash'] as const)(
    'does not look at the root in PoV-hash mode: %s',
    (kind) => {
      const { subject, decoded } = decodedOf(kind, 'pov_hash');
      expect(outcomeOf(checkDecoded(decoded, subject, broken)).type).toBe(
        kind === 'wrong_pov_hash' ? 'mismatch' : 'checked',
      );
    },
  );
});
