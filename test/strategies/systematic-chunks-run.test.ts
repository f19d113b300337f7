import { type Observable, using } from 'rxjs';
import { beforeAll, describe, it } from 'vitest';
import { hashReady } from '../../src/primitives/hash.ts';
import { type ChunkReply, RequestError } from '../../src/recovery/ports.ts';
import { RequestWindow } from '../../strategies/request-window.ts';
import { systematicChunks } from '../../strategies/systematic-chunks.ts';
import { type MarbleHelpers, marbles } from '../support/marbles.ts';
import { chunksBy, goodReply, letters, NO_SUCH_CHUNK, testContext } from './support.ts';

beforeAll(hashReady);

/** The strategy over streams by authority; outputs as letters. Leaving it unsubscribes the window. */
function strategy(
  helpers: MarbleHelpers,
  answers: Readonly<Record<string, Observable<ChunkReply>>>,
): Observable<string> {
  const { context, candidate } = testContext({
    validatorCount: 7,
    scheduler: helpers.scheduler,
    settings: { softTimeoutMs: 20 },
    chunkSource: () => chunksBy(answers),
  });
  const window = new RequestWindow(context);
  return using(
    () => window,
    () => systematicChunks(context, window, candidate.mapping).run().pipe(letters()),
  );
}

/** The genuine replies of the two holders. */
function replies(helpers: MarbleHelpers): Record<'c' | 'd' | 'n', ChunkReply> {
  const { candidate } = testContext({ validatorCount: 7, scheduler: helpers.scheduler });
  return { c: goodReply(candidate, 3), d: goodReply(candidate, 4), n: NO_SUCH_CHUNK };
}

describe('systematicChunks.run', () => {
  it('never: waits for silent holders, late or not, and lets them go when unsubscribed', () => {
    marbles((helpers) => {
      const v3 = helpers.cold<ChunkReply>('-----          ');
      const v4 = helpers.cold<ChunkReply>('-----          ');
      const subs = '                      ^ 29ms !       ';
      const expected = '                  (ss) 16ms (ll)-';
      helpers.expectObservable(strategy(helpers, { v3, v4 }), subs).toBe(expected);
      helpers.expectSubscriptions(v3.subscriptions).toBe(subs);
      helpers.expectSubscriptions(v4.subscriptions).toBe(subs);
    });
  });

  it('empty: asks a holder that says nothing twice, then ends', () => {
    marbles((helpers) => {
      const v3 = helpers.cold<ChunkReply>('-                 ');
      const v4 = helpers.cold<ChunkReply>('------|           ');
      const subs3 = '                     ^-----------!     ';
      const subs4 = ['                    ^-----!           ', '------^-----!'];
      const expected = '                  (ss)--(fs)--(fe|) ';
      helpers.expectObservable(strategy(helpers, { v3, v4 })).toBe(expected);
      helpers.expectSubscriptions(v3.subscriptions).toBe(subs3);
      helpers.expectSubscriptions(v4.subscriptions).toBe(subs4);
    });
  });

  it('one: a chunk alone is no data', () => {
    marbles((helpers) => {
      const v3 = helpers.cold('------c|          ', replies(helpers));
      const v4 = helpers.cold('----------n|      ', replies(helpers));
      const subs3 = '         ^-----!           ';
      const subs4 = '         ^---------!       ';
      const expected = '      (ss)--(fh)(fe|)   ';
      helpers.expectObservable(strategy(helpers, { v3, v4 })).toBe(expected);
      helpers.expectSubscriptions(v3.subscriptions).toBe(subs3);
      helpers.expectSubscriptions(v4.subscriptions).toBe(subs4);
    });
  });

  it('many: takes the first reply of each holder, and has the data with the last', () => {
    marbles((helpers) => {
      const v3 = helpers.cold('------c-n-c       ', replies(helpers));
      const v4 = helpers.cold('----------d-n     ', replies(helpers));
      const subs3 = '         ^-----!           ';
      const subs4 = '         ^---------!       ';
      const expected = '      (ss)--(fh)(fhdceD|)';
      helpers.expectObservable(strategy(helpers, { v3, v4 })).toBe(expected);
      helpers.expectSubscriptions(v3.subscriptions).toBe(subs3);
      helpers.expectSubscriptions(v4.subscriptions).toBe(subs4);
    });
  });

  it('error: asks a holder that failed again while the other is awaited', () => {
    marbles((helpers) => {
      const failure = new RequestError('reset', 'reset');
      const v3 = helpers.cold('------#           ', replies(helpers), failure);
      const v4 = helpers.cold('-                 ', replies(helpers));
      const subs3 = ['        ^-----!           ', '------^-----!'];
      const subs4 = '         ^-----------!     ';
      const expected = '      (ss)--(fs)--(fe|) ';
      helpers.expectObservable(strategy(helpers, { v3, v4 })).toBe(expected);
      helpers.expectSubscriptions(v3.subscriptions).toBe(subs3);
      helpers.expectSubscriptions(v4.subscriptions).toBe(subs4);
    });
  });

  it('endless: leaves holders that go on for ever', () => {
    marbles((helpers) => {
      const v3 = helpers.hot('------c-c-c-c-c', replies(helpers));
      const v4 = helpers.hot('------d-d-d-d-d', replies(helpers));
      const subs = '         ^-----!        ';
      const expected = '     (ss)--(fhfhdceD|)';
      helpers.expectObservable(strategy(helpers, { v3, v4 })).toBe(expected);
      helpers.expectSubscriptions(v3.subscriptions).toBe(subs);
      helpers.expectSubscriptions(v4.subscriptions).toBe(subs);
    });
  });

  it('early unsubscribe: stops every request in that turn', () => {
    marbles((helpers) => {
      const v3 = helpers.cold('------c', replies(helpers));
      const v4 = helpers.cold('-      ', replies(helpers));
      const subs = '         ^--!   ';
      helpers.expectObservable(strategy(helpers, { v3, v4 }), subs).toBe('(ss)');
      helpers.expectSubscriptions(v3.subscriptions).toBe(subs);
      helpers.expectSubscriptions(v4.subscriptions).toBe(subs);
    });
  });

  it('a callback that throws: counts as a failed answer', () => {
    marbles((helpers) => {
      const { context, candidate } = testContext({
        validatorCount: 7,
        scheduler: helpers.scheduler,
        chunkSource: () => ({
          askChunk: () => {
            throw new Error('a bug of the source');
          },
        }),
      });
      const run$ = systematicChunks(context, new RequestWindow(context), candidate.mapping).run();
      helpers.expectObservable(run$.pipe(letters())).toBe('(ssffssfe|)');
    });
  });
});
