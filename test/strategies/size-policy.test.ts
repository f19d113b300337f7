import { describe, expect, it } from 'vitest';
import { SIZE_LIMITS } from '../../src/recovery/settings.ts';
import { planBySize, type SizeContext } from '../../strategies/size-policy.ts';

const MAPPED: SizeContext = {
  limitBytes: SIZE_LIMITS.relaxed,
  sizeUnknown: 'capped_request',
  hasSystematicHolders: true,
};
const CHUNKS = ['systematic_chunks', 'regular_chunks'];

describe('planBySize', () => {
  it.each(Object.values(SIZE_LIMITS))(
    'X4: counts an estimate equal to a limit of %i bytes as large, one byte less as small',
    (limitBytes) => {
      const context = { ...MAPPED, limitBytes };
      expect(planBySize(limitBytes, 5, context)).toEqual({ strategies: CHUNKS });
      expect(planBySize(limitBytes - 1, 5, context)).toEqual({
        strategies: ['full_from_backers', ...CHUNKS],
      });
    },
  );

  it('asks backers with the limit as cap when nothing tells the size', () => {
    expect(planBySize(undefined, 5, MAPPED)).toEqual({
      strategies: ['full_from_backers', ...CHUNKS],
      capBytes: SIZE_LIMITS.relaxed,
    });
  });

  it('counts an unknown size as large where the settings say so', () => {
    expect(planBySize(undefined, 5, { ...MAPPED, sizeUnknown: 'large' })).toEqual({
      strategies: CHUNKS,
    });
  });

  it('asks no backer without a group', () => {
    expect(planBySize(10, 0, MAPPED)).toEqual({ strategies: CHUNKS });
    expect(planBySize(undefined, 0, MAPPED)).toEqual({ strategies: CHUNKS });
  });

  it('asks no backer under a limit of 0', () => {
    expect(planBySize(undefined, 5, { ...MAPPED, limitBytes: 0 })).toEqual({ strategies: CHUNKS });
    expect(planBySize(0, 5, { ...MAPPED, limitBytes: 0 })).toEqual({ strategies: CHUNKS });
  });

  it('leaves out systematic chunks when nobody knows their holders', () => {
    const context = { ...MAPPED, hasSystematicHolders: false };
    expect(planBySize(10, 5, context).strategies).toEqual(['full_from_backers', 'regular_chunks']);
  });
});
