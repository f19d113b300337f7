import { describe, expect, it } from 'vitest';
import { codeOf, RecoveryWorld } from '../support/recovery-world.ts';

describe('RequestWindow', () => {
  it('goes on in the next phase at once when a phase ends with its last answer', async () => {
    // n = 3: one systematic holder, so nothing else is on the way when it fails.
    const world = await RecoveryWorld.open({
      validatorCount: 3,
      coreIndex: 0,
      behaviour: ({ index }) => ({ behaviour: index === 0 ? 'no_such' : 'good', delayMs: 10 }),
    });
    const { recovered, error } = world.run();
    expect(codeOf(error)).toBeUndefined();
    expect(recovered).toMatchObject({ from: 'regular_chunks', atMs: 20 });
  });
});
