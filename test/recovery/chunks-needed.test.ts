import { describe, expect, it } from 'vitest';
import { chunksNeeded } from '../../src/recovery/chunks-needed.ts';
import type { RecoverySettings } from '../../src/recovery/settings.ts';
import { STANDARD, UPSTREAM } from '../../src/recovery/settings.ts';
import { RecoveryWorld } from '../support/recovery-world.ts';

/** n = 7: k = 2, f+1 = 3. */
const N = 7;

describe('chunksNeeded', () => {
  it.each<[string, RecoverySettings, 're_encode' | 'pov_hash', number]>([
    ['k in re-encode mode by default', STANDARD, 're_encode', 2],
    ['f+1 in PoV-hash mode', STANDARD, 'pov_hash', 3],
    ['f+1 as upstream has it', UPSTREAM, 're_encode', 3],
    ['f+1 as upstream has it, in PoV-hash mode too', UPSTREAM, 'pov_hash', 3],
  ])('is %s, for regular chunks: as many as are decoded', async (_name, settings, checkMode, n) => {
    const needed = chunksNeeded('regular_chunks', { settings, checkMode }, N);
    const world = await RecoveryWorld.open({ validatorCount: N, settings });
    const { events } = world.run({ checkMode, strategies: ['regular_chunks'] });
    const decoding = events.find((event) => event.type === 'decoding');
    expect([needed, decoding?.chunkCount]).toEqual([n, n]);
    expect(events.find((event) => event.type === 'strategy_started')).toMatchObject({
      chunksNeeded: n,
    });
  });

  it('is k for systematic chunks, and nothing for full data, whatever the settings', () => {
    for (const settings of [STANDARD, UPSTREAM]) {
      const rules = { settings, checkMode: 're_encode' } as const;
      expect(chunksNeeded('systematic_chunks', rules, N)).toBe(2);
      expect(chunksNeeded('full_from_backers', rules, N)).toBeUndefined();
    }
  });
});
