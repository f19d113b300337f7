/**
 * @module
 * The figures of the README, made of stored results alone.
 */

import type { Results } from './all-results.ts';
import type { NativeRow } from './native-report.ts';
import { machineText, NOT_YET, size } from './support/page-text.ts';
import type { JobName } from './support/side.ts';
import { markdownTable, short } from './support/table.ts';

const MIB = 2 ** 20;

/** The whole jobs in the words of who does them. */
const JOB_WORDS: Partial<Record<JobName, string>> = {
  producer: 'backer: all chunks, hashes, root, all proofs',
  checker: 'checker: k random chunks proven, decoded, root compared',
  systematic: 'k systematic chunks proven and put together',
  systematic_checked: 'the same, root compared',
  one_missing: 'one systematic chunk missing: proven, recovered',
};

/** README: the whole jobs at 10 MiB and 1,000 validators, and what else a user asks first. */
export function figures(results: Results): string {
  return [figuresAgainstCrates(results), figuresAround(results)].filter(Boolean).join('\n\n');
}

function figuresAgainstCrates({ native }: Results): string {
  if (native === undefined) {
    return NOT_YET;
  }
  const at = (job: string, threads: number): NativeRow | undefined =>
    native.rows.find(
      (row) =>
        row.job === job &&
        row.threads === threads &&
        row.validators === 1000 &&
        row.payloadBytes === 10 * MIB,
    );
  const rows = Object.entries(JOB_WORDS).map(([job, words]) => {
    const [one, two] = [at(job, 1), at(job, 2)];
    return [
      words,
      short(one?.cratesMs),
      short(one?.oursMs),
      short(one?.ratio),
      short(two?.oursMs),
      short(two?.ratio),
    ];
  });
  const table = markdownTable([
    ['10 MiB, 1,000 validators, ms', 'crates', 'ours', 'ratio', '2 threads', 'ratio'],
    ...rows,
  ]);
  return [
    table,
    '',
    'Minima of alternating rounds of one run, `npm run bench:native -- --threads 1,2`. Crates: CPU time of those that a',
    `Polkadot node runs; ours: wall time. ${machineText(native.machine)}.`,
  ].join('\n');
}

function figuresAround({ arrival, coldStart, memory, eventLoop, loopback }: Results): string {
  const rows: (readonly string[])[] = [];
  const add = (what: string, value: string, repeat: string): void => {
    rows.push([what, value, `\`npm run bench -- ${repeat}\``]);
  };
  const late = arrival?.rows.find((row) => row.payloadBytes === 10 * MIB && row.threads === 1);
  if (late !== undefined) {
    add('10 MiB, from the last chunk to checked data', `${short(late.lastChunkMs)} ms`, 'arrival');
  }
  const [cold] = coldStart?.rows ?? [];
  if (cold !== undefined) {
    const what = `first recovery of a process, ${size(cold.payloadBytes)}`;
    add(what, `${short(cold.firstMs)} ms`, 'cold-start');
  }
  const one = memory?.rows.find((row) => row.threads === 1 && row.recoveries === 1);
  if (one !== undefined) {
    const what = `memory of a checked recovery of ${size(one.payloadBytes)}`;
    add(what, `${one.peakMiB.toFixed(0)} MiB`, 'memory');
  }
  const loop = eventLoop?.rows.find((row) => row.workers > 0);
  if (loop !== undefined) {
    const what = `lateness of the event loop meanwhile, ${loop.workers} worker, p99`;
    add(what, `${short(loop.p99Ms)} ms`, 'event-loop');
  }
  const [first] = loopback?.rows ?? [];
  if (first !== undefined) {
    const times = loopback?.rows.map(({ minimumMs }) => short(minimumMs)).join(' / ');
    const what = `${size(first.payloadBytes)} over loopback, checked: backers / systematic / regular`;
    add(what, `${times} ms`, 'loopback');
  }
  return rows.length === 0 ? '' : markdownTable([['what', '', 'repeat with'], ...rows]);
}
