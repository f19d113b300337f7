/**
 * @module
 * Counts metrics and gives them the file's short names.
 */

import type { MetricLabels, MetricsSink } from '../../src/recovery/ports.ts';
import { RECOVERY_METRICS } from '../../src/recovery/recovery-metrics.ts';

/** Counts by the file's names. */
export type Counted = Readonly<Record<string, number>>;

const SHORT: Readonly<Record<string, string>> = {
  regular_chunks: 'regular',
  systematic_chunks: 'systematic',
};

/** The file's name of a count; `undefined` for what the file does not have. */
function shortName(name: string, labels: MetricLabels): string | undefined {
  const type = labels['type'] ?? labels['strategy_type'] ?? '';
  const strategy = SHORT[type] ?? type;
  const result = labels['result'] ?? '';
  switch (name) {
    case RECOVERY_METRICS.started:
      return 'started';
    case RECOVERY_METRICS.finished:
      return `ended.${result}.${strategy}`;
    case RECOVERY_METRICS.bytes:
      return 'bytes';
    case RECOVERY_METRICS.chunkIssued:
      return `issued.${strategy}`;
    case RECOVERY_METRICS.chunkFinished:
      return `finished.${strategy}.${result}`;
    case RECOVERY_METRICS.chunkProtocols:
      return `protocol.${labels['protocol'] ?? ''}`;
    case RECOVERY_METRICS.dataIssued:
      return 'full.issued';
    case RECOVERY_METRICS.dataFinished:
      return `full.${result}`;
    case RECOVERY_METRICS.reencodeSeconds:
      return 'reencodes';
    case RECOVERY_METRICS.erasureSeconds:
      return `t.recovery.${strategy}`;
    case RECOVERY_METRICS.reconstructSeconds:
      return `t.reconstruct.${strategy}`;
    default:
      return undefined;
  }
}

/** The metrics of one world. */
export class WorldMetrics implements MetricsSink {
  /** The strategy whose chunk request was issued last. */
  chunkStrategy: 's' | 'r' = 'r';
  private readonly counts = new Map<string, number>();

  /** See the port. */
  increment(name: string, labels: MetricLabels = {}, by = 1): void {
    if (name === RECOVERY_METRICS.chunkIssued) {
      this.chunkStrategy = labels['type'] === 'systematic_chunks' ? 's' : 'r';
    }
    this.count(name, labels, by);
  }

  /** Samples are compared by their number. */
  observe(name: string, _value: number, labels: MetricLabels = {}): void {
    this.count(name, labels, 1);
  }

  private count(name: string, labels: MetricLabels, by: number): void {
    const short = shortName(name, labels);
    if (short !== undefined) {
      this.counts.set(short, (this.counts.get(short) ?? 0) + by);
    }
  }

  /** All counts above zero. */
  counted(): Counted {
    return Object.fromEntries(this.counts);
  }
}
