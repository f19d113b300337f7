import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainRecovery } from '../../src/cli/explain-recovery.ts';
import { outcomeJson, type RecoveryOutcome } from '../../src/cli/follow-recovery.ts';
import { parseReportFile, reportFileOf } from '../../src/cli/report-file.ts';
import type { RecoveryError } from '../../src/recovery/errors.ts';
import type { Behaviour } from '../support/fake-network.ts';
import { RecoveryWorld } from '../support/recovery-world.ts';
import { SEED, seeded } from '../support/seed.ts';

const BEHAVIOURS: readonly Behaviour[] = [
  ...(['good', 'good', 'no_such', 'flipped', 'other_chunk', 'undecodable', 'timeout'] as const),
  ...(['refused', 'reset', 'cancelled', 'dial_failed', 'hang', 'too_large'] as const),
];

const FIRST_WORDS = [
  /^(recovered|unavailable|invalid|local_fault) after \d/,
  /^most time: \d/,
  /^slowest: /,
  /^failed: /,
  /^missing: /,
];

describe('explainRecovery', () => {
  it(
    seeded('gives five lines and more for any recovery, the same ones from its file'),
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 2, max: 12 }),
          fc.constantFrom('honest' as const, 'trailing_garbage' as const),
          fc.array(
            fc.record({ behaviour: fc.constantFrom(...BEHAVIOURS), delayMs: fc.nat(2_500) }),
            { minLength: 1, maxLength: 13 },
          ),
          async (validatorCount, kind, answers) => {
            const world = await RecoveryWorld.open({
              validatorCount,
              kind,
              groups: [[0, 1]],
              behaviour: ({ index, times }) => answers[(index + times) % answers.length]!,
            });
            const { recovered, error } = world.run({ backingGroup: 0, timeoutMs: 6_000 });
            const outcome: RecoveryOutcome =
              recovered === undefined
                ? { type: 'failed', error: error as RecoveryError }
                : { type: 'recovered', result: recovered };
            const lines = explainRecovery(outcomeJson(outcome));
            for (const [i, words] of FIRST_WORDS.entries()) {
              expect(lines[i]).toMatch(words);
            }
            const file: unknown = JSON.parse(JSON.stringify(reportFileOf(outcome)));
            expect(explainRecovery(parseReportFile(file, 'file'))).toEqual(lines);
          },
        ),
        { seed: SEED, numRuns: 60 },
      );
    },
  );
});
