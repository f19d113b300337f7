import { VirtualTimeScheduler } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashReady } from '../../src/primitives/hash.ts';
import { validatorIndex } from '../../src/primitives/ids.ts';
import { assertHolders, authorityOf } from '../../strategies/askable.ts';
import { authorityAt } from '../support/fake-network.ts';
import { type ContextOptions, testContext } from './support.ts';

beforeAll(hashReady);

function contextWith(options: Partial<ContextOptions>) {
  return testContext({ validatorCount: 7, scheduler: new VirtualTimeScheduler(), ...options })
    .context;
}

describe('authorityOf', () => {
  it('is the authority at the place', () => {
    expect(authorityOf(contextWith({}), validatorIndex(3))).toBe(authorityAt(3));
  });

  it('is nobody where nobody is known', () => {
    expect(authorityOf(contextWith({ unknown: [3] }), validatorIndex(3))).toBeUndefined();
  });

  it('askSelf off: is nobody at our own place', () => {
    expect(authorityOf(contextWith({ ownValidatorIndex: 3 }), validatorIndex(3))).toBeUndefined();
  });

  it('askSelf on: is ourselves at our own place', () => {
    const context = contextWith({ ownValidatorIndex: 3, settings: { askSelf: true } });
    expect(authorityOf(context, validatorIndex(3))).toBe(authorityAt(3));
  });
});

describe('assertHolders', () => {
  const groups = [[1, 0], [7], [-1], [1.5]];

  it.each([{}, { backingGroup: 0 }, { backingGroup: 9 }, { holders: [6, 0] }])(
    'takes places of the session, and a group that does not exist: %o',
    (request) => {
      expect(() => assertHolders(contextWith({ groups, request }))).not.toThrow();
    },
  );

  it.each([
    [{ backingGroup: 1 }, /^groups\[1\]: expected validator indices below 7, got 7/],
    [{ backingGroup: 2 }, /^groups\[2\]/],
    [{ backingGroup: 3 }, /^groups\[3\]/],
    [{ holders: [1, 7] }, /^holders: expected validator indices below 7, got 7/],
  ])('refuses a place that the session does not have: %o', (request, message) => {
    const check = (): void => assertHolders(contextWith({ groups, request }));
    expect(check).toThrow(RangeError);
    expect(check).toThrow(message);
  });
});
