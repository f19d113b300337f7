/**
 * @module
 * The recovery metrics, derived from the events. Names and labels are upstream's (recovery spec §6),
 * with the labels of `chunk_requests_finished` in the declared order, not in upstream's swapped one.
 */

import { defer, type MonoTypeOperatorFunction, type SchedulerLike, tap } from 'rxjs';
import { hasCode } from '../primitives/errors.ts';
import type { AttemptFinished, AttemptStarted, RecoveryEvent } from './events.ts';
import type { AnswerType, RecoveredFrom, StrategyType } from './labels.ts';
import type { MetricLabels, MetricsSink, Runtime } from './ports.ts';

const PREFIX = 'polkadot_parachain_availability_recovery_';

/** What a metric is about. */
type RecoveryMetric =
  | 'started'
  | 'finished'
  | 'bytes'
  | 'totalSeconds'
  | 'chunkIssued'
  | 'chunkFinished'
  | 'chunkProtocols'
  | 'chunkSeconds'
  | 'dataIssued'
  | 'dataFinished'
  | 'erasureSeconds'
  | 'reconstructSeconds'
  | 'reencodeSeconds'
  | 'decodes';

/**
 * Metric names; those about chunks and about erasure seconds carry `type` = strategy, those about an end
 * `result`. `erasureSeconds` is decoding and checking, of successes only; `reconstructSeconds` decoding,
 * of systematic chunks that decode to a value; `reencodeSeconds` every check in re-encode mode, which
 * is short where the root came with the payload. `decodes` is ours: payloads from chunks, by `engine` and
 * `path`.
 */
export const RECOVERY_METRICS: Readonly<Record<RecoveryMetric, string>> = {
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
  // Without `recovery`, as upstream has it.
  reencodeSeconds: 'polkadot_parachain_availability_reencode_chunks',
  decodes: 'availability_recovery_decodes_total',
};

/** Observes how long the first value took, in seconds; nothing where none comes. */
export function timed<T>(
  { metrics, runtime }: { readonly metrics: MetricsSink; readonly runtime: Runtime },
  name: string,
  labels: MetricLabels = {},
): MonoTypeOperatorFunction<T> {
  return (source) =>
    defer(() => {
      const startedAtMs = runtime.scheduler.now();
      let isFirst = true;
      return source.pipe(
        tap(() => {
          if (isFirst) {
            isFirst = false;
            metrics.observe(name, (runtime.scheduler.now() - startedAtMs) / 1_000, labels);
          }
        }),
      );
    });
}

/** Feeds one recovery's events to a sink. */
export class RecoveryMeter {
  private readonly sink: MetricsSink;
  private readonly clock: Pick<SchedulerLike, 'now'>;
  private startedAtMs: number | undefined;
  private readonly open = new Map<number, AttemptStarted>();
  private strategy: StrategyType | undefined;

  /** @param clock - Gives the time of the start and the end. */
  constructor(sink: MetricsSink, clock: Pick<SchedulerLike, 'now'>) {
    this.sink = sink;
    this.clock = clock;
  }

  /**
   * The strategies begin: our own store had nothing, or was not asked. What ends before this, such as
   * a recovery whose session is unknown, is not counted at all (recovery spec §4.2, §4.4).
   */
  begin(): void {
    this.startedAtMs = this.clock.now();
    this.sink.increment(RECOVERY_METRICS.started);
  }

  /** Takes one event in. */
  add(event: RecoveryEvent): void {
    if (event.type === 'strategy_started') {
      this.strategy = event.strategy;
    } else if (event.type === 'attempt_started') {
      this.open.set(event.attemptId, event);
      recordStart(this.sink, event);
    } else if (event.type === 'attempt_finished') {
      const start = this.open.get(event.attemptId);
      this.open.delete(event.attemptId);
      if (start !== undefined) {
        recordFinish(this.sink, start, event);
      }
    }
  }

  /** The recovery has the data. Store and cache hits are no recoveries (recovery spec §6). */
  succeed(from: RecoveredFrom, scaleBytes: number): void {
    if (from !== 'store' && from !== 'cache') {
      this.finish('success', from);
      this.sink.increment(RECOVERY_METRICS.bytes, {}, scaleBytes);
    }
  }

  /** The recovery ended in an error; caller's and stop's ends are not counted. */
  fail(error: unknown): void {
    if (this.startedAtMs === undefined) {
      return;
    }
    if (hasCode(error, 'unavailable')) {
      this.finish('failure', 'all');
    } else if (hasCode(error, 'invalid')) {
      this.finish('invalid', this.strategy ?? 'all');
    } else if (hasCode(error, 'local_fault')) {
      this.finish('failure', this.strategy ?? 'all');
    }
  }

  /** The recovery is over, however. One that never began is not timed. */
  end(): void {
    if (this.startedAtMs !== undefined) {
      const seconds = (this.clock.now() - this.startedAtMs) / 1_000;
      this.sink.observe(RECOVERY_METRICS.totalSeconds, seconds);
    }
  }

  private finish(result: 'success' | 'failure' | 'invalid', strategyType: string): void {
    this.sink.increment(RECOVERY_METRICS.finished, { result, strategy_type: strategyType });
  }
}

function recordStart(sink: MetricsSink, event: AttemptStarted): void {
  if (event.kind === 'chunk') {
    sink.increment(RECOVERY_METRICS.chunkIssued, { type: event.strategy });
  } else {
    sink.increment(RECOVERY_METRICS.dataIssued);
  }
}

function recordFinish(sink: MetricsSink, start: AttemptStarted, event: AttemptFinished): void {
  const result = resultLabel(event.answer);
  if (start.kind === 'available_data') {
    sink.increment(RECOVERY_METRICS.dataFinished, { result });
    return;
  }
  sink.observe(RECOVERY_METRICS.chunkSeconds, event.ms / 1_000, { type: start.strategy });
  // Spec: an abandoned request is timed, but brought no answer to count (recovery spec §6).
  if (event.code === 'not_needed') {
    return;
  }
  sink.increment(RECOVERY_METRICS.chunkFinished, { result, type: start.strategy });
  const version = /\/req_chunk\/([12])$/.exec(event.protocol ?? '')?.[1];
  if (version !== undefined) {
    sink.increment(RECOVERY_METRICS.chunkProtocols, { protocol: `v${version}` });
  }
}

/** `canceled` is counted under `error`, as upstream does. */
function resultLabel(answer: AnswerType): string {
  return answer === 'canceled' ? 'error' : answer;
}
