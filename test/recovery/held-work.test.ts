import { EMPTY, lastValueFrom, Observable, of, throwError, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { RecoveryWork } from '../../src/coding/erasure-work.ts';
import { ErasureError } from '../../src/primitives/errors.ts';
import { RecoveryError } from '../../src/recovery/errors.ts';
import { heldToGuarantees } from '../../src/recovery/held-work.ts';
import { testCandidate } from '../support/candidate-world.ts';
import { openedPlain } from '../support/fake-work.ts';
import { provenChunks } from '../support/proven-chunks.ts';

const candidate = testCandidate({ validatorCount: 7 });
const chunk = provenChunks(candidate)[3]!;
const METHODS = ['verify', 'decode', 'erasureRoot'] as const;
type Method = (typeof METHODS)[number];

const GOOD: Readonly<Record<Method, unknown>> = {
  verify: { type: 'verified', chunk },
  decode: { payload: Uint8Array.of(1), codewordRoot: new Uint8Array(32), path: 'blocks' },
  erasureRoot: new Uint8Array(32),
};

/** What is no answer to each question. */
const BAD: Readonly<Record<Method, readonly unknown[]>> = {
  verify: [
    undefined,
    '0x00',
    { type: 'checked' },
    { type: 'invalid' },
    { type: 'verified' },
    { type: 'verified', chunk: { ...chunk, bytes: '0x00' } },
    { type: 'verified', chunk: { ...chunk, bytes: chunk.bytes.subarray(2) } },
    { type: 'verified', chunk: { ...chunk, chunkIndex: 4 } },
  ],
  decode: [
    undefined,
    Uint8Array.of(1),
    { payload: '0x00', path: 'blocks' },
    { payload: Uint8Array.of(1), codewordRoot: '0x00', path: 'blocks' },
    { payload: Uint8Array.of(1), path: 'guessed' },
  ],
  erasureRoot: [undefined, '0x00', new ArrayBuffer(4), { type: 'checked' }],
};

/** Work whose every answer is this one. */
function held(answer: () => Observable<unknown>): RecoveryWork {
  const plain = openedPlain({ validatorCount: 7 });
  const method = answer as () => Observable<never>;
  return heldToGuarantees({ ...plain, verify: method, decode: method, erasureRoot: method });
}

function ask(work: RecoveryWork, method: Method): Observable<unknown> {
  switch (method) {
    case 'verify':
      return work.verify(chunk);
    case 'decode':
      return work.decode({ method: 'reassemble', chunks: [], wantsRoot: true });
    case 'erasureRoot':
      return work.erasureRoot(new Uint8Array(1));
  }
}

describe('heldToGuarantees', () => {
  it.each(METHODS)('hands on one value of %s, and stops there', async (method) => {
    let isLeft = false;
    const endless = (): Observable<unknown> =>
      new Observable((subscriber) => {
        subscriber.add(() => {
          isLeft = true;
        });
        subscriber.next(GOOD[method]);
      });
    expect(await lastValueFrom(ask(held(endless), method).pipe(toArray()))).toEqual([GOOD[method]]);
    expect(isLeft).toBe(true);
    const two = held(() => of(GOOD[method], GOOD[method]));
    expect(await lastValueFrom(ask(two, method).pipe(toArray()))).toEqual([GOOD[method]]);
  });

  it.each(METHODS)('is as cold as the work: %s', (method) => {
    let calls = 0;
    const work = held(() => {
      calls += 1;
      return EMPTY;
    });
    ask(work, method);
    expect(calls).toBe(0);
  });

  it.each(METHODS)('takes silence of %s as a local fault', async (method) => {
    await expect(
      lastValueFrom(
        ask(
          held(() => EMPTY),
          method,
        ),
      ),
    ).rejects.toMatchObject({
      code: 'local_fault',
      details: { reason: 'work_gave_nothing' },
    });
  });

  it.each(METHODS)('takes what %s gives that is no answer as a local fault', async (method) => {
    for (const [i, answer] of BAD[method].entries()) {
      const asked = lastValueFrom(
        ask(
          held(() => of(answer)),
          method,
        ),
      );
      await expect(asked, `answer ${i}`).rejects.toMatchObject({
        code: 'local_fault',
        details: { reason: 'work_failed' },
      });
    }
  });

  it.each(METHODS)('lets %s say nothing about the candidate', async (method) => {
    const verdict = new RecoveryError('invalid', 'x');
    await expect(
      lastValueFrom(
        ask(
          held(() => throwError(() => verdict)),
          method,
        ),
      ),
    ).rejects.toMatchObject({ code: 'local_fault', cause: verdict });
  });

  it.each(['decode', 'erasureRoot'] as const)(
    'lets %s say something about the chunks',
    async (method) => {
      const aboutChunks = new ErasureError('non_uniform_chunks', 'x');
      await expect(
        lastValueFrom(
          ask(
            held(() => throwError(() => aboutChunks)),
            method,
          ),
        ),
      ).rejects.toBe(aboutChunks);
    },
  );

  it('takes an error about chunks in place of a verdict on one as a local fault', async () => {
    const cause = new ErasureError('uneven_length', 'x');
    await expect(
      lastValueFrom(
        ask(
          held(() => throwError(() => cause)),
          'verify',
        ),
      ),
    ).rejects.toMatchObject({ code: 'local_fault', cause });
  });

  it.each(METHODS)('turns a throw of %s into an error', async (method) => {
    const fault = new Error('thrown');
    const work = held(() => {
      throw fault;
    });
    await expect(lastValueFrom(ask(work, method))).rejects.toMatchObject({ cause: fault });
  });
});
