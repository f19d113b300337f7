import { EMPTY, map, type Observable, of, throwError, VirtualTimeScheduler } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { VerifyChunkAnswer } from '../../src/commitment/verify-chunk.ts';
import { toHex } from '../../src/primitives/bytes.ts';
import { CodecError } from '../../src/primitives/errors.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import { type ChunkReply, RequestError } from '../../src/recovery/ports.ts';
import { askChunk, type ChunkAnswer } from '../../strategies/ask-chunk.ts';
import { type WorkChanges, workWith } from '../support/fake-work.ts';
import { type MarbleHelpers, marbles } from '../support/marbles.ts';
import { goodReply, NO_SUCH_CHUNK, sourceAt, type TestContext, testContext } from './support.ts';

beforeAll(hashReady);

/** What a source of these tests reads into. */
const buffers: Uint8Array[] = [];

/** As much as any answer here needs. */
const MAX_BYTES = 100_000;

/** Asks validator 1 of 7, which answers with the stream given; answers as `type/code`. */
function ask(
  helpers: MarbleHelpers,
  answer$: Observable<ChunkReply>,
  make?: () => Observable<ChunkReply>,
  work: WorkChanges = {},
): { readonly answers$: Observable<string>; readonly test: TestContext } {
  const test = testContext({
    validatorCount: 7,
    scheduler: helpers.scheduler,
    chunkSource: () => ({ askChunk: make ?? (() => answer$) }),
    work: workWith(work),
  });
  const { candidateHash } = test.context.request.candidate;
  const question = { candidateHash, sessionIndex: 10, ...sourceAt(1), maxBytes: MAX_BYTES };
  const answers$ = askChunk(test.context, question).pipe(
    map((answer) => ('code' in answer ? `${answer.type}/${answer.code}` : answer.type)),
  );
  return { answers$, test };
}

/** The genuine reply of validator 1 of the candidate that every test here has. */
function replyOf(helpers: MarbleHelpers): ChunkReply & { readonly type: 'chunk' } {
  const { candidate } = testContext({ validatorCount: 7, scheduler: helpers.scheduler });
  const reply = goodReply(candidate, 1);
  if (reply.type !== 'chunk') {
    throw new TypeError(`reply: expected a chunk, got ${reply.type}`);
  }
  return reply;
}

describe('askChunk', () => {
  it('does not take a chunk that a source brings above the size it was told', () => {
    marbles((helpers) => {
      const reply = replyOf(helpers);
      const bytes = new Uint8Array(MAX_BYTES + 1);
      const source = helpers.cold('--a', { a: { ...reply, chunk: { ...reply.chunk, bytes } } });
      const expected = '           --(t|)';
      helpers
        .expectObservable(ask(helpers, source).answers$)
        .toBe(expected, { t: 'invalid/too_large' });
    });
  });

  it('waits as long as the source says nothing, and stops it when unsubscribed', () => {
    marbles((helpers) => {
      const source = helpers.cold<ChunkReply>('-----');
      const subs = '               ^---!';
      const expected = '           -----';
      helpers.expectObservable(ask(helpers, source).answers$, subs).toBe(expected);
      helpers.expectSubscriptions(source.subscriptions).toBe(subs);
    });
  });

  it('counts a source that completes without a reply as an error', () => {
    marbles((helpers) => {
      const source = helpers.cold<ChunkReply>('--|   ');
      const subs = '                           ^-!   ';
      const expected = '                       --(e|)';
      helpers
        .expectObservable(ask(helpers, source).answers$)
        .toBe(expected, { e: 'error/no_answer' });
      helpers.expectSubscriptions(source.subscriptions).toBe(subs);
    });
  });

  it('gives up the source with its first reply, however many there are', () => {
    marbles((helpers) => {
      const values = { a: replyOf(helpers), b: NO_SUCH_CHUNK };
      const source = helpers.cold('--a-b-a-b', values);
      const subs = '               ^-!      ';
      const expected = '           --(s|)   ';
      helpers.expectObservable(ask(helpers, source).answers$).toBe(expected, { s: 'success' });
      helpers.expectSubscriptions(source.subscriptions).toBe(subs);
    });
  });

  it.each([
    [new RequestError('timeout', 't', { stage: 'body' }), 'timeout/body'],
    [new RequestError('timeout', 't'), 'timeout/timeout'],
    [new RequestError('refused', 'r'), 'error/refused'],
    [new RequestError('cancelled', 'c'), 'canceled/cancelled'],
    [new CodecError('unexpected_end', 'u', { offset: 0 }), 'invalid/unexpected_end'],
    [new Error('a bug of the source'), 'error/source_failed'],
    ['no error at all', 'error/source_failed'],
  ])('turns the failure %o into the answer %s', (failure, answer) => {
    marbles((helpers) => {
      const source = helpers.cold<ChunkReply>('--#   ', {}, failure);
      const subs = '                           ^-!   ';
      const expected = '                       --(e|)';
      helpers.expectObservable(ask(helpers, source).answers$).toBe(expected, { e: answer });
      helpers.expectSubscriptions(source.subscriptions).toBe(subs);
    });
  });

  it('turns what the source throws when asked into an answer', () => {
    marbles((helpers) => {
      const { answers$ } = ask(
        helpers,
        throwError(() => new Error()),
        () => {
          throw new Error('a bug of the source');
        },
      );
      helpers.expectObservable(answers$).toBe('(e|)', { e: 'error/source_failed' });
    });
  });

  it('asks nobody before it is subscribed to', () => {
    marbles((helpers) => {
      let asked = 0;
      const { answers$ } = ask(helpers, helpers.cold<ChunkReply>('|'), () => {
        asked += 1;
        return helpers.cold<ChunkReply>('|');
      });
      expect(asked).toBe(0);
      helpers.expectObservable(answers$).toBe('(e|)', { e: 'error/no_answer' });
    });
  });

  it.each([
    [
      'a flipped byte',
      'chunk_hash_mismatch',
      (reply: ChunkReply & { type: 'chunk' }) => {
        const bytes = reply.chunk.bytes.slice();
        bytes[0] = (bytes[0] ?? 0) ^ 1;
        return { ...reply, chunk: { ...reply.chunk, bytes } };
      },
    ],
    [
      'an index beyond the session',
      'chunk_index_out_of_range',
      (reply: ChunkReply & { type: 'chunk' }) => ({
        ...reply,
        chunk: { ...reply.chunk, chunkIndex: (2 ** 32 + 6) as never },
      }),
    ],
  ])('rejects %s', (_what, code, spoil) => {
    marbles((helpers) => {
      const source = helpers.cold('a|', { a: spoil(replyOf(helpers)) as ChunkReply });
      helpers
        .expectObservable(ask(helpers, source).answers$)
        .toBe('(e|)', { e: `invalid/${code}` });
    });
  });

  it.each([
    ['a hex string', (bytes: Uint8Array) => `0x${toHex(bytes)}`],
    ['an array', (bytes: Uint8Array) => [...bytes]],
    ['a buffer without a view', (bytes: Uint8Array) => bytes.slice().buffer],
    ['nothing', () => undefined],
  ])(
    'does not take the chunk as %s: the hash reads it otherwise than the decoder',
    (_what, spell) => {
      marbles((helpers) => {
        const reply = replyOf(helpers);
        const chunk = { ...reply.chunk, bytes: spell(reply.chunk.bytes) as unknown as Uint8Array };
        const source = helpers.cold('a|', { a: { ...reply, chunk } });
        helpers
          .expectObservable(ask(helpers, source).answers$)
          .toBe('(e|)', { e: 'error/source_failed' });
      });
    },
  );

  it.each([
    ['Uint8Array', (bytes: Uint8Array) => bytes.slice()],
    ['Buffer', (bytes: Uint8Array) => Buffer.from(bytes)],
  ])('keeps what was verified when the source uses its %s again', (_kind, bytesOf) => {
    const { context, candidate } = testContext({
      validatorCount: 7,
      scheduler: new VirtualTimeScheduler(),
      chunkSource: (made) => {
        const reply = goodReply(made, 1) as ChunkReply & { type: 'chunk' };
        buffers.push(bytesOf(reply.chunk.bytes), ...reply.chunk.proof.map(bytesOf));
        const [bytes, ...proof] = buffers as [Uint8Array, ...Uint8Array[]];
        return { askChunk: () => of({ ...reply, chunk: { ...reply.chunk, bytes, proof } }) };
      },
    });
    const { candidateHash } = context.request.candidate;
    const question = { candidateHash, sessionIndex: 10, ...sourceAt(1), maxBytes: MAX_BYTES };
    let answer: ChunkAnswer | undefined;
    askChunk(context, question).subscribe((value) => {
      answer = value;
    });
    for (const buffer of buffers.splice(0)) {
      buffer.fill(0);
    }
    const genuine = (goodReply(candidate, 1) as ChunkReply & { type: 'chunk' }).chunk;
    expect(answer).toMatchObject({ type: 'success', chunk: genuine });
  });

  it('takes a proven chunk of another index than was asked for', () => {
    marbles((helpers) => {
      const { candidate } = testContext({ validatorCount: 7, scheduler: helpers.scheduler });
      const source = helpers.cold('a|', { a: goodReply(candidate, 5) });
      helpers.expectObservable(ask(helpers, source).answers$).toBe('(s|)', { s: 'success' });
    });
  });
});

describe('askChunk, verification that takes time', () => {
  /** Asks a source that answers at frame 2, with a verdict of its own. */
  function askSlowly(helpers: MarbleHelpers, verdict$: Observable<VerifyChunkAnswer>) {
    const reply = replyOf(helpers);
    const source = helpers.cold('--a-----', { a: reply });
    const { answers$ } = ask(helpers, source, undefined, { verify: () => verdict$ });
    return { source, answers$ };
  }

  it('answers when the verdict is there, and has left the source by then', () => {
    marbles((helpers) => {
      const verdict$ = helpers.cold<VerifyChunkAnswer>('---v|', {
        v: { type: 'invalid', reason: 'invalid_branch_proof' },
      });
      const { source, answers$ } = askSlowly(helpers, verdict$);
      helpers.expectObservable(answers$).toBe('-----(i|)', { i: 'invalid/invalid_branch_proof' });
      helpers.expectSubscriptions(source.subscriptions).toBe('^-!');
      helpers.expectSubscriptions(verdict$.subscriptions).toBe('--^--!');
    });
  });

  it('gives up the verification when unsubscribed, and drops what comes of it', () => {
    marbles((helpers) => {
      const verdict$ = helpers.cold<VerifyChunkAnswer>('----v|', {
        v: { type: 'invalid', reason: 'invalid_branch_proof' },
      });
      const { answers$ } = askSlowly(helpers, verdict$);
      const subs = '^---!';
      helpers.expectObservable(answers$, subs).toBe('-----');
      helpers.expectSubscriptions(verdict$.subscriptions).toBe('--^-!');
    });
  });

  it('does not ask about a chunk above the size it was told, nor about what is no bytes', () => {
    marbles((helpers) => {
      let asked = 0;
      const answers: string[] = [];
      const verify = (): Observable<VerifyChunkAnswer> => {
        asked += 1;
        return throwError(() => new Error('not to be used'));
      };
      const { chunk, ...reply } = replyOf(helpers);
      for (const bytes of [new Uint8Array(MAX_BYTES + 1), 'bytes' as unknown as Uint8Array]) {
        const source = of({ ...reply, chunk: { ...chunk, bytes } });
        ask(helpers, source, undefined, { verify }).answers$.subscribe((text) =>
          answers.push(text),
        );
      }
      const proof = [...chunk.proof, '0x00' as unknown as Uint8Array];
      ask(helpers, of({ ...reply, chunk: { ...chunk, proof } }), undefined, {
        verify,
      }).answers$.subscribe((text) => answers.push(text));
      expect(asked).toBe(0);
      expect(answers).toEqual(['invalid/too_large', 'error/source_failed', 'error/source_failed']);
    });
  });

  it.each([
    ['fails', throwError(() => new Error('a worker died')), 'work_failed'],
    [
      'fails with a code of a peer',
      throwError(() => new CodecError('bad_length', 'x', { offset: 0 })),
      'work_failed',
    ],
    ['says nothing', EMPTY, 'work_gave_nothing'],
    [
      'answers something else',
      of({ type: 'checked' } as unknown as VerifyChunkAnswer),
      'work_failed',
    ],
  ])(
    'errors with a local fault where the work %s: no word about the peer',
    (_what, verdict$, reason) => {
      marbles((helpers) => {
        const { answers$ } = askSlowly(helpers, verdict$);
        let error: unknown;
        answers$.subscribe({
          error: (cause: unknown) => {
            error = cause;
          },
        });
        helpers.flush();
        expect(error).toMatchObject({ code: 'local_fault', details: { reason } });
      });
    },
  );
});
