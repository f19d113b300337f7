import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecoveryAccount } from '../../src/recovery/account.ts';
import type { RecoveryEvent } from '../../src/recovery/events.ts';
import { type RecoveryReport, type ReportTotals, reportOf } from '../../src/recovery/report.ts';
import { STANDARD, UPSTREAM } from '../../src/recovery/settings.ts';
import type { Behaviour } from '../support/fake-network.ts';
import { RecoveryWorld } from '../support/recovery-world.ts';
import { SEED, seeded } from '../support/seed.ts';

const BEHAVIOURS: readonly Behaviour[] = [
  ...(['good', 'good', 'good', 'no_such', 'flipped', 'other_chunk', 'undecodable'] as const),
  ...(['timeout', 'refused', 'reset', 'cancelled', 'dial_failed', 'hang'] as const),
];

const KINDS = ['honest', 'honest', 'no_codeword', 'wrong_pov_hash'] as const;

const SUMS = [
  ...(['issued', 'succeeded', 'failed', 'canceled', 'usefulBytes', 'wastedBytes'] as const),
];

function expectBalanced({ issued, succeeded, failed, canceled }: ReportTotals): void {
  expect(issued).toBe(succeeded + failed + canceled);
}

function expectAgreement(report: RecoveryReport, account: RecoveryAccount): void {
  const { totals, sources } = report;
  expectBalanced(totals);
  expect(totals).toMatchObject({
    issued: account.totals.issued,
    succeeded: account.totals.succeeded,
    failed: account.totals.failed,
    canceled: account.totals.canceled + account.totals.running,
  });
  expect(totals.usefulBytes + totals.wastedBytes).toBe(account.totals.bytes);
  for (const sum of SUMS) {
    expect(
      sources.reduce((total, source) => total + source.totals[sum], 0),
      sum,
    ).toBe(totals[sum]);
  }
  for (const { source, totals: own, attempts, faults, waitedMs } of sources) {
    expectBalanced(own);
    const asked = account.attempts.filter((attempt) => attempt.source === source);
    expect(attempts).toHaveLength(asked.length);
    expect(faults.reduce((total, { count }) => total + count, 0)).toBe(own.failed);
    expect(own.usefulBytes + own.wastedBytes).toBe(
      asked.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    expect(waitedMs).toBeLessThanOrEqual(report.ms);
  }
  expect(new Set(sources.map(({ source }) => source)).size).toBe(sources.length);
}

/** What the events say was of use, told without the account. */
function usefulAttempts(events: readonly RecoveryEvent[]): number {
  const brought = events.flatMap((event) =>
    event.type === 'chunk_held' && event.attemptId !== undefined ? [event.attemptId] : [],
  );
  expect(new Set(brought).size).toBe(brought.length);
  const isFull = events.some(
    (event) => event.type === 'recovered' && event.from === 'full_from_backers',
  );
  return brought.length + (isFull ? 1 : 0);
}

describe('reportOf', () => {
  it(
    seeded('agrees with the account of any recovery: in all, per source, and of what use'),
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            validatorCount: fc.integer({ min: 2, max: 20 }),
            kind: fc.constantFrom(...KINDS),
            settings: fc.constantFrom(STANDARD, UPSTREAM),
            checkMode: fc.constantFrom('re_encode' as const, 'pov_hash' as const),
            isSynchronous: fc.boolean(),
          }),
          fc.array(
            fc.record({ kind: fc.constantFrom(...BEHAVIOURS), delayMs: fc.nat({ max: 2_500 }) }),
            { minLength: 1, maxLength: 23 },
          ),
          async ({ isSynchronous, checkMode, ...options }, answers) => {
            const world = await RecoveryWorld.open({
              ...options,
              groups: [[0, 1]],
              behaviour: ({ index, validatorIndex: v, times }) => {
                const { kind, delayMs } = answers[(index + 3 * v + times) % answers.length]!;
                return isSynchronous ? kind : { behaviour: kind, delayMs };
              },
            });
            const { events, recovered, error } = world.run({
              backingGroup: 0,
              checkMode,
              timeoutMs: 9_000,
            });
            const account = recovered?.account ?? (error as { account: RecoveryAccount }).account;
            const report = reportOf(account);
            expectAgreement(report, account);
            const useful = account.attempts.filter(({ isUseful }) => isUseful);
            expect(useful).toHaveLength(usefulAttempts(events));
            expect(useful.every(({ answer }) => answer === 'success')).toBe(true);
            expect(reportOf(structuredClone(account))).toEqual(report);
            const total = report.strategies.reduce((sum, { ms }) => sum + ms, 0);
            expect(report.msBeforeStrategies + total).toBe(report.ms);
            if (recovered !== undefined && report.chunks !== undefined) {
              const isChunks = recovered.from !== 'full_from_backers';
              expect(!isChunks || report.chunks.held >= report.chunks.needed).toBe(true);
            }
          },
        ),
        { seed: SEED, numRuns: 150 },
      );
    },
  );
});
