import { type Observable, using } from 'rxjs';
import { beforeAll, describe, it } from 'vitest';
import { hashReady } from '../../src/primitives/hash.ts';
import { type ChunkReply, RequestError } from '../../src/recovery/ports.ts';
import { regularChunks } from '../../strategies/regular-chunks.ts';
import { RequestWindow } from '../../strategies/request-window.ts';
import { type MarbleHelpers, marbles } from '../support/marbles.ts';
import { goodReply, letters, NO_SUCH_CHUNK, testContext } from './support.ts';

beforeAll(hashReady);

/** The strategy over one stream per question, in the order of asking; outputs as letters. */
function strategy(
  helpers: MarbleHelpers,
  ...answers: readonly Observable<ChunkReply>[]
): Observable<string> {
  const left = [...answers];
  const { context } = testContext({
    validatorCount: 6,
    scheduler: helpers.scheduler,
    settings: { softTimeoutMs: 20 },
    unknown: [2, 3, 4, 5],
    chunkSource: () => ({
      askChunk: () => {
        const answer$ = left.shift();
        if (answer$ === undefined) {
          throw new Error('a bug of the source');
        }
        return answer$;
      },
    }),
  });
  const window = new RequestWindow(context);
  return using(
    () => window,
    () => regularChunks(context, window).run().pipe(letters()),
  );
}

/** Genuine replies of V0 and V1 of the candidate above, of which two chunks are needed. */
function replies(helpers: MarbleHelpers): Record<'a' | 'b' | 'n', ChunkReply> {
  const { candidate } = testContext({ validatorCount: 6, scheduler: helpers.scheduler });
  return { a: goodReply(candidate, 0), b: goodReply(candidate, 1), n: NO_SUCH_CHUNK };
}

describe('regularChunks.run', () => {
  it('never: waits for silent validators, late or not, and lets them go when unsubscribed', () => {
    marbles((helpers) => {
      const first = helpers.cold<ChunkReply>(' -             ');
      const second = helpers.cold<ChunkReply>('-             ');
      const subs = '                           ^ 29ms !      ';
      const expected = '                       (ss) 16ms (ll)';
      helpers.expectObservable(strategy(helpers, first, second), subs).toBe(expected);
      helpers.expectSubscriptions(first.subscriptions).toBe(subs);
      helpers.expectSubscriptions(second.subscriptions).toBe(subs);
    });
  });

  it('empty: ends when one of the two that are left says nothing five times', () => {
    marbles((helpers) => {
      const first = helpers.cold<ChunkReply>(' -');
      const empty = helpers.cold<ChunkReply>('------|');
      const subs = '        ^ 29ms !                                 ';
      const tries = [
        '      ^-----!',
        '------^-----!',
        '12ms ^-----!',
        '18ms ^-----!',
        '24ms ^-----!',
      ];
      const expected = '    (ss)--(fs)--(fs)--(fs)--(fs)--(fe|)      ';
      const again = [empty, empty, empty, empty, empty];
      helpers.expectObservable(strategy(helpers, first, ...again)).toBe(expected);
      helpers.expectSubscriptions(first.subscriptions).toBe(subs);
      helpers.expectSubscriptions(empty.subscriptions).toBe(tries);
    });
  });

  it('one: a chunk alone is no data', () => {
    marbles((helpers) => {
      const first = helpers.cold(' ------a|       ', replies(helpers));
      const second = helpers.cold('----------n|   ', replies(helpers));
      const subs1 = '              ^-----!         ';
      const subs2 = '              ^---------!     ';
      const expected = '           (ss)--(fh)(fe|) ';
      helpers.expectObservable(strategy(helpers, first, second)).toBe(expected);
      helpers.expectSubscriptions(first.subscriptions).toBe(subs1);
      helpers.expectSubscriptions(second.subscriptions).toBe(subs2);
    });
  });

  it('many: takes the first reply of each, and has the data with the last', () => {
    marbles((helpers) => {
      const first = helpers.cold(' ------a-n-a    ', replies(helpers));
      const second = helpers.cold('----------b-n  ', replies(helpers));
      const subs1 = '              ^-----!         ';
      const subs2 = '              ^---------!     ';
      const expected = '           (ss)--(fh)(fhdceD|)';
      helpers.expectObservable(strategy(helpers, first, second)).toBe(expected);
      helpers.expectSubscriptions(first.subscriptions).toBe(subs1);
      helpers.expectSubscriptions(second.subscriptions).toBe(subs2);
    });
  });

  it('error: asks a validator that failed again', () => {
    marbles((helpers) => {
      const failure = new RequestError('truncated', 'truncated');
      const first = helpers.cold('  -----------a       ', replies(helpers));
      const second = helpers.cold<ChunkReply>('------#   ', {}, failure);
      const third = helpers.cold('        -----------b ', replies(helpers));
      const subs1 = '               ^----------!       ';
      const subs2 = '               ^-----!            ';
      const subs3 = '               ------^----------! ';
      const expected = '            (ss)--(fs)-(fh)--(fhdceD|)';
      helpers.expectObservable(strategy(helpers, first, second, third)).toBe(expected);
      helpers.expectSubscriptions(first.subscriptions).toBe(subs1);
      helpers.expectSubscriptions(second.subscriptions).toBe(subs2);
      helpers.expectSubscriptions(third.subscriptions).toBe(subs3);
    });
  });

  it('endless: leaves validators that go on for ever', () => {
    marbles((helpers) => {
      const first = helpers.hot(' ------a-a-a-a', replies(helpers));
      const second = helpers.hot('------b-b-b-b', replies(helpers));
      const subs = '              ^-----!      ';
      const expected = '          (ss)--(fhfhdceD|)';
      helpers.expectObservable(strategy(helpers, first, second)).toBe(expected);
      helpers.expectSubscriptions(first.subscriptions).toBe(subs);
      helpers.expectSubscriptions(second.subscriptions).toBe(subs);
    });
  });

  it('early unsubscribe: stops every request in that turn', () => {
    marbles((helpers) => {
      const first = helpers.cold<ChunkReply>('-');
      const second = helpers.cold('------a', replies(helpers));
      const subs = '             ^--!   ';
      helpers.expectObservable(strategy(helpers, first, second), subs).toBe('(ss)');
      helpers.expectSubscriptions(first.subscriptions).toBe(subs);
      helpers.expectSubscriptions(second.subscriptions).toBe(subs);
    });
  });

  it('a callback that throws: counts as a failed answer', () => {
    marbles((helpers) => {
      const expected = '(ssffssffssffssffssfe|)';
      helpers.expectObservable(strategy(helpers)).toBe(expected);
    });
  });
});
