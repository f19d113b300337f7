import { describe, expect, it } from 'vitest';
import { TurnOrder } from '../../../src/coding/pool/turn-order.ts';

const any = (): boolean => true;

describe('TurnOrder', () => {
  it('serves newcomers in order of arrival', () => {
    const order = new TurnOrder<string>();
    order.add('a');
    order.add('b');
    expect([order.next(any), order.next(any), order.next(any)]).toEqual(['a', 'b', undefined]);
  });

  it('lets newcomers and those that had a turn alternate', () => {
    const order = new TurnOrder<string>();
    for (const run of ['a', 'b', 'c', 'd']) {
      order.add(run);
      order.addServed(run.toUpperCase());
    }
    const served = Array.from({ length: 8 }, () => order.next(any));
    expect(served).toEqual(['a', 'A', 'b', 'B', 'c', 'C', 'd', 'D']);
  });

  it('lets a newcomer be next when nobody gave way to the one before', () => {
    const order = new TurnOrder<string>();
    order.add('large');
    order.next(any);
    order.addServed('large');
    order.add('small');
    expect(order.next(any)).toBe('small');
    expect(order.next(any)).toBe('large');
  });

  it('serves a job whose next stage begins before all others', () => {
    const order = new TurnOrder<string>();
    order.add('a');
    order.addServed('b');
    order.addFirst('c');
    expect([order.next(any), order.next(any)]).toEqual(['c', 'b']);
  });

  it('gives a job its turn back that did not take place, and never two places', () => {
    const order = new TurnOrder<string>();
    order.addServed('a');
    order.addBack('b');
    order.addBack('b');
    order.addBack('a');
    expect(order.all()).toEqual(['b', 'a']);
  });

  it('passes over who is not accepted, and forgets who is removed', () => {
    const order = new TurnOrder<string>();
    order.add('a');
    order.add('b');
    order.addServed('c');
    order.remove('c');
    order.remove('nobody');
    expect(order.next((run) => run === 'b')).toBe('b');
    expect(order.next((run) => run === 'b')).toBeUndefined();
    expect(order.all()).toEqual(['a']);
  });
});
