/**
 * @module
 * Starts per event-loop turn, under virtual time.
 */

import { VirtualTimeScheduler } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { TurnPacer } from '../../protocol/turn-pacer.ts';

describe('TurnPacer', () => {
  it('starts four at once and four per turn after that, in order', () => {
    const scheduler = new VirtualTimeScheduler();
    const pacer = new TurnPacer(4, scheduler);
    const started: number[] = [];
    for (let i = 0; i < 10; i += 1) {
      pacer.turn().subscribe(() => started.push(i));
    }
    expect(started).toEqual([0, 1, 2, 3]);
    const perTurn: number[] = [];
    for (const action of scheduler.actions) {
      const before = started.length;
      scheduler.maxFrames = 0;
      action.execute(undefined, 0);
      perTurn.push(started.length - before);
    }
    expect(started).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(Math.max(...perTurn)).toBe(4);
  });

  it('forgets whoever unsubscribes before its turn', () => {
    const scheduler = new VirtualTimeScheduler();
    const pacer = new TurnPacer(1, scheduler);
    const started: string[] = [];
    pacer.turn().subscribe(() => started.push('first'));
    const second = pacer.turn().subscribe(() => started.push('second'));
    pacer.turn().subscribe(() => started.push('third'));
    second.unsubscribe();
    scheduler.flush();
    expect(started).toEqual(['first', 'third']);
  });

  it('leaves no timer behind', () => {
    const scheduler = new VirtualTimeScheduler();
    const pacer = new TurnPacer(4, scheduler);
    pacer.turn().subscribe(() => {});
    scheduler.flush();
    expect(scheduler.actions.length).toBe(0);
  });
});
