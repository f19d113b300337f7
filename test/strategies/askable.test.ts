import { VirtualTimeScheduler } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { hashReady } from '../../src/primitives/hash.ts';
import { validatorIndex } from '../../src/primitives/ids.ts';
import { authorityOf, backersOf } from '../../strategies/askable.ts';
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

describe('backersOf', () => {
  const { session } = contextWith({ groups: [[1, 0], [7], [-1], [1.5]] });

  it('is the group that was named', () => {
    expect(backersOf(session, 0)).toEqual([1, 0]);
  });

  it('has each member once: a backer is asked once for the data, and stands in for one validator', () => {
    expect(backersOf(contextWith({ groups: [[1, 0, 1, 1]] }).session, 0)).toEqual([1, 0]);
  });

  it('is nobody without a group, or with one that does not exist', () => {
    expect([backersOf(session, undefined), backersOf(session, 9)]).toEqual([[], []]);
  });

  it.each([1, 2, 3])('is misuse when group %i names no place of the session', (group) => {
    expect(() => backersOf(session, group)).toThrow(RangeError);
  });
});
