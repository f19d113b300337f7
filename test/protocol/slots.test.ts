/**
 * @module
 * Slots per key.
 */

import { describe, expect, it } from 'vitest';
import { type Release, Slots } from '../../protocol/slots.ts';

const IDLE = new AbortController().signal;

describe('Slots', () => {
  it('hands slots out per key, and to waiters in order of arrival', async () => {
    const slots = new Slots({ running: 1, waiting: 2 });
    const first = slots.take('a', IDLE) as Release;
    const order: string[] = [];
    const waiters = ['second', 'third'].map(async (name) => {
      const release = await slots.take('a', IDLE);
      order.push(name);
      release?.();
    });
    expect(slots.take('a', IDLE)).toBeUndefined();
    expect(slots.take('b', IDLE)).toBeTypeOf('function');
    first();
    await Promise.all(waiters);
    expect(order).toEqual(['second', 'third']);
    expect(slots.runningCount).toBe(1);
  });

  it('gives a slot back once, however often it is released', async () => {
    const slots = new Slots({ running: 1, waiting: 9 });
    const first = slots.take('a', IDLE) as Release;
    const second = slots.take('a', IDLE);
    const third = slots.take('a', IDLE);
    first();
    first();
    const release = await second;
    expect(await Promise.race([third, Promise.resolve('still waiting')])).toBe('still waiting');
    release?.();
    (await third)?.();
    expect(slots.runningCount).toBe(0);
  });

  it('lets a waiter leave by its signal', async () => {
    const slots = new Slots({ running: 1, waiting: 1 });
    const first = slots.take('a', IDLE) as Release;
    const controller = new AbortController();
    const left = slots.take('a', controller.signal);
    controller.abort(new Error('deadline'));
    await expect(left).rejects.toThrow('deadline');
    const next = slots.take('a', IDLE);
    first();
    expect(await next).toBeTypeOf('function');
  });
});
