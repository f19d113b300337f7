import { describe, expect, it } from 'vitest';
import { AttemptSet } from '../../strategies/attempt-set.ts';

/** A set with attempts named by their ids. */
function setOf(...ids: number[]): AttemptSet<string> {
  const set = new AttemptSet<string>();
  for (const id of ids) {
    set.push(id, `a${id}`);
  }
  return set;
}

describe('AttemptSet', () => {
  it('R47: counts one attempt as live until it is late', () => {
    const set = setOf(0);
    expect([set.live, set.total]).toEqual([1, 1]);
    expect(set.softCancel()).toEqual([0]);
    expect([set.live, set.total]).toEqual([0, 1]);
  });

  it('R48: leaves the live count alone when a late attempt is taken', () => {
    const set = setOf(0, 1);
    set.softCancel();
    expect(set.live).toBe(0);
    set.push(2, 'a2');
    expect(set.take(0)).toBe('a0');
    expect([set.live, set.total]).toEqual([1, 2]);
    set.push(3, 'a3');
    expect(set.softCancel()).toEqual([2, 3]);
    expect([set.live, set.total]).toEqual([0, 3]);
  });

  it('R49: lowers the live count for each live attempt taken, also after late ones', () => {
    const set = setOf(0, 1);
    set.softCancel();
    set.push(2, 'a2');
    set.push(3, 'a3');
    expect(set.live).toBe(2);
    set.take(2);
    expect(set.live).toBe(1);
    set.take(3);
    expect(set.live).toBe(0);
    set.push(4, 'a4');
    expect([set.live, set.total]).toEqual([1, 3]);
  });

  it('R50: starts anew when everything was taken', () => {
    const set = setOf(0);
    set.softCancel();
    set.push(1, 'a1');
    set.take(0);
    set.take(1);
    expect([set.live, set.total, set.all()]).toEqual([0, 0, []]);
    set.push(2, 'a2');
    expect(set.live).toBe(1);
    expect(set.softCancel()).toEqual([2]);
  });

  it('takes an attempt once', () => {
    const set = setOf(0);
    expect([set.take(0), set.take(0), set.live, set.total]).toEqual(['a0', undefined, 0, 0]);
  });

  it('says nothing about attempts that were late already', () => {
    const set = setOf(0);
    set.softCancel();
    expect(set.softCancel()).toEqual([]);
  });

  it('lists all in order of their start', () => {
    const set = setOf(0, 1);
    set.softCancel();
    set.push(2, 'a2');
    set.take(0);
    expect(set.all()).toEqual(['a1', 'a2']);
  });
});
