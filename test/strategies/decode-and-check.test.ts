import { EMPTY, NEVER, type Observable, of, throwError, VirtualTimeScheduler } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { RecoveryWork } from '../../src/coding/erasure-work.ts';
import type { VerifiedChunk } from '../../src/primitives/chunk.ts';
import { ErasureError } from '../../src/primitives/errors.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import { heldToGuarantees } from '../../src/recovery/held-work.ts';
import type { CheckMode } from '../../src/recovery/request.ts';
import { STANDARD, UPSTREAM } from '../../src/recovery/settings.ts';
import type { RecoveryContext, StrategyOutput } from '../../src/recovery/strategy.ts';
import { type DecodeJob, decodeAndCheck } from '../../strategies/decode-and-check.ts';
import type { CandidateKind, TestCandidate } from '../support/candidate-world.ts';
import { type WorkChanges, workWith } from '../support/fake-work.ts';
import { marbles } from '../support/marbles.ts';
import { provenChunks } from '../support/proven-chunks.ts';
import { codeOf, RecoveryWorld } from '../support/recovery-world.ts';
import { CODING, letters, testContext } from './support.ts';

beforeAll(hashReady);

type Case = {
  readonly kind?: CandidateKind;
  readonly checkMode?: CheckMode;
  readonly work?: WorkChanges;
  readonly onFailure?: DecodeJob['onFailure'];
  readonly method?: DecodeJob['method'];
  readonly chunks?: (candidate: TestCandidate) => readonly VerifiedChunk[];
};

/** A job over the two systematic chunks of 7, unless said otherwise. */
function jobOf(
  { kind = 'honest', checkMode = 're_encode', work = {}, onFailure = 'verdict', ...rest }: Case,
  scheduler: RecoveryContext['runtime']['scheduler'] = new VirtualTimeScheduler(),
): { readonly context: RecoveryContext; readonly job: DecodeJob } {
  const { context, candidate } = testContext({
    validatorCount: 7,
    kind,
    scheduler,
    request: { checkMode },
    work: workWith(work),
  });
  const chunks = rest.chunks?.(candidate) ?? provenChunks(candidate).slice(0, 2);
  const { method = 'reassemble' } = rest;
  const strategy = 'systematic_chunks';
  return { context, job: { strategy, method, chunks, onFailure, onSuccess: () => [] } };
}

/** Work that does what `changes` say, for this context. */
function held({ request, session }: RecoveryContext, changes: WorkChanges): RecoveryWork {
  const { erasureRoot } = request.candidate;
  const validatorCount = session.validators.length;
  return heldToGuarantees(workWith(changes).open({ coding: CODING, erasureRoot, validatorCount }));
}

/** Runs a job to its end. */
function run(options: Case): { readonly outputs: StrategyOutput[]; readonly error: unknown } {
  const { context, job } = jobOf(options);
  const outputs: StrategyOutput[] = [];
  let error: unknown;
  decodeAndCheck(context, job).subscribe({
    next: (output) => outputs.push(output),
    error: (cause: unknown) => {
      error = cause;
    },
  });
  return { outputs, error };
}

/** Reasons of ends among the outputs. */
function reasons(outputs: readonly StrategyOutput[]): readonly string[] {
  return outputs.flatMap((output) => (output.type === 'strategy_ended' ? [output.reason] : []));
}

describe('decodeAndCheck', () => {
  it('ends with the data', () => {
    const { outputs, error } = run({});
    expect(outputs.map(({ type }) => type)).toEqual([
      'decoding',
      'checking',
      'strategy_ended',
      'data',
    ]);
    expect(error).toBeUndefined();
  });

  it('takes back what is on the way before it ends', () => {
    const { context, job } = jobOf({});
    const outputs: StrategyOutput[] = [];
    const late = { type: 'attempt_late', atMs: 0, attemptId: 7 } as const;
    decodeAndCheck(context, { ...job, onSuccess: () => [late] }).subscribe((output) =>
      outputs.push(output),
    );
    expect(outputs.map(({ type }) => type)).toEqual([
      'decoding',
      'checking',
      'attempt_late',
      'strategy_ended',
      'data',
    ]);
  });

  it.each([
    ['no_codeword', 're_encode', 'root_mismatch'],
    ['undecodable', 're_encode', 'not_decodable'],
    ['trailing_garbage', 're_encode', 'root_mismatch'],
    ['long_chunks', 're_encode', 'root_mismatch'],
    ['wrong_pov_hash', 'pov_hash', 'pov_hash_mismatch'],
    ['undecodable', 'pov_hash', 'not_decodable'],
  ] as const)('verdict: %s in %s mode is invalid, with its evidence', (kind, checkMode, reason) => {
    const { outputs, error } = run({ kind, checkMode });
    expect(error).toMatchObject({ code: 'invalid', evidence: { reason, chunkIndices: [0, 1] } });
    expect(reasons(outputs)).toEqual([reason === 'not_decodable' ? reason : 'check_failed']);
  });

  it('next_strategy: ends without a word about the candidate', () => {
    const { outputs, error } = run({ kind: 'undecodable', onFailure: 'next_strategy' });
    expect(error).toBeUndefined();
    expect(reasons(outputs)).toEqual(['not_decodable']);
  });

  it.each(['trailing_garbage', 'long_chunks'] as const)(
    'takes %s for the data in PoV-hash mode',
    (kind) => {
      expect(run({ kind, checkMode: 'pov_hash' }).outputs.at(-1)?.type).toBe('data');
    },
  );

  it('is invalid for proven chunks of unequal, odd or no length', () => {
    for (const shards of [
      [new Uint8Array(2), new Uint8Array(4)],
      [new Uint8Array(3), new Uint8Array(3)],
      [new Uint8Array(0), new Uint8Array(0)],
    ]) {
      const all = [...shards, ...Array.from({ length: 5 }, () => new Uint8Array(2))];
      const { root, proofs } = CODING.commitment.commit(all);
      const { context, job } = jobOf({});
      const candidate = { ...context.request.candidate, erasureRoot: root };
      const chunks = shards.map((bytes, i) => {
        const chunk = { bytes, chunkIndex: i as never, proof: proofs[i] ?? [] };
        const question = { erasureRoot: root, chunk, validatorCount: 7 };
        const verdict = CODING.commitment.verifyChunk(question);
        if (verdict.type === 'invalid') {
          throw new TypeError(verdict.reason);
        }
        return verdict.chunk;
      });
      let error: unknown;
      const request = { ...context.request, candidate };
      decodeAndCheck({ ...context, request }, { ...job, chunks }).subscribe({
        error: (cause: unknown) => {
          error = cause;
        },
      });
      const message = shards.map(({ length }) => length).join();
      expect(error, message).toMatchObject({
        code: 'invalid',
        evidence: { reason: 'not_decodable' },
      });
    }
  });
});

describe('decodeAndCheck, faults of ours', () => {
  const zeros = of(new Uint8Array(256));

  it.each([
    [
      'reassembles to something undecodable',
      { reassemble: () => of(new Uint8Array(256).fill(255)) },
    ],
    ['reassembles to another value', { reassemble: () => zeros }],
    ['finds another root', { erasureRoot: () => of(new Uint8Array(32)) }],
    [
      'says that the chunks are of unequal length',
      { reassemble: () => throwError(() => new ErasureError('non_uniform_chunks', 'a lie')) },
    ],
  ])('is a local fault when the work %s and the plain engine does not', (_what, work) => {
    const { error } = run({ work });
    expect(error).toMatchObject({ code: 'local_fault', details: { reason: 'engines_disagree' } });
  });

  it('is a local fault when the two engines find different faults', () => {
    const { error } = run({
      kind: 'trailing_garbage',
      work: { reassemble: () => of(new Uint8Array(256).fill(255)) },
    });
    expect(error).toMatchObject({ code: 'local_fault', details: { reason: 'engines_disagree' } });
  });

  it.each([
    ['reassemble', { reassemble: () => throwError(() => new Error('the pool is gone')) }],
    ['erasureRoot', { erasureRoot: () => throwError(() => new Error('the pool is gone')) }],
    [
      'too few chunks',
      { reassemble: () => throwError(() => new ErasureError('not_enough_chunks', 'too few')) },
    ],
    [
      'a thrown reassemble',
      {
        reassemble: () => {
          throw new Error('the pool is gone');
        },
      },
    ],
    ['no value of reassemble', { reassemble: () => EMPTY }],
    ['no value of erasureRoot', { erasureRoot: () => EMPTY }],
  ])('is a local fault when the work fails: %s', (_what, work) => {
    for (const onFailure of ['verdict', 'next_strategy'] as const) {
      for (const kind of ['honest', 'no_codeword'] as const) {
        const { error } = run({ work, onFailure, kind });
        expect(codeOf(error), `${onFailure}, ${kind}`).toBe('local_fault');
      }
    }
  });

  it('is a local fault when a proof no longer holds', () => {
    const spoil = (candidate: TestCandidate): readonly VerifiedChunk[] => {
      const chunks = provenChunks(candidate).slice(0, 2);
      chunks[0]?.bytes.fill(9);
      return chunks;
    };
    const { error } = run({ chunks: spoil });
    expect(error).toMatchObject({ code: 'local_fault', details: { reason: 'proofs_changed' } });
  });

  it.each([
    ['re_encode', STANDARD],
    ['pov_hash', STANDARD],
    ['re_encode', UPSTREAM],
    ['pov_hash', UPSTREAM],
  ] as const)(
    'ends a whole recovery in a local fault in %s mode when the engines disagree, in every preset',
    async (checkMode, settings) => {
      const lie = (): Observable<Uint8Array> => of(new Uint8Array(256).fill(255));
      const world = await RecoveryWorld.open({
        validatorCount: 7,
        settings,
        ports: () => ({ work: workWith({ reassemble: lie, reconstruct: lie }) }),
      });
      expect(codeOf(world.run({ checkMode }).error)).toBe('local_fault');
    },
  );

  it('PoV-hash mode: recovers through the regular strategy when only reassembling is broken', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      ports: () => ({
        work: workWith({ reassemble: () => of(new Uint8Array(256).fill(255)) }),
      }),
    });
    expect(world.run({ checkMode: 'pov_hash' }).recovered?.from).toBe('regular_chunks');
  });
});

describe('decodeAndCheck, the work as a stream', () => {
  it('waits for work that never ends, and stops it when unsubscribed', () => {
    marbles((helpers) => {
      const reassemble = helpers.cold<Uint8Array>('-----');
      const subs = '                               ^---!';
      const { context, job } = jobOf({ work: { reassemble: () => reassemble } }, helpers.scheduler);
      helpers.expectObservable(decodeAndCheck(context, job).pipe(letters()), subs).toBe('d----');
      helpers.expectSubscriptions(reassemble.subscriptions).toBe(subs);
    });
  });

  it('checks when it has decoded', () => {
    marbles((helpers) => {
      const { context, job } = jobOf({}, helpers.scheduler);
      const payload = CODING.codec.reassemble(job.chunks, 7);
      const reassemble = helpers.cold('--p|', { p: payload });
      const erasureRoot = helpers.cold<Uint8Array>('  ---r|', {
        r: context.request.candidate.erasureRoot,
      });
      const subs = ['--^--!'];
      const work = held(context, { reassemble: () => reassemble, erasureRoot: () => erasureRoot });
      helpers
        .expectObservable(decodeAndCheck({ ...context, work }, job).pipe(letters()))
        .toBe('d-c--(eD|)');
      helpers.expectSubscriptions(erasureRoot.subscriptions).toBe(subs);
    });
  });

  it('takes the first value of work that has several or does not end', () => {
    marbles((helpers) => {
      const { context, job } = jobOf({}, helpers.scheduler);
      const payload = CODING.codec.reassemble(job.chunks, 7);
      const reassemble = helpers.cold('--p-p-p', { p: payload });
      const work = held(context, { reassemble: () => reassemble });
      helpers
        .expectObservable(decodeAndCheck({ ...context, work }, job).pipe(letters()))
        .toBe('d-(ceD|)');
      helpers.expectSubscriptions(reassemble.subscriptions).toBe('^-!');
    });
  });

  it('does nothing before it is subscribed to', () => {
    let calls = 0;
    const { context, job } = jobOf({
      work: {
        reassemble: () => {
          calls += 1;
          return NEVER;
        },
      },
    });
    const outputs$ = decodeAndCheck(context, job);
    expect(calls).toBe(0);
    outputs$.subscribe(() => undefined).unsubscribe();
    expect(calls).toBe(1);
  });
});
