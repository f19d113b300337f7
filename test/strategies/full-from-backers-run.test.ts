import type { Observable } from 'rxjs';
import { beforeAll, describe, it } from 'vitest';
import { hashReady } from '../../src/primitives/hash.ts';
import type { ValidatorIndex } from '../../src/primitives/ids.ts';
import { type DataReply, RequestError } from '../../src/recovery/ports.ts';
import { fullFromBackers } from '../../strategies/full-from-backers.ts';
import { RequestWindow } from '../../strategies/request-window.ts';
import { type MarbleHelpers, marbles } from '../support/marbles.ts';
import { goodData, letters, testContext } from './support.ts';

beforeAll(hashReady);

/** The strategy over one stream per backer in the order of asking; outputs as letters. */
function strategy(
  helpers: MarbleHelpers,
  ...answers: readonly Observable<DataReply>[]
): Observable<string> {
  const left = [...answers];
  const { context } = testContext({
    validatorCount: 7,
    scheduler: helpers.scheduler,
    groups: [[0, 1]],
    request: { backingGroup: 0 },
    settings: { totalBackerTimeMs: 50 },
    dataSource: () => ({
      askData: () => {
        const answer$ = left.shift();
        if (answer$ === undefined) {
          throw new Error('a bug of the source');
        }
        return answer$;
      },
    }),
  });
  const options = { capBytes: undefined, asked: new Set<ValidatorIndex>() };
  return fullFromBackers(context, new RequestWindow(context), options).run().pipe(letters());
}

/** Genuine data, and the answer of one who has none. */
function replies(helpers: MarbleHelpers): Record<'a' | 'n', DataReply> {
  const { candidate } = testContext({ validatorCount: 7, scheduler: helpers.scheduler });
  const origin = { protocol: 'test/req_available_data/1', bytes: 1 };
  return { a: goodData(candidate), n: { type: 'no_such_data', ...origin } };
}

describe('fullFromBackers.run', () => {
  it('never: is over when its time is, and lets the silent backer go', () => {
    marbles((helpers) => {
      const silent = helpers.cold<DataReply>('-----       ');
      const subs = '                          ^ 49ms !    ';
      const expected = '                      s 49ms (fe|)';
      helpers.expectObservable(strategy(helpers, silent)).toBe(expected);
      helpers.expectSubscriptions(silent.subscriptions).toBe(subs);
    });
  });

  it('empty: asks the next backer when one ends without an answer', () => {
    marbles((helpers) => {
      const first = helpers.cold<DataReply>(' -----|          ');
      const second = helpers.cold<DataReply>('-----|           ');
      const firstSubs = '                     ^----!           ';
      const secondSubs = '                    -----^----!      ';
      const expected = '                      s----(fs)-(fe|)  ';
      helpers.expectObservable(strategy(helpers, first, second)).toBe(expected);
      helpers.expectSubscriptions(first.subscriptions).toBe(firstSubs);
      helpers.expectSubscriptions(second.subscriptions).toBe(secondSubs);
    });
  });

  it('one: ends with the data, and asks nobody else', () => {
    marbles((helpers) => {
      const first = helpers.cold('-----a|  ', replies(helpers));
      const second = helpers.cold('----a|  ', replies(helpers));
      const subs = '              ^----!   ';
      const expected = '          s----(feD|)';
      helpers.expectObservable(strategy(helpers, first, second)).toBe(expected);
      helpers.expectSubscriptions(first.subscriptions).toBe(subs);
      helpers.expectSubscriptions(second.subscriptions).toBe([]);
    });
  });

  it('many: takes the first reply of a backer only', () => {
    marbles((helpers) => {
      const first = helpers.cold(' -----n-a-a     ', replies(helpers));
      const second = helpers.cold('----------a    ', replies(helpers));
      const firstSubs = '          ^----!          ';
      const secondSubs = '         -----^---------!     ';
      const expected = '           s----(fs)------(feD|)';
      helpers.expectObservable(strategy(helpers, first, second)).toBe(expected);
      helpers.expectSubscriptions(first.subscriptions).toBe(firstSubs);
      helpers.expectSubscriptions(second.subscriptions).toBe(secondSubs);
    });
  });

  it('error: turns the failure of a backer into its answer and asks the next', () => {
    marbles((helpers) => {
      const failure = new RequestError('reset', 'reset');
      const first = helpers.cold<DataReply>('-----#', {}, failure);
      const second = helpers.cold('          -----a          ', replies(helpers));
      const firstSubs = '                   ^----!          ';
      const secondSubs = '                  -----^----!     ';
      const expected = '                    s----(fs)-(feD|)';
      helpers.expectObservable(strategy(helpers, first, second)).toBe(expected);
      helpers.expectSubscriptions(first.subscriptions).toBe(firstSubs);
      helpers.expectSubscriptions(second.subscriptions).toBe(secondSubs);
    });
  });

  it('endless: leaves a backer that goes on for ever after its first reply', () => {
    marbles((helpers) => {
      const first = helpers.hot('-----a-a-a-a-a', replies(helpers));
      const subs = '             ^----!        ';
      const expected = '         s----(feD|)   ';
      helpers.expectObservable(strategy(helpers, first)).toBe(expected);
      helpers.expectSubscriptions(first.subscriptions).toBe(subs);
    });
  });

  it('early unsubscribe: stops the request in that turn and asks nobody else', () => {
    marbles((helpers) => {
      const first = helpers.cold<DataReply>('-----');
      const second = helpers.cold<DataReply>('-----');
      const subs = '                          ^---!';
      const expected = '                      s----';
      helpers.expectObservable(strategy(helpers, first, second), subs).toBe(expected);
      helpers.expectSubscriptions(first.subscriptions).toBe(subs);
      helpers.expectSubscriptions(second.subscriptions).toBe([]);
    });
  });

  it('a callback that throws: counts as a failed answer', () => {
    marbles((helpers) => {
      helpers.expectObservable(strategy(helpers)).toBe('(sfsfe|)');
    });
  });
});
