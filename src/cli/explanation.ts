/**
 * @module
 * Why a candidate was slow, unavailable or invalid, and because of whom: the facts, picked from the
 * report of a recovery. It holds no text; `explain-recovery.ts` puts it into words.
 */

import type { StrategyEndReason, StrategyType } from '../recovery/labels.ts';
import {
  type ChunkCount,
  type RecoveryReport,
  reportOf,
  type SourceReport,
} from '../recovery/report.ts';
import { failuresOf, type ReportedOutcome, reasonOf } from './follow-recovery.ts';
import { byName } from './source-names.ts';

/** What took the most time. */
export type Costliest = {
  /** `before_strategies`: waiting for a turn, the session, our own store. */
  readonly strategy: StrategyType | 'before_strategies';
  readonly ms: number;
  /** Why it ended; absent for what came before the strategies. */
  readonly reason?: StrategyEndReason | 'cut_short';
  /** How much of it went into decoding and checking, where it came to that. */
  readonly decodingMs?: number;
};

/** A source that was waited for. */
export type WaitedFor = {
  readonly source: string;
  readonly waitedMs: number;
  readonly requests: number;
  /** What the longest of its attempts came to: `delivered`, `not_needed`, `given_up`, `out_of_time` or a failure. */
  readonly came: string;
};

/** The answer to why and because of whom. */
export type Explanation = {
  readonly outcome: ReportedOutcome['outcome'];
  /** Who supplied the data, or the fixed word for the failure. */
  readonly reason?: string;
  /** The chunks that prove an `invalid`. */
  readonly provenBy?: readonly number[];
  /** Total time; absent, with all that follows, when nothing had begun. */
  readonly ms?: number;
  readonly costliest?: Costliest;
  /** Slowest first, ties by name. */
  readonly slowest?: readonly WaitedFor[];
  /** Who failed, by reason; most sources first, then by reason. */
  readonly failed?: Readonly<Record<string, readonly string[]>>;
  readonly chunks?: ChunkCount;
  readonly report?: RecoveryReport;
};

/** Picks the facts. A pure function: equal outcomes are explained alike. */
export function explanationOf(outcome: ReportedOutcome): Explanation {
  const { account, evidence, details } = outcome;
  const reason = outcome.from ?? evidence?.reason ?? details?.['reason'];
  const head = {
    outcome: outcome.outcome,
    ...(typeof reason === 'string' ? { reason } : {}),
    ...(evidence === undefined ? {} : { provenBy: evidence.chunkIndices }),
  };
  if (account === undefined) {
    return head;
  }
  const report = reportOf(account);
  return {
    ...head,
    ms: report.ms,
    costliest: costliestOf(report),
    slowest: slowestOf(report, outcome.outcome === 'recovered'),
    failed: Object.fromEntries(
      [...failuresOf(account)].sort(
        ([oneReason, one], [otherReason, other]) =>
          other.length - one.length || byName(oneReason, otherReason),
      ),
    ),
    ...(report.chunks === undefined ? {} : { chunks: report.chunks }),
    report,
  };
}

/** The first of those that took the most time. */
function costliestOf({ strategies, msBeforeStrategies }: RecoveryReport): Costliest {
  const before: Costliest = { strategy: 'before_strategies', ms: msBeforeStrategies };
  return strategies
    .map(
      ({ strategy, ms, reason, decodingMs }): Costliest => ({
        strategy,
        ms,
        reason,
        ...(decodingMs === undefined ? {} : { decodingMs }),
      }),
    )
    .reduce(
      (most, one) => ((most === before ? one.ms >= most.ms : one.ms > most.ms) ? one : most),
      before,
    );
}

/**
 * Whom the recovery waited for. Where the data was had, those are left out who were merely not needed
 * any more: they had no time to be slow.
 */
function slowestOf({ sources }: RecoveryReport, isRecovered: boolean): readonly WaitedFor[] {
  return sources
    .filter(
      ({ attempts }) =>
        !isRecovered || attempts.some(({ answer, isLate }) => answer !== 'canceled' || isLate),
    )
    .map(({ source, waitedMs, totals, attempts }) => ({
      source,
      waitedMs,
      requests: totals.issued,
      came: longestCame(attempts),
    }))
    .sort((one, other) => other.waitedMs - one.waitedMs || byName(one.source, other.source));
}

function longestCame(attempts: SourceReport['attempts']): string {
  const [longest] = attempts.toSorted(
    (one, other) => other.endedAtMs - other.askedAtMs - (one.endedAtMs - one.askedAtMs),
  );
  if (longest === undefined || longest.answer === 'canceled') {
    // Out of our time for backers is worth a word; not needed any more only says that we gave it up.
    return longest?.code === 'out_of_time' ? longest.code : 'given_up';
  }
  if (longest.answer === 'success') {
    return longest.isUseful ? 'delivered' : 'not_needed';
  }
  return reasonOf(longest.answer, longest.code);
}
