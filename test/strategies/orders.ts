/**
 * @module
 * One random world under both presets in every order against the oracle, and a count of what was
 * seen. The default run and the slow run differ in numbers alone.
 */

import { expect } from 'vitest';
import type { RecoveryAccount } from '../../src/recovery/account.ts';
import type { RecoveryError } from '../../src/recovery/errors.ts';
import type { StrategyType } from '../../src/recovery/labels.ts';
import type { CheckMode } from '../../src/recovery/request.ts';
import {
  type AnyWorld,
  ORDERS,
  openAny,
  PRESETS,
  placesOf,
  requestFields,
} from '../support/any-world.ts';
import { codeOf, type Outcome, type RecoveryWorld } from '../support/recovery-world.ts';
import { rightVerdicts } from '../support/verdict-oracle.ts';

type Preset = keyof typeof PRESETS;

/** How many recoveries there were of each class. */
export class Tally {
  /** By class. */
  readonly counts: Map<string, number> = new Map();

  /** Counts a recovery under some classes. */
  add(...classes: readonly string[]): void {
    for (const name of classes) {
      this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    }
  }

  /** As lines of a table, by class. */
  lines(): string {
    return [...this.counts]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => `| ${name} | ${count} |`)
      .join('\n');
  }
}

/** Recovers in every order under both presets. Throws where a verdict is not right or something is left over. */
export async function tryEveryOrder(
  world: AnyWorld,
  checkMode: CheckMode,
  tally: Tally,
): Promise<void> {
  for (const preset of ['STANDARD', 'UPSTREAM'] as const) {
    // A plan has equal sources unless it leaves out the backers, as UPSTREAM does where nothing tells the
    // size, or the systematic chunks, whose k are fewer than PoV-hash mode needs of any.
    const hasEqualPlan =
      preset === 'STANDARD' && (checkMode === 're_encode' || world.scheme !== 'identity');
    const orders = hasEqualPlan ? [...ORDERS, undefined] : ORDERS;
    for (const strategies of orders) {
      await tryOne(world, { checkMode, preset, strategies }, tally);
    }
  }
}

async function tryOne(
  world: AnyWorld,
  { checkMode, preset, strategies }: Trial,
  tally: Tally,
): Promise<void> {
  const opened = await openAny(world, preset);
  const outcome = opened.run({
    ...requestFields(world, checkMode),
    ...(strategies === undefined ? {} : { strategies }),
  });
  const settings = { ...PRESETS[preset], ...world.tweaks };
  const right = rightVerdicts(world, opened.candidate, settings, checkMode);
  const verdict = codeOf(outcome.error) ?? 'recovered';
  const order = strategies?.join(', ') ?? 'as planned';
  expect(right, `${preset}, ${checkMode}, ${order}: ${verdict}`).toContain(verdict);
  assertInvariants(world, opened, outcome, settings.askSelf);
  if (
    outcome.recovered !== undefined &&
    (settings.checkStoredData || world.store !== 'wrong_data')
  ) {
    expect(outcome.recovered.data).toEqual(opened.candidate.data);
  }
  const isOpen = right.length > 1;
  if (preset === 'STANDARD' && checkMode === 're_encode') {
    expect(isOpen, 'one right verdict, whatever the order').toBe(false);
  }
  const kind = world.kind === 'honest' && verdict === 'unavailable' ? 'withheld' : world.kind;
  tally.add(
    `verdict: ${verdict}`,
    `verdict: ${isOpen ? 'left to the order' : 'the only right one'}`,
    `candidate: ${kind}`,
    `preset: ${preset}`,
    `order: ${order}`,
    `mapping: ${world.scheme}`,
    `store: ${world.store}`,
    `answers: ${world.isSlow ? 'late' : 'at once'}`,
    `validators: ${sizeClass(world.behaviours.length)}`,
    ...[...new Set(world.behaviours)].map((behaviour) => `peers: ${behaviour}`),
  );
}

type Trial = {
  readonly checkMode: CheckMode;
  readonly preset: Preset;
  /** `undefined`: as the recovery plans. */
  readonly strategies: readonly StrategyType[] | undefined;
};

function sizeClass(n: number): string {
  return n <= 3
    ? '2 to 3 (k = 1)'
    : n <= 6
      ? '4 to 6 (k = 2)'
      : n <= 9
        ? '7 to 9 (f+1 > k)'
        : '10 on';
}

/** What must hold after every run. */
function assertInvariants(
  any: AnyWorld,
  world: RecoveryWorld,
  { events, recovered, error }: Outcome,
  askSelf: boolean,
): void {
  const account: RecoveryAccount | undefined =
    recovered?.account ?? (error as RecoveryError).account;
  const totals = account?.totals;
  expect(totals?.issued).toBe(
    (totals?.succeeded ?? 0) + (totals?.failed ?? 0) + (totals?.canceled ?? 0),
  );
  expect(totals?.running).toBe(0);
  expect(totals?.issued).toBe(world.network.asked.length);
  const ids = (type: 'attempt_started' | 'attempt_finished'): readonly number[] =>
    events.flatMap((event) => (event.type === type ? [event.attemptId] : []));
  expect(ids('attempt_started')).toEqual(ids('attempt_started').map((_, i) => i));
  const finished = ids('attempt_finished').toSorted((a, b) => a - b);
  expect(new Set(finished).size).toBe(finished.length);
  if (recovered !== undefined) {
    expect(finished).toEqual(ids('attempt_started'));
    expect(events.at(-1)).toBe(recovered);
  } else {
    expect((error as RecoveryError).evidence !== undefined).toBe(codeOf(error) === 'invalid');
  }
  const times = events.map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const { own } = placesOf(any);
  const toOurselves = world.network.asked.filter(({ authority }) => authority === `v${own}`);
  expect(askSelf ? [] : toOurselves).toEqual([]);
  expect(world.network.doubled).toEqual([]);
  expect([world.network.open, world.timers]).toEqual([0, 0]);
}
