import { describe, expect, it } from 'vitest';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import { plainWork } from '../../src/coding/plain-work.ts';
import { validatorIndex } from '../../src/primitives/ids.ts';
import { RecoveryError } from '../../src/recovery/errors.ts';
import type { RecoveryEvent } from '../../src/recovery/events.ts';
import type { AnswerType, AttemptKind } from '../../src/recovery/labels.ts';
import type { MetricLabels, MetricsSink } from '../../src/recovery/ports.ts';
import { RECOVERY_METRICS, RecoveryMeter } from '../../src/recovery/recovery-metrics.ts';
import { authorityAt } from '../support/fake-network.ts';
import { RecoveryWorld, record, type WorldOptions } from '../support/recovery-world.ts';

const PREFIX = 'polkadot_parachain_availability_recovery_';

/** Every count of one run as `name label value …`, without the common prefix. */
function countsOf(world: RecoveryWorld): Record<string, number> {
  return Object.fromEntries(
    [...world.metrics.counts].map(([key, count]) => [
      key
        .replace(PREFIX, '')
        .replaceAll(/[ "[\],]+/g, ' ')
        .trim(),
      count,
    ]),
  );
}

describe('RECOVERY_METRICS', () => {
  it('are spelled as upstream spells them, but for one of ours', () => {
    expect(RECOVERY_METRICS).toEqual({
      started: `${PREFIX}recoveries_started`,
      finished: `${PREFIX}recoveries_finished`,
      bytes: `${PREFIX}bytes_total`,
      totalSeconds: `${PREFIX}time_total`,
      chunkIssued: `${PREFIX}chunk_requests_issued`,
      chunkFinished: `${PREFIX}chunk_requests_finished`,
      chunkProtocols: `${PREFIX}chunk_request_protocols`,
      chunkSeconds: `${PREFIX}time_chunk_request`,
      dataIssued: `${PREFIX}full_data_requests_issued`,
      dataFinished: `${PREFIX}full_data_requests_finished`,
      erasureSeconds: `${PREFIX}time_erasure_recovery`,
      reconstructSeconds: `${PREFIX}time_erasure_reconstruct`,
      reencodeSeconds: 'polkadot_parachain_availability_reencode_chunks',
      decodes: 'availability_recovery_decodes_total',
    });
  });
});

describe('the metrics of a recovery', () => {
  it('of full data: requests, one success, the SCALE size', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      groups: [[1, 2, 5]],
      behaviour: ({ index }) => (index === 1 ? 'good' : index === 2 ? 'flipped' : 'no_such'),
    });
    const { recovered } = world.run({ backingGroup: 0 });
    const asked = recovered!.account.attempts.map(({ answer }) => answer);
    const failed = (answer: string): Record<string, number> =>
      asked.includes(answer as AnswerType)
        ? { [`full_data_requests_finished result ${answer}`]: 1 }
        : {};
    expect(countsOf(world)).toEqual({
      bytes_total: encodeAvailableData(world.candidate.data).length,
      'full_data_requests_finished result success': 1,
      ...failed('invalid'),
      ...failed('no_such_data'),
      full_data_requests_issued: asked.length,
      polkadot_parachain_availability_reencode_chunks: asked.includes('invalid') ? 2 : 1,
      'recoveries_finished result success strategy_type full_from_backers': 1,
      recoveries_started: 1,
      'time_erasure_recovery type full_from_backers': 1,
      time_total: 1,
    });
  });

  it('of chunks: by strategy, result and protocol version', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 7,
      behaviour: ({ index }) => (index === 3 ? 'no_such' : 'good'),
      ports: () => ({ work: plainWork() }),
    });
    world.run();
    expect(countsOf(world)).toEqual({
      'availability_recovery_decodes_total engine scalar path plain': 1,
      bytes_total: encodeAvailableData(world.candidate.data).length,
      'chunk_request_protocols protocol v2': 3,
      'chunk_requests_finished result no_such_chunk type systematic_chunks': 1,
      'chunk_requests_finished result success type regular_chunks': 1,
      'chunk_requests_finished result success type systematic_chunks': 1,
      'chunk_requests_issued type regular_chunks': 1,
      'chunk_requests_issued type systematic_chunks': 2,
      polkadot_parachain_availability_reencode_chunks: 1,
      'recoveries_finished result success strategy_type regular_chunks': 1,
      recoveries_started: 1,
      'time_erasure_recovery type regular_chunks': 1,
      'time_chunk_request type regular_chunks': 1,
      'time_chunk_request type systematic_chunks': 2,
      time_total: 1,
    });
  });

  it('of chunks that are no longer needed: issued and timed, but no answer', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 4,
      isMapped: false,
      scheme: 'identity',
      behaviour: () => ({ behaviour: 'good', delayMs: 1_500 }),
    });
    const { totals } = world.run().recovered!.account;
    expect(totals).toMatchObject({ issued: 4, succeeded: 2, canceled: 2 });
    expect(countsOf(world)).toMatchObject({
      'chunk_requests_issued type regular_chunks': 4,
      'chunk_requests_finished result success type regular_chunks': 2,
      'time_chunk_request type regular_chunks': 4,
    });
    expect(countsOf(world)['chunk_requests_finished result error type regular_chunks']).toBe(
      undefined,
    );
  });

  it.each<[string, WorldOptions, string]>([
    [
      'unavailable is a failure of all',
      { validatorCount: 4, behaviour: () => 'no_such' },
      'result failure strategy_type all',
    ],
    [
      'invalid names the strategy that found it',
      { validatorCount: 4, kind: 'no_codeword' },
      'result invalid strategy_type systematic_chunks',
    ],
  ])('%s', async (_name, options, labels) => {
    const world = await RecoveryWorld.open(options);
    world.run();
    world.run();
    const counts = countsOf(world);
    const times = options.kind === undefined ? 2 : 1;
    expect(counts[`recoveries_finished ${labels}`]).toBe(times);
    expect(counts['recoveries_started']).toBe(times);
    expect(counts['time_total']).toBe(times);
    expect(counts['bytes_total']).toBeUndefined();
  });

  it('of an empty plan: a failure of all', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 4 });
    world.run({ strategies: [] });
    expect(countsOf(world)).toEqual({
      'recoveries_finished result failure strategy_type all': 1,
      recoveries_started: 1,
      time_total: 1,
    });
  });

  it('of a cancelled one: started and timed, not finished', async () => {
    const world = await RecoveryWorld.open({ validatorCount: 4, behaviour: () => 'hang' });
    record(world.recovery.recover(world.request())).subscription.unsubscribe();
    const counts = countsOf(world);
    expect(counts).toMatchObject({ recoveries_started: 1, time_total: 1 });
    expect(Object.keys(counts).filter((key) => key.includes('finished'))).toEqual([]);
  });

  it('of one with two callers: counted once', async () => {
    const world = await RecoveryWorld.open({
      validatorCount: 4,
      behaviour: () => ({ behaviour: 'good', delayMs: 1 }),
    });
    record(world.recovery.recover(world.request()));
    world.run();
    expect(countsOf(world)).toMatchObject({ recoveries_started: 1, time_total: 1 });
  });
});

/** A sink that keeps the samples. */
class Samples implements MetricsSink {
  readonly list: [string, number, MetricLabels][] = [];
  readonly increments: [string, MetricLabels][] = [];

  increment(name: string, labels: MetricLabels = {}): void {
    this.increments.push([name.replace(PREFIX, ''), labels]);
  }

  observe(name: string, value: number, labels: MetricLabels = {}): void {
    this.list.push([name.replace(PREFIX, ''), value, labels]);
  }
}

describe('RecoveryMeter', () => {
  function attempt(kind: AttemptKind, answer: AnswerType, protocol?: string): RecoveryEvent[] {
    return [
      {
        type: 'attempt_started',
        atMs: 0,
        attemptId: 0,
        kind,
        strategy: 'regular_chunks',
        source: authorityAt(0),
        validatorIndex: validatorIndex(0),
      },
      {
        type: 'attempt_finished',
        atMs: 250,
        attemptId: 0,
        answer,
        ms: 250,
        bytes: 1,
        ...(protocol === undefined ? {} : { protocol }),
      },
    ];
  }

  it('times in seconds, the whole from the moment the strategies begin', () => {
    const sink = new Samples();
    let nowMs = 1_000;
    const meter = new RecoveryMeter(sink, { now: () => nowMs });
    nowMs = 2_000;
    meter.begin();
    for (const event of attempt('chunk', 'success')) {
      meter.add(event);
    }
    nowMs = 4_500;
    meter.end();
    expect(sink.list).toEqual([
      ['time_chunk_request', 0.25, { type: 'regular_chunks' }],
      ['time_total', 2.5, {}],
    ]);
  });

  it('counts canceled as error', () => {
    for (const [kind, name] of [
      ['chunk', 'chunk_requests_finished'],
      ['available_data', 'full_data_requests_finished'],
    ] as const) {
      const sink = new Samples();
      const meter = new RecoveryMeter(sink, { now: () => 0 });
      for (const event of attempt(kind, 'canceled')) {
        meter.add(event);
      }
      const finished = sink.increments.find(([found]) => found === name);
      expect(finished?.[1]['result']).toBe('error');
    }
  });

  it.each([
    ['/91b1/req_chunk/2', 'v2'],
    ['/91b1/abc/req_chunk/1', 'v1'],
    ['/polkadot/req_chunk/1', 'v1'],
    ['/91b1/req_chunk/3', undefined],
    ['/91b1/req_available_data/1', undefined],
    [undefined, undefined],
  ])('takes %s as protocol %s', (protocol, expected) => {
    const sink = new Samples();
    const meter = new RecoveryMeter(sink, { now: () => 0 });
    for (const event of attempt('chunk', 'no_such_chunk', protocol)) {
      meter.add(event);
    }
    const found = sink.increments.filter(([name]) => name === 'chunk_request_protocols');
    expect(found.map(([, labels]) => labels['protocol'])).toEqual(
      expected === undefined ? [] : [expected],
    );
  });

  it('ignores the end of an attempt whose start it did not see', () => {
    const sink = new Samples();
    const meter = new RecoveryMeter(sink, { now: () => 0 });
    meter.add(attempt('chunk', 'success')[1]!);
    expect(sink.increments).toEqual([]);
  });

  it('counts a local fault under the strategy in which it happened', () => {
    const sink = new Samples();
    const meter = new RecoveryMeter(sink, { now: () => 0 });
    meter.begin();
    meter.add({ type: 'strategy_started', atMs: 0, strategy: 'systematic_chunks' });
    meter.fail(new RecoveryError('local_fault', ''));
    expect(sink.increments.at(-1)).toEqual([
      'recoveries_finished',
      { result: 'failure', strategy_type: 'systematic_chunks' },
    ]);
  });

  it.each([
    new RecoveryError('cancelled', ''),
    new RecoveryError('stopped', ''),
    new TypeError('x'),
  ])('does not count %o as an end', (error) => {
    const sink = new Samples();
    const meter = new RecoveryMeter(sink, { now: () => 0 });
    meter.begin();
    meter.fail(error);
    expect(sink.increments.map(([name]) => name)).toEqual(['recoveries_started']);
  });

  it('counts nothing for what ends before it begins', () => {
    const sink = new Samples();
    const meter = new RecoveryMeter(sink, { now: () => 0 });
    meter.fail(new RecoveryError('unavailable', ''));
    meter.end();
    expect([...sink.increments, ...sink.list]).toEqual([]);
  });

  it.each(['store', 'cache'] as const)('does not count data from the %s', (from) => {
    const sink = new Samples();
    new RecoveryMeter(sink, { now: () => 0 }).succeed(from, 5);
    expect(sink.increments).toEqual([]);
  });
});
