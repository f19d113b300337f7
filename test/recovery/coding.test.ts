import { EMPTY, lastValueFrom, Observable, of, throwError, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import { HEX_TRIE_COMMITMENT } from '../../src/commitment/commitment.ts';
import { CODEC_V1 } from '../../src/erasure/index.ts';
import type { VerifiedChunk } from '../../src/primitives/chunk.ts';
import { ErasureError } from '../../src/primitives/errors.ts';
import {
  CODING_V1,
  type ErasureWork,
  inlineWork,
  oneValueEach,
} from '../../src/recovery/coding.ts';
import { RecoveryError } from '../../src/recovery/errors.ts';
import { testCandidate } from '../support/candidate-world.ts';

const candidate = testCandidate({ validatorCount: 7 });
const payload = encodeAvailableData(candidate.data);
const verified = candidate.chunks.flatMap((chunk): VerifiedChunk[] => {
  const verdict = HEX_TRIE_COMMITMENT.verifyChunk({
    erasureRoot: candidate.erasureRoot,
    chunk,
    validatorCount: 7,
  });
  return verdict.type === 'verified' ? [verdict.chunk] : [];
});

describe('CODING_V1', () => {
  it('is the one code, whatever the features', () => {
    for (const features of [[], [true, true, true, true, true]]) {
      expect(CODING_V1(features)).toEqual({ codec: CODEC_V1, commitment: HEX_TRIE_COMMITMENT });
    }
  });
});

describe('inlineWork', () => {
  const work = inlineWork(CODING_V1([]));

  it('gives the payload of any chunks, and the root of a payload', async () => {
    const padded = await lastValueFrom(work.reconstruct(verified.slice(-3), 7));
    expect(padded.subarray(0, payload.length)).toEqual(payload);
    expect(await lastValueFrom(work.reassemble(verified.slice(0, 2), 7))).toEqual(padded);
    expect(await lastValueFrom(work.erasureRoot(payload, 7))).toEqual(candidate.erasureRoot);
  });

  it('is cold: a call that would fail does so when it is subscribed to', async () => {
    const failing = work.reconstruct([], 7);
    await expect(lastValueFrom(failing)).rejects.toMatchObject({ code: 'not_enough_chunks' });
  });
});

describe('oneValueEach', () => {
  const value = Uint8Array.of(1);
  const workOf = (answer: () => Observable<Uint8Array>): ErasureWork => ({
    reconstruct: answer,
    reassemble: answer,
    erasureRoot: answer,
  });
  const methods = ['reconstruct', 'reassemble', 'erasureRoot'] as const;
  const ask = (work: ErasureWork, method: (typeof methods)[number]): Observable<Uint8Array> =>
    method === 'erasureRoot' ? work.erasureRoot(value, 7) : work[method]([], 7);

  it.each(methods)('hands on one value of %s, and stops there', async (method) => {
    let isLeft = false;
    const endless = (): Observable<Uint8Array> =>
      new Observable((subscriber) => {
        subscriber.add(() => {
          isLeft = true;
        });
        subscriber.next(value);
      });
    const work = oneValueEach(workOf(endless));
    expect(await lastValueFrom(ask(work, method).pipe(toArray()))).toEqual([value]);
    expect(isLeft).toBe(true);
    const two = oneValueEach(workOf(() => of(value, value)));
    expect(await lastValueFrom(ask(two, method).pipe(toArray()))).toEqual([value]);
  });

  it.each(methods)('takes silence of %s as a local fault', async (method) => {
    await expect(
      lastValueFrom(ask(oneValueEach(workOf(() => EMPTY)), method)),
    ).rejects.toMatchObject({
      code: 'local_fault',
    });
  });

  it.each(methods)('takes what %s gives that is no bytes as a local fault', async (method) => {
    for (const answer of [undefined, '0x00', new ArrayBuffer(4), { type: 'checked' }]) {
      const work = oneValueEach(workOf(() => of(answer as unknown as Uint8Array)));
      await expect(lastValueFrom(ask(work, method))).rejects.toMatchObject({
        code: 'local_fault',
        details: { reason: 'work_failed' },
      });
    }
  });

  it.each(methods)(
    'lets %s say something about the chunks, but not about the candidate',
    async (method) => {
      const aboutChunks = new ErasureError('non_uniform_chunks', 'x');
      const verdict = new RecoveryError('invalid', 'x');
      const failing = (error: Error): ErasureWork =>
        oneValueEach(workOf(() => throwError(() => error)));
      await expect(lastValueFrom(ask(failing(aboutChunks), method))).rejects.toBe(aboutChunks);
      await expect(lastValueFrom(ask(failing(verdict), method))).rejects.toMatchObject({
        code: 'local_fault',
        cause: verdict,
      });
    },
  );

  it.each(methods)('turns a throw of %s into an error', async (method) => {
    const fault = new Error('thrown');
    const work = oneValueEach(
      workOf(() => {
        throw fault;
      }),
    );
    await expect(lastValueFrom(ask(work, method))).rejects.toMatchObject({ cause: fault });
  });
});
