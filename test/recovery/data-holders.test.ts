import { describe, expect, it } from 'vitest';
import { DataHolders } from '../../src/recovery/data-holders.ts';
import type { SessionInfo } from '../../src/recovery/ports.ts';
import { authorityAt } from '../support/fake-network.ts';

const SESSION: SessionInfo = {
  index: 1,
  validators: [0, 1, 2, 3, 4].map(authorityAt),
  groups: [
    [3, 1, 3],
    [1, 9],
  ],
  nodeFeatures: [],
};

describe('DataHolders', () => {
  it('lists groups and holders, each place once, in the order in which they were named', () => {
    const holders = new DataHolders();
    holders.add({ backingGroup: 0, holders: [4] });
    holders.setSession(SESSION);
    holders.add({ holders: [0, 3] });
    expect(holders.list()).toEqual([3, 1, 4, 0]);
  });

  it('leaves out a group that does not exist, and places that the session does not have', () => {
    const holders = new DataHolders();
    holders.setSession(SESSION);
    holders.add({ backingGroup: 7, holders: [5, -1, 1.5, Number.NaN] });
    holders.add({ backingGroup: 1 });
    expect(holders.list()).toEqual([1]);
  });

  it('tells followers what is new, until they leave', () => {
    const holders = new DataHolders();
    holders.setSession(SESSION);
    const told: (readonly number[])[] = [];
    const leave = holders.follow((added) => told.push(added));
    holders.add({ backingGroup: 0 });
    holders.add({ holders: [1, 3] });
    holders.add({ holders: [3, 2] });
    leave();
    holders.add({ holders: [0] });
    expect(told).toEqual([[3, 1], [2]]);
  });
});
