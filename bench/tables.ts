/**
 * @module
 * Tables of our own benches, made of stored results alone.
 */

import type { Results } from './all-results.ts';
import type { JobRow } from './result-rows.ts';
import { block, count, size } from './support/page-text.ts';
import { short } from './support/table.ts';

/** Every job on the plain engine and on ours. */
export function jobs({ jobs: stored }: Results): string {
  return block(stored, () => {
    const rows = stored?.rows ?? [];
    const engines = [...new Set(rows.map(({ engine }) => engine))];
    const places = Map.groupBy(rows, (row) => [row.job, row.payloadBytes, row.validators].join());
    const [plain = ''] = engines;
    return [
      [
        'job, minimum (median) ms',
        'payload',
        'n',
        ...engines,
        ...engines.slice(1).map((engine) => `${plain} / ${engine}`),
      ],
      ...[...places.values()].map((of) => {
        const find = (engine: string): JobRow | undefined => of.find((r) => r.engine === engine);
        const base = find(plain)?.minimumMs ?? Number.NaN;
        return [
          of[0]?.job ?? '',
          size(of[0]?.payloadBytes ?? 0),
          count(of[0]?.validators ?? 0),
          ...engines.map((e) => `${short(find(e)?.minimumMs)} (${short(find(e)?.medianMs)})`),
          ...engines.slice(1).map((e) => short(base / (find(e)?.minimumMs ?? Number.NaN))),
        ];
      }),
    ];
  });
}

/** Paths of decoding on the same chunks. */
export function planner({ planner: stored }: Results): string {
  return block(stored, () => {
    const cases = Map.groupBy(stored?.rows ?? [], (row) =>
      [
        row.missing === undefined ? 'k random chunks' : `${row.missing} systematic missing`,
        row.isChecked ? 'with root' : 'payload only',
        size(row.payloadBytes),
        count(row.validators),
      ].join('|'),
    );
    const paths = ['rows', 'blocks', 'reveal', 'planner'];
    return [
      ['received', 'wanted', 'payload', 'n', ...paths.map((path) => `${path} ms`), 'planner took'],
      ...[...cases].map(([name, of]) => [
        ...name.split('|'),
        ...paths.map((path) => short(of.find((row) => row.path === path)?.minimumMs)),
        of.find(({ path }) => path === 'planner')?.taken ?? '',
      ]),
    ];
  });
}

/** Hash kernels. */
export function hash({ hash: stored }: Results): string {
  return block(stored, () => [
    ['kernel', 'payload', 'n', 'min ms', 'median ms', 'GB/s'],
    ...(stored?.rows ?? []).map((row) => [
      row.kernel,
      size(row.payloadBytes),
      count(row.validators),
      short(row.minimumMs),
      short(row.medianMs),
      short(row.gigabytesPerSecond),
    ]),
  ]);
}

/** Fitted exponents. */
export function growth({ growth: stored }: Results): string {
  return block(stored, () => [
    ['job', 'in', 'from', 'to', 'exponent'],
    ...(stored?.rows ?? []).map((row) => {
      const at = row.in === 'bytes' ? size : count;
      return [row.job, row.in, at(row.from), at(row.to), short(row.exponent)];
    }),
  ]);
}

/** What is left after the last chunk. */
export function arrival({ arrival: stored }: Results): string {
  return block(stored, () => [
    ['payload', 'n', 'threads', 'after the last chunk ms', 'whole job ms', 'share'],
    ...(stored?.rows ?? []).map((row) => [
      size(row.payloadBytes),
      count(row.validators),
      String(row.threads),
      short(row.lastChunkMs),
      short(row.wholeMs),
      short(row.lastChunkMs / row.wholeMs),
    ]),
  ]);
}

/** The first recovery of a process. */
export function coldStart({ coldStart: stored }: Results): string {
  return block(stored, () => [
    ['payload', 'n', 'processes', 'import ms', 'first ms', 'slowest first ms', 'later ms'],
    ...(stored?.rows ?? []).map((row) => [
      size(row.payloadBytes),
      count(row.validators),
      String(row.processes),
      short(row.importMs),
      short(row.firstMs),
      short(row.slowestMs),
      short(row.laterMs),
    ]),
  ]);
}

/** Resident memory. */
export function memory({ memory: stored }: Results): string {
  return block(stored, () => [
    [
      'payload',
      'n',
      'threads',
      'recoveries',
      'at once',
      'peak MiB',
      'after a tenth MiB',
      'at the end MiB',
    ],
    ...(stored?.rows ?? []).map((row) => [
      size(row.payloadBytes),
      count(row.validators),
      String(row.threads),
      count(row.recoveries),
      String(row.atOnce),
      short(row.peakMiB),
      short(row.restingAfterTenthMiB),
      short(row.restingMiB),
    ]),
  ]);
}

/** Lateness of the event loop. */
export function eventLoop({ eventLoop: stored }: Results): string {
  return block(stored, () => [
    ['payload', 'n', 'workers', 'p50 ms', 'p99 ms', 'worst ms', 'one recovery ms'],
    ...(stored?.rows ?? []).map((row) => [
      size(row.payloadBytes),
      count(row.validators),
      String(row.workers),
      short(row.p50Ms),
      short(row.p99Ms),
      short(row.worstMs),
      short(row.recoveryMs),
    ]),
  ]);
}

/** Recoveries over sockets. */
export function loopback({ loopback: stored }: Results): string {
  return block(stored, () => [
    ['strategy', 'payload', 'n', 'threads', 'min ms', 'median ms', 'client CPU s', 'servers CPU s'],
    ...(stored?.rows ?? []).map((row) => [
      row.strategy,
      size(row.payloadBytes),
      count(row.validators),
      String(row.threads),
      short(row.minimumMs),
      short(row.medianMs),
      short(row.clientCpuSeconds),
      short(row.serversCpuSeconds),
    ]),
  ]);
}
