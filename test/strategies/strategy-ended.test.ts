import { VirtualTimeScheduler } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { ChaCha8 } from '../../src/primitives/chacha8.ts';
import { strategyEnded } from '../../strategies/strategy-ended.ts';

describe('strategyEnded', () => {
  it('carries the time of the runtime, the strategy and the reason', () => {
    const scheduler = new VirtualTimeScheduler();
    scheduler.frame = 7;
    const runtime = { scheduler, random: new ChaCha8(new Uint8Array(32)) };
    expect(strategyEnded({ runtime }, 'regular_chunks', 'sources_exhausted')).toEqual({
      type: 'strategy_ended',
      atMs: 7,
      strategy: 'regular_chunks',
      reason: 'sources_exhausted',
    });
  });
});
