/**
 * @module
 * The contract between the orchestrator and the strategies: what a strategy is given, what it emits
 * and what it guarantees.
 */

import type { Observable, Unsubscribable } from 'rxjs';
import type { Coding } from '../coding/coding.ts';
import type { RecoveryWork } from '../coding/erasure-work.ts';
import type { ChunkMapping } from '../mapping/assignment.ts';
import type { DataHolders } from './data-holders.ts';
import type { StrategyEvent } from './events.ts';
import type { KnownChunks } from './known-chunks.ts';
import type { StrategyType } from './labels.ts';
import type {
  ChunkSource,
  ChunkStore,
  DataSource,
  Logger,
  MetricsSink,
  Runtime,
  SessionInfo,
} from './ports.ts';
import type { CheckedRequest } from './request.ts';
import type { CheckedData } from './result-check.ts';
import type { RecoverySettings } from './settings.ts';
import type { WorkLog } from './work-log.ts';

/** What one recovery gives to its strategies. Lives as long as the recovery. */
export type RecoveryContext = {
  readonly request: CheckedRequest;
  readonly session: SessionInfo;
  /** Chunk mapping of the candidate; `null` where the session maps but the core is unknown. */
  readonly mapping: ChunkMapping | null;
  readonly known: KnownChunks;
  /** Whom to ask for everything; grows when callers join. */
  readonly holders: DataHolders;
  readonly settings: RecoverySettings;
  readonly chunkSource: ChunkSource;
  readonly dataSource: DataSource;
  /** Absent when there is none, or the request bypasses it. */
  readonly store: ChunkStore | undefined;
  readonly coding: Coding;
  /** Held to its guarantees; closed when the recovery is over. */
  readonly work: RecoveryWork;
  /** Where the cost of it is noted. */
  readonly workLog: WorkLog;
  readonly runtime: Runtime;
  readonly metrics: MetricsSink;
  readonly logger: Logger;
  /** Number of the next attempt, ascending from 0. */
  nextAttemptId(): number;
};

/** What a strategy emits: its events, and the data once it has it. */
export type StrategyOutput = StrategyEvent | { readonly type: 'data'; readonly data: CheckedData };

/** One way to obtain the data. */
export interface RecoveryStrategy {
  /** Its metric label. */
  readonly type: StrategyType;
  /**
   * Tries to obtain the data, starting from what earlier strategies left in `context.known`.
   *
   * **Guarantees.** Cold. Ends with exactly one `strategy_ended`; emits `data` last, after it, if and
   * only if it has the data; completes without `data` when it cannot go on, and the next strategy
   * runs; errors only with a `RecoveryError` (`invalid`, `local_fault`). Never asks ourselves unless
   * the settings say so.
   */
  run(): Observable<StrategyOutput>;
}

/** The strategies of one recovery, in order, and what they share. Unsubscribing stops all attempts. */
export interface StrategyPlan extends Unsubscribable {
  readonly strategies: readonly RecoveryStrategy[];
  /** One more, where callers who joined made it possible; asked for until there is none. */
  more(): RecoveryStrategy | undefined;
}

/**
 * Makes the plan of one recovery. `chunkBytes` is the size of a chunk held locally, when one is.
 * Asks nobody anything yet.
 */
export type StrategyPlanner = (
  context: RecoveryContext,
  chunkBytes: number | undefined,
) => StrategyPlan;
