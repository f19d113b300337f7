import { catchError, type Observable, of, using } from 'rxjs';
import { beforeAll, describe, it } from 'vitest';
import { hashReady } from '../../src/primitives/hash.ts';
import { type ChunkReply, RequestError } from '../../src/recovery/ports.ts';
import { RequestWindow, type WindowPhase } from '../../strategies/request-window.ts';
import { type MarbleHelpers, marbles } from '../support/marbles.ts';
import { phaseOver } from './phase.ts';
import {
  chunksBy,
  goodReply,
  letters,
  NO_SUCH_CHUNK,
  sourceAt,
  type TestContext,
  testContext,
} from './support.ts';

beforeAll(hashReady);

const TIMEOUT = new RequestError('timeout', 'timeout', { stage: 'first_byte' });

/** The events of one phase over streams by authority, as letters. Leaving it unsubscribes the window. */
function collected(
  helpers: MarbleHelpers,
  answersOf: (test: TestContext) => Readonly<Record<string, Observable<ChunkReply>>>,
  fields: Partial<WindowPhase> = {},
): Observable<string> {
  const test = testContext({
    validatorCount: 7,
    scheduler: helpers.scheduler,
    settings: { softTimeoutMs: 20 },
  });
  const answers = answersOf(test);
  const sources = Object.keys(answers).map((name) => sourceAt(Number(name.slice(1))));
  const context = { ...test.context, chunkSource: chunksBy(answers) };
  const phase = phaseOver({ ...test, context }, sources, { threshold: 1, ...fields });
  return using(
    () => new RequestWindow(context),
    (window) => (window as RequestWindow).collect(phase).pipe(letters()),
  );
}

describe('RequestWindow.collect', () => {
  it('never: counts a silent source as late, and stops it when unsubscribed', () => {
    marbles((helpers) => {
      const v0 = helpers.cold<ChunkReply>('-----     ');
      const subs = '                               ^ 29ms !  ';
      const expected = '                           s 19ms l--';
      helpers
        .expectObservable(
          collected(helpers, () => ({ v0 })),
          subs,
        )
        .toBe(expected);
      helpers.expectSubscriptions(v0.subscriptions).toBe(subs);
    });
  });

  it('empty: asks again when a source ends without a reply, as often as allowed', () => {
    marbles((helpers) => {
      const v0 = helpers.cold<ChunkReply>('------|         ');
      const subs = ['                              ^-----!         ', '------^-----!   '];
      const expected = '                           s-----(fs)--(f|)';
      helpers.expectObservable(collected(helpers, () => ({ v0 }))).toBe(expected);
      helpers.expectSubscriptions(v0.subscriptions).toBe(subs);
    });
  });

  it('one: ends with the chunk that was missing, and leaves the others to the next phase', () => {
    marbles((helpers) => {
      const { candidate } = testContext({ validatorCount: 7, scheduler: helpers.scheduler });
      const v0 = helpers.cold('   -----------a ', { a: goodReply(candidate, 0) });
      const v1 = helpers.cold('   ------a|     ', { a: goodReply(candidate, 1) });
      const subs = '              ^-----!      ';
      const expected = '          (ss)--(fh|)  ';
      helpers.expectObservable(collected(helpers, () => ({ v0, v1 }))).toBe(expected);
      // The window goes with the phase here, and takes the other attempt along.
      helpers.expectSubscriptions(v0.subscriptions).toBe(subs);
      helpers.expectSubscriptions(v1.subscriptions).toBe(subs);
    });
  });

  it('many: takes the first reply of each source only', () => {
    marbles((helpers) => {
      const { candidate } = testContext({ validatorCount: 7, scheduler: helpers.scheduler });
      const v0 = helpers.cold('   ------a-b-a  ', { a: goodReply(candidate, 0), b: NO_SUCH_CHUNK });
      const v1 = helpers.cold('   ----------a--', { a: goodReply(candidate, 1) });
      const subs0 = '             ^-----!      ';
      const subs1 = '             ^---------!  ';
      const expected = '          (ss)--(fh)(fh|)';
      helpers
        .expectObservable(collected(helpers, () => ({ v0, v1 }), { threshold: 2 }))
        .toBe(expected);
      helpers.expectSubscriptions(v0.subscriptions).toBe(subs0);
      helpers.expectSubscriptions(v1.subscriptions).toBe(subs1);
    });
  });

  it('error: turns the failure of a source into its answer and goes on with the others', () => {
    marbles((helpers) => {
      const { candidate } = testContext({ validatorCount: 7, scheduler: helpers.scheduler });
      const v0 = helpers.cold<ChunkReply>('------#         ', {}, TIMEOUT);
      const v1 = helpers.cold('           ----------a     ', { a: goodReply(candidate, 1) });
      const subs0 = ['                     ^-----!         ', '------^---!     '];
      const subs1 = '                     ^---------!     ';
      const expected = '                  (ss)--(fs)(fh|) ';
      helpers.expectObservable(collected(helpers, () => ({ v0, v1 }))).toBe(expected);
      helpers.expectSubscriptions(v0.subscriptions).toBe(subs0);
      helpers.expectSubscriptions(v1.subscriptions).toBe(subs1);
    });
  });

  it('endless: a source that goes on for ever is left after its first reply', () => {
    marbles((helpers) => {
      const { candidate } = testContext({ validatorCount: 7, scheduler: helpers.scheduler });
      const v0 = helpers.hot('------a-a-a-a-a', { a: goodReply(candidate, 0) });
      const subs = '             ^-----!        ';
      const expected = '         s-----(fh|)    ';
      helpers.expectObservable(collected(helpers, () => ({ v0 }))).toBe(expected);
      helpers.expectSubscriptions(v0.subscriptions).toBe(subs);
    });
  });

  it('early unsubscribe: stops live and late attempts in that turn', () => {
    marbles((helpers) => {
      const v0 = helpers.cold<ChunkReply>('-');
      const v1 = helpers.cold<ChunkReply>('-');
      const subs = '   ^ 24ms !        ';
      const expected = 's 19ms (ls)-----';
      const late = '   ^ 24ms !        ';
      const live = '   20ms ^----!     ';
      const run$ = collected(helpers, () => ({ v0, v1 }), {
        threshold: 2,
        desired: () => 1,
      });
      helpers.expectObservable(run$, subs).toBe(expected);
      helpers.expectSubscriptions(v1.subscriptions).toBe(late);
      helpers.expectSubscriptions(v0.subscriptions).toBe(live);
    });
  });

  it.each(['held', 'desired', 'wants'] as const)(
    'a callback that throws: errors with what %s threw on an answer',
    (name) => {
      marbles((helpers) => {
        const v0 = helpers.cold<ChunkReply>('------|');
        const v1 = helpers.cold<ChunkReply>('-------');
        const subs = '                       ^-----!';
        let isBroken = false;
        const orBreak = <T>(value: T): T => {
          if (isBroken) {
            throw new Error('a bug of the phase');
          }
          return value;
        };
        const callbacks = {
          held: () => orBreak(0),
          desired: () => orBreak(10),
          wants: () => orBreak(true),
        };
        helpers.scheduler.schedule(() => {
          isBroken = true;
        }, 3);
        const run$ = collected(helpers, () => ({ v0, v1 }), { [name]: callbacks[name] });
        const letters$ = run$.pipe(catchError((error: unknown) => of(String(error).slice(7, 12))));
        const values = { s: 's', f: 'f', x: 'a bug' };
        const isAfterAnswer = name !== 'held' && name !== 'wants';
        helpers
          .expectObservable(letters$)
          .toBe(isAfterAnswer ? '(ss)--(fx|)' : '(ss)--(x|)', values);
        helpers.expectSubscriptions(v1.subscriptions).toBe(subs);
      });
    },
  );
});
