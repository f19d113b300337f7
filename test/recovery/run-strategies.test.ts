/**
 * @module
 * R39 to R43 (recovery spec §7.3): what the strategies of a recovery mean for its end, with strategies that
 * are made up and a store that has nothing.
 */

import { concat, defer, EMPTY, lastValueFrom, of, throwError, VirtualTimeScheduler } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import { CODING_V1 } from '../../src/coding/coding.ts';
import { plainWork } from '../../src/coding/plain-work.ts';
import { ChaCha8 } from '../../src/primitives/chacha8.ts';
import { RecoveryError } from '../../src/recovery/errors.ts';
import type { StrategyType } from '../../src/recovery/labels.ts';
import { Orchestrator } from '../../src/recovery/orchestrator.ts';
import { NO_LOGGER, type SessionInfo } from '../../src/recovery/ports.ts';
import { RECOVERY_METRICS } from '../../src/recovery/recovery-metrics.ts';
import { checkRequest } from '../../src/recovery/request.ts';
import { checkData } from '../../src/recovery/result-check.ts';
import { STANDARD, UPSTREAM } from '../../src/recovery/settings.ts';
import type { RecoveryStrategy, StrategyOutput } from '../../src/recovery/strategy.ts';
import { testCandidate } from '../support/candidate-world.ts';
import { authorityAt } from '../support/fake-network.ts';
import { FakeStore } from '../support/fake-store.ts';
import { openedPlain } from '../support/fake-work.ts';
import { type Outcome, RecordedMetrics, record } from '../support/recovery-world.ts';

/** What a made-up strategy comes to. */
type Fate = 'unavailable' | 'invalid' | 'good';

const candidate = testCandidate({ validatorCount: 7 });

/** The kinds take turns, so that the label of an end says which strategy it was. */
const TYPES: readonly StrategyType[] = [
  'full_from_backers',
  'systematic_chunks',
  'regular_chunks',
  'full_from_backers',
];

async function strategyOf(
  fate: Fate,
  type: StrategyType,
  onRun: () => void,
): Promise<RecoveryStrategy> {
  const checked = await lastValueFrom(
    checkData(
      candidate.data,
      {
        candidate: checkRequest({ receipt: candidate.receipt, sessionIndex: 10 }).candidate,
        checkMode: 're_encode',
        validatorCount: 7,
      },
      openedPlain({ validatorCount: 7 }),
    ),
  );
  const ended: StrategyOutput = {
    type: 'strategy_ended',
    atMs: 0,
    strategy: type,
    reason: 'sources_exhausted',
  };
  const rest$ =
    fate === 'invalid'
      ? throwError(() => new RecoveryError('invalid', 'proven wrong'))
      : fate === 'good' && checked.type === 'checked'
        ? of<StrategyOutput>({ type: 'data', data: checked.data })
        : EMPTY;
  return {
    type,
    run: () =>
      defer(() => {
        onRun();
        return concat(of(ended), rest$);
      }),
  };
}

/** What came of a recovery with these strategies, and which of them ran. */
async function runWith(
  fates: readonly Fate[],
  { settings = UPSTREAM, store = new FakeStore(), useStore = true } = {},
): Promise<Outcome & { readonly ran: readonly number[]; readonly metrics: RecordedMetrics }> {
  const ran: number[] = [];
  const strategies = await Promise.all(
    fates.map((fate, i) => strategyOf(fate, TYPES[i] ?? 'regular_chunks', () => ran.push(i))),
  );
  const session: SessionInfo = {
    index: 10,
    validators: Array.from({ length: 7 }, (_, i) => authorityAt(i)),
    groups: [],
    nodeFeatures: [],
  };
  const scheduler = new VirtualTimeScheduler();
  const metrics = new RecordedMetrics();
  const recovery = new Orchestrator({
    directory: { session: () => of(session), locate: () => EMPTY },
    chunkSource: { askChunk: () => EMPTY },
    dataSource: { askData: () => EMPTY },
    store,
    runtime: { scheduler, random: new ChaCha8(new Uint8Array(32)) },
    metrics,
    logger: NO_LOGGER,
    settings,
    coding: CODING_V1,
    work: plainWork(),
    closesWork: false,
    planner: () => ({ strategies, more: () => undefined, unsubscribe: () => {} }),
  });
  await recovery.start();
  const request = { receipt: candidate.receipt, sessionIndex: 10, useStore };
  const outcome = record(recovery.recover(request));
  scheduler.flush();
  return { ...outcome, ran, metrics };
}

describe.each([
  ['UPSTREAM', UPSTREAM],
  ['STANDARD', STANDARD],
])('a recovery, %s', (_name, settings) => {
  it('R39: is unavailable without a strategy', async () => {
    const { error, metrics } = await runWith([], { settings, useStore: false });
    expect(error).toMatchObject({ code: 'unavailable' });
    expect(metrics.of(RECOVERY_METRICS.finished, { result: 'failure', strategy_type: 'all' })).toBe(
      1,
    );
  });

  it('R40: takes the data of the store when there is no strategy', async () => {
    const store = new FakeStore().putAvailableData(
      candidate.candidateHash,
      encodeAvailableData(candidate.data),
    );
    const { recovered, metrics } = await runWith([], { settings, store });
    expect(recovered).toMatchObject({ from: 'store', data: candidate.data });
    expect(metrics.of(RECOVERY_METRICS.started)).toBe(0);
  });

  it.each<[string, readonly Fate[], readonly number[], string, string]>([
    ['R41: is invalid at once', ['invalid', 'good'], [0], 'invalid', 'full_from_backers'],
    ['R42: falls through', ['unavailable', 'good'], [0, 1], 'success', 'systematic_chunks'],
    [
      'R43: ends with the first that has the data',
      ['unavailable', 'unavailable', 'good', 'invalid'],
      [0, 1, 2],
      'success',
      'regular_chunks',
    ],
    ['is unavailable after the last', ['unavailable', 'unavailable'], [0, 1], 'failure', 'all'],
  ])('%s', async (_title, fates, expected, result, strategyType) => {
    const { ran, recovered, error, metrics } = await runWith(fates, { settings });
    expect(ran).toEqual(expected);
    expect(metrics.of(RECOVERY_METRICS.finished, { result, strategy_type: strategyType })).toBe(1);
    if (result === 'success') {
      expect(recovered).toMatchObject({ from: strategyType, data: candidate.data });
    } else {
      expect(error).toMatchObject({ code: result === 'invalid' ? 'invalid' : 'unavailable' });
    }
  });
});
