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
    default:
      return undefined;
  }
}

/** The metrics of one world. */
export class WorldMetrics implements MetricsSink {
  /** Checks by re-encoding; whoever does the work counts them. */
  reencodes = 0;
  /** The strategy whose chunk request was issued last. */
  chunkStrategy: 's' | 'r' = 'r';
  private readonly counts = new Map<string, number>();

  /** See the port. */
  increment(name: string, labels: MetricLabels = {}, by = 1): void {
    if (name === RECOVERY_METRICS.chunkIssued) {
      this.chunkStrategy = labels['type'] === 'systematic_chunks' ? 's' : 'r';
    }
    const short = shortName(name, labels);
    if (short !== undefined) {
      this.counts.set(short, (this.counts.get(short) ?? 0) + by);
    }
  }

  /** Times are not compared. */
  observe(): void {}

  /** All counts above zero. */
  counted(): Counted {
    const { reencodes } = this;
    return { ...Object.fromEntries(this.counts), ...(reencodes === 0 ? {} : { reencodes }) };
  }
}
