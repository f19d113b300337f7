/**
 * @module
 * What a run against the crates found, as JSON and as a table with the targets beside it.
 */

import type { Allocator } from './native-peer.ts';
import type { Machine } from './support/machine.ts';
import { median, minimum } from './support/rounds.ts';
import { isJobName, type JobName } from './support/side.ts';
import { sizeText } from './support/sizes.ts';
import { plainTable, short } from './support/table.ts';
import { pathTargetOf, type Target, targetOf } from './targets.ts';

/** All that was measured of one job on one payload. */
export type Sample = {
  readonly job: string;
  readonly payloadBytes: number;
  readonly validators: number;
  /** CPU time of the crates, in ms. */
  readonly crates: number[];
  /** Our wall times in ms, by number of threads. */
  readonly ours: Map<number, number[]>;
  /** Rounds in which the cores were not idle in time, so that several threads were not measured. */
  busyRounds: number;
  /** False where the system does not say whether its cores are idle. */
  isSampled: boolean;
};

/** One job on one number of threads. Times are minima in ms: CPU time of the crates, our wall time. */
export type NativeRow = {
  readonly job: JobName;
  readonly payloadBytes: number;
  readonly validators: number;
  readonly threads: number;
  readonly cratesMs: number;
  readonly oursMs: number;
  readonly ratio: number;
  readonly cratesMedianMs: number;
  readonly oursMedianMs: number;
  /** How many times of ours these are the minimum and the median of. */
  readonly samples: number;
  /** `idle` when every time of several threads began with all cores idle; one thread needs no such window. */
  readonly cores: 'idle' | 'not sampled' | 'any';
};

/** Our decode of k random chunks over our decode of one missing systematic chunk. */
export type PathRow = {
  readonly payloadBytes: number;
  readonly validators: number;
  readonly threads: number;
  readonly decodeMs: number;
  readonly oneMissingMs: number;
  readonly ratio: number;
};

/** CPU time of `reed-solomon-simd`. */
export type MarkRow = {
  readonly job: string;
  readonly payloadBytes: number;
  readonly validators: number;
  readonly cratesMs: number;
};

/** What `--json` writes. */
export type NativeReport = {
  readonly machine: Machine;
  /** Of the crates. */
  readonly allocator: Allocator;
  /** The five whole jobs that have targets. */
  readonly rows: readonly NativeRow[];
  /** The other jobs, in the same form. */
  readonly otherRows: readonly NativeRow[];
  readonly paths: readonly PathRow[];
  readonly marks: readonly MarkRow[];
};

const TARGET_JOBS: readonly string[] = [
  'producer',
  'checker',
  'systematic',
  'systematic_checked',
  'one_missing',
];

/** Four digits, so that stored figures do not pretend. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

function rowsOf(sample: Sample): NativeRow[] {
  const { job, payloadBytes, validators, crates, ours, isSampled } = sample;
  if (!isJobName(job)) {
    return [];
  }
  return [...ours].map(([threads, times]) => ({
    job,
    payloadBytes,
    validators,
    threads,
    cratesMs: rounded(minimum(crates)),
    oursMs: rounded(minimum(times)),
    ratio: rounded(minimum(crates) / minimum(times)),
    cratesMedianMs: rounded(median(crates)),
    oursMedianMs: rounded(median(times)),
    samples: times.length,
    cores: threads === 1 ? 'any' : isSampled ? 'idle' : 'not sampled',
  }));
}

function pathsOf(rows: readonly NativeRow[]): PathRow[] {
  return rows
    .filter(({ job }) => job === 'decode_k')
    .flatMap((full) => {
      const { payloadBytes, validators, threads, oursMs: decodeMs } = full;
      const one = rows.find(
        (row) =>
          row.job === 'decode_one_missing' &&
          row.payloadBytes === payloadBytes &&
          row.validators === validators &&
          row.threads === threads,
      );
      if (one === undefined) {
        return [];
      }
      const ratio = rounded(decodeMs / one.oursMs);
      return [{ payloadBytes, validators, threads, decodeMs, oneMissingMs: one.oursMs, ratio }];
    });
}

function targetCells(ratio: number, target: Target | undefined): string[] {
  if (target === undefined) {
    return ['', '', ''];
  }
  const verdict =
    ratio < target.accept ? 'below' : ratio >= (target.aim ?? Infinity) ? 'aim' : 'ok';
  return [String(target.accept), target.aim === undefined ? '' : String(target.aim), verdict];
}

/** The report, and the same for people. */
export function nativeReport(
  samples: readonly Sample[],
  machine: Machine,
  allocator: Allocator,
): { readonly report: NativeReport; readonly text: string } {
  const all = samples.flatMap(rowsOf);
  const rows = all.filter(({ job }) => TARGET_JOBS.includes(job));
  const otherRows = all.filter(({ job }) => !TARGET_JOBS.includes(job));
  const paths = pathsOf(all);
  const marks = samples
    .filter(({ job }) => !isJobName(job))
    .map(({ job, payloadBytes, validators, crates }): MarkRow => {
      return { job, payloadBytes, validators, cratesMs: rounded(minimum(crates)) };
    });
  const report = { machine, allocator, rows, otherRows, paths, marks };
  return { report, text: textOf(report, samples) };
}

function textOf(
  { machine, rows, otherRows, paths, marks }: NativeReport,
  samples: readonly Sample[],
): string {
  const head = ['job', 'payload', 'n', 'threads', 'crates ms', 'ours ms', 'ratio', 'of medians'];
  const cells = (row: NativeRow): string[] => [
    row.job,
    sizeText(row.payloadBytes),
    String(row.validators),
    `${row.threads}${row.cores === 'not sampled' ? ' (idle cores not sampled)' : ''}`,
    short(row.cratesMs),
    short(row.oursMs),
    short(row.ratio),
    short(row.cratesMedianMs / row.oursMedianMs),
    ...targetCells(row.ratio, targetOf(row)),
  ];
  const pathCells = (row: PathRow): string[] => [
    'own decode / one missing',
    sizeText(row.payloadBytes),
    String(row.validators),
    String(row.threads),
    short(row.decodeMs),
    short(row.oneMissingMs),
    short(row.ratio),
    '',
    ...targetCells(row.ratio, pathTargetOf(row)),
  ];
  const markCells = (row: MarkRow): string[] => [
    `reed-solomon-${row.job.replace('_', ' ')}`,
    sizeText(row.payloadBytes),
    String(row.validators),
    '',
    short(row.cratesMs),
  ];
  const table = plainTable([
    [...head, 'accept', 'aim', ''],
    ...[...rows, ...otherRows].map(cells),
    ...paths.map(pathCells),
    ...marks.map(markCells),
  ]);
  const busy = samples.reduce((sum, { busyRounds }) => sum + busyRounds, 0);
  const left = `${busy} measurements on several threads were left out, because the cores were busy\n`;
  const { cpu, cores, system, node, date } = machine;
  return `\n${table}\n\n${busy > 0 ? left : ''}${cpu}, ${cores} cores, ${system}, Node ${node}, ${date}\n`;
}
