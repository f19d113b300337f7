/**
 * @module
 * Who is let in.
 */

import { describe, expect, it } from 'vitest';
import { Admission } from '../../protocol/admission.ts';
import { DEFAULT_LIMITS } from '../../protocol/limits.ts';

const IDLE = new AbortController().signal;
const MIB = 1_048_576;

/** Enters without waiting for the outcome; tells it after a turn. */
async function enterMany(
  admission: Admission,
  kind: 'chunk' | 'available_data',
  peers: readonly string[],
): Promise<string[]> {
  const states = peers.map(() => 'waiting');
  peers.forEach((peer, i) => {
    void admission.enter({ protocol: kind, kind, peer }, IDLE).then((release) => {
      states[i] = release === undefined ? 'refused' : 'served';
    });
  });
  await new Promise((resolve) => setImmediate(resolve));
  return states;
}

function count(states: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const state of states) {
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return counts;
}

describe('Admission', () => {
  it('serves 8 chunks of one peer, lets 64 wait and refuses the rest', async () => {
    const states = await enterMany(new Admission(DEFAULT_LIMITS), 'chunk', Array(80).fill('a'));
    expect(count(states)).toEqual({ served: 8, waiting: 64, refused: 8 });
  });

  it('serves 2 full data of one peer, lets 4 wait and refuses the rest', async () => {
    const states = await enterMany(
      new Admission(DEFAULT_LIMITS),
      'available_data',
      Array(10).fill('a'),
    );
    expect(count(states)).toEqual({ served: 2, waiting: 4, refused: 4 });
  });

  it('lets 100 in per protocol over all peers', async () => {
    const peers = Array.from({ length: 120 }, (_, i) => `peer ${i}`);
    const admission = new Admission(DEFAULT_LIMITS);
    expect(count(await enterMany(admission, 'chunk', peers))).toEqual({ served: 100, refused: 20 });
    expect(count(await enterMany(admission, 'available_data', peers.slice(0, 3)))).toEqual({
      served: 3,
    });
  });

  it('counts down what it has counted up, also for whoever leaves while waiting', async () => {
    const admission = new Admission({ ...DEFAULT_LIMITS, servedChunksPerPeer: 1 });
    const request = { protocol: 'p', kind: 'chunk', peer: 'a' } as const;
    const release = await admission.enter(request, IDLE);
    const controller = new AbortController();
    const waiting = admission.enter(request, controller.signal);
    expect(admission.openCount).toBe(2);
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    release?.();
    expect(admission.openCount).toBe(0);
  });

  it('refuses full data before chunks when too many bytes wait to be written', () => {
    const admission = new Admission(DEFAULT_LIMITS);
    const held = [1, 2, 3].map(() => admission.reserve('available_data', 16 * MIB));
    expect(held.every((giveBack) => giveBack !== undefined)).toBe(true);
    expect(admission.reserve('available_data', 1)).toBeUndefined();
    const chunk = admission.reserve('chunk', 16 * MIB);
    expect(chunk).toBeDefined();
    expect(admission.reserve('chunk', 1)).toBeUndefined();
    chunk?.(10 * MIB);
    expect(admission.reserve('chunk', 10 * MIB)).toBeDefined();
    chunk?.();
    for (const giveBack of held) {
      giveBack?.();
    }
    expect(admission.openCount).toBe(10 * MIB);
  });
});
