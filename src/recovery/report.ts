/**
 * @module
 * What an account amounts to, per source, per strategy and in all: for the command line, for files and
 * for whoever wants to know whom to blame. A pure function of the account; it holds no words.
 */

import type { AuthorityId, ValidatorIndex } from '../primitives/ids.ts';
import type { AttemptRecord, RecoveryAccount, StrategyRecord, WorkRecord } from './account.ts';
import type { AnswerType, AttemptKind, StrategyEndReason, StrategyType } from './labels.ts';

/** Sums over some attempts. `issued = succeeded + failed + canceled`, always. */
export type ReportTotals = {
  readonly issued: number;
  /** Answered with something proven, be it a chunk that was held already. */
  readonly succeeded: number;
  readonly failed: number;
  /** Cut short by us, or without an answer when the recovery ended. */
  readonly canceled: number;
  /** Answer bytes on the wire, proofs included, that brought a new chunk or the full data. */
  readonly usefulBytes: number;
  /** The other answer bytes: duplicates, invalid, nothing to give, cut short. */
  readonly wastedBytes: number;
};

/** One attempt, without its source. Times are milliseconds since the recovery began. */
export type ReportedAttempt = {
  readonly kind: AttemptKind;
  /** Whose chunk was asked for; for full data, the place of the source itself. */
  readonly validatorIndex: ValidatorIndex;
  readonly strategy: StrategyType;
  readonly askedAtMs: number;
  /** When the answer came or the attempt was given up. */
  readonly endedAtMs: number;
  readonly answer: AnswerType;
  readonly code?: string;
  /** Name of the protocol that answered. */
  readonly protocol?: string;
  readonly isLate: boolean;
  readonly isUseful: boolean;
  readonly bytes: number;
};

/** How often a source failed in one way; only `invalid` proves that it sent something wrong. */
export type SourceFault = {
  readonly answer: Exclude<AnswerType, 'success' | 'canceled'>;
  readonly code?: string;
  readonly count: number;
};

/** All that one source was asked and did. */
export type SourceReport = {
  readonly source: AuthorityId;
  /** Time during which at least one attempt at it was on the way, in milliseconds. */
  readonly waitedMs: number;
  readonly totals: ReportTotals;
  /** In order of their first occurrence. */
  readonly faults: readonly SourceFault[];
  /** In the order in which it was asked. */
  readonly attempts: readonly ReportedAttempt[];
};

/** What the last strategy that collects chunks had of them, and what it needed before it could decode. */
export type ChunkCount = {
  /** Chunks held at the end; only systematic ones where those were collected. */
  readonly held: number;
  readonly needed: number;
};

/** One strategy. `startedAtMs` is milliseconds since the recovery began. */
export type StrategyReport = {
  readonly strategy: StrategyType;
  readonly startedAtMs: number;
  readonly ms: number;
  /** `cut_short`: it still ran when the recovery ended, for whoever has the account. */
  readonly reason: StrategyEndReason | 'cut_short';
  /** With `too_large`: how many bytes the backer announced. */
  readonly announcedBytes?: number;
  /** Time after its last useful answer: decoding and checking. Only where chunks were decoded. */
  readonly decodingMs?: number;
};

/** The report of one recovery. */
export type RecoveryReport = {
  /** From the first caller's question to the end. */
  readonly ms: number;
  /** Before the first strategy: waiting for a turn, the session, our own store. */
  readonly msBeforeStrategies: number;
  /** In order; one that ran twice stands here twice. */
  readonly strategies: readonly StrategyReport[];
  /** In the order in which they were first asked. */
  readonly sources: readonly SourceReport[];
  /** Sums over `sources`. */
  readonly totals: ReportTotals;
  /** Absent where no strategy collected chunks. */
  readonly chunks?: ChunkCount;
  /** As in the account. */
  readonly work?: WorkRecord;
};

/**
 * Makes the report of a recovery that is over; an attempt that still runs counts as canceled.
 *
 * Cost: linear in the attempts, times the logarithm of those at one source.
 */
export function reportOf(account: RecoveryAccount): RecoveryReport {
  const endMs = endOf(account);
  const attempts = account.attempts.map((attempt) => ({
    source: attempt.source,
    attempt: attemptOf(attempt, account.startedAtMs, endMs),
  }));
  const bySource = Map.groupBy(attempts, ({ source }) => source);
  const chunks = chunkCountOf(account);
  const firstMs = account.strategies[0]?.startedAtMs ?? endMs;
  return {
    ms: endMs - account.startedAtMs,
    msBeforeStrategies: firstMs - account.startedAtMs,
    strategies: account.strategies.map((strategy) => strategyOf(strategy, account, endMs)),
    sources: [...bySource].map(([source, own]) =>
      sourceOf(
        source,
        own.map(({ attempt }) => attempt),
      ),
    ),
    totals: totalsOf(attempts.map(({ attempt }) => attempt)),
    ...(chunks === undefined ? {} : { chunks }),
    ...(account.work === undefined ? {} : { work: account.work }),
  };
}

/** When it was over; of a running one, the last that is known of it. */
function endOf({ startedAtMs, endedAtMs, strategies, attempts }: RecoveryAccount): number {
  return (
    endedAtMs ??
    [
      ...strategies.map((strategy) => strategy.endedAtMs ?? strategy.startedAtMs),
      ...attempts.map((attempt) => attempt.startedAtMs + (attempt.ms ?? 0)),
    ].reduce((latest, ms) => Math.max(latest, ms), startedAtMs)
  );
}

function attemptOf(attempt: AttemptRecord, beginMs: number, endMs: number): ReportedAttempt {
  const { kind, validatorIndex, strategy, startedAtMs, isLate, isUseful, bytes } = attempt;
  const { answer, code, protocol, ms } = attempt;
  return {
    kind,
    validatorIndex,
    strategy,
    askedAtMs: startedAtMs - beginMs,
    endedAtMs: (ms === undefined ? endMs : startedAtMs + ms) - beginMs,
    answer: answer ?? 'canceled',
    ...(code === undefined ? {} : { code }),
    ...(protocol === undefined ? {} : { protocol }),
    isLate,
    isUseful,
    bytes,
  };
}

function sourceOf(source: AuthorityId, attempts: readonly ReportedAttempt[]): SourceReport {
  return {
    source,
    waitedMs: coveredMs(attempts),
    totals: totalsOf(attempts),
    faults: faultsOf(attempts),
    attempts,
  };
}

/** Length of the union of the attempts' times. */
function coveredMs(attempts: readonly ReportedAttempt[]): number {
  let covered = 0;
  let coveredUntilMs = Number.NEGATIVE_INFINITY;
  for (const { askedAtMs, endedAtMs } of attempts.toSorted((a, b) => a.askedAtMs - b.askedAtMs)) {
    covered += Math.max(0, endedAtMs - Math.max(askedAtMs, coveredUntilMs));
    coveredUntilMs = Math.max(coveredUntilMs, endedAtMs);
  }
  return covered;
}

function faultsOf(attempts: readonly ReportedAttempt[]): readonly SourceFault[] {
  const faults = new Map<string, SourceFault>();
  for (const { answer, code } of attempts) {
    if (answer !== 'success' && answer !== 'canceled') {
      const key = `${answer} ${code ?? ''}`;
      const count = (faults.get(key)?.count ?? 0) + 1;
      faults.set(key, { answer, ...(code === undefined ? {} : { code }), count });
    }
  }
  return [...faults.values()];
}

function totalsOf(attempts: readonly ReportedAttempt[]): ReportTotals {
  const counts = { succeeded: 0, failed: 0, canceled: 0 };
  let [usefulBytes, wastedBytes] = [0, 0];
  for (const { answer, isUseful, bytes } of attempts) {
    const outcome =
      answer === 'success' ? 'succeeded' : answer === 'canceled' ? 'canceled' : 'failed';
    counts[outcome] += 1;
    usefulBytes += isUseful ? bytes : 0;
    wastedBytes += isUseful ? 0 : bytes;
  }
  return { issued: attempts.length, ...counts, usefulBytes, wastedBytes };
}

function strategyOf(
  { strategy, startedAtMs, endedAtMs, reason, announcedBytes, chunksNeeded }: StrategyRecord,
  account: RecoveryAccount,
  endMs: number,
): StrategyReport {
  const ms = (endedAtMs ?? endMs) - startedAtMs;
  const hasDecoded =
    chunksNeeded !== undefined &&
    (reason === 'recovered' || reason === 'not_decodable' || reason === 'check_failed');
  return {
    strategy,
    startedAtMs: startedAtMs - account.startedAtMs,
    ms,
    reason: reason ?? 'cut_short',
    ...(announcedBytes === undefined ? {} : { announcedBytes }),
    ...(hasDecoded
      ? { decodingMs: startedAtMs + ms - lastUsefulMs(account, startedAtMs, startedAtMs + ms) }
      : {}),
  };
}

function chunkCountOf({ strategies, chunksHeld }: RecoveryAccount): ChunkCount | undefined {
  const last = strategies.findLast(({ chunksNeeded }) => chunksNeeded !== undefined);
  if (last?.chunksNeeded === undefined) {
    return undefined;
  }
  const needed = last.chunksNeeded;
  const counted =
    last.strategy === 'systematic_chunks'
      ? chunksHeld.filter((index) => index < needed)
      : chunksHeld;
  return { held: counted.length, needed };
}

/** When the last chunk came in the time of a strategy; at its start where none did. */
function lastUsefulMs({ attempts }: RecoveryAccount, fromMs: number, toMs: number): number {
  return attempts
    .map((attempt) => (attempt.isUseful ? attempt.startedAtMs + (attempt.ms ?? 0) : fromMs))
    .filter((ms) => ms <= toMs)
    .reduce((latest, ms) => Math.max(latest, ms), fromMs);
}
