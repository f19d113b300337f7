/**
 * @module
 * `npm run bench:native`: the crates that a Polkadot node runs and ours in turns, on the same bytes, in one run.
 * Digests of both sides are printed and must be equal before anything is timed. Ratios are CPU time of the
 * crates over our wall time, both minima.
 *
 * Options: `--payload 10MiB,100KiB`, `--validators 1000,300`, `--threads 1,2`, `--rounds 7`, `--jobs
 * producer,encode,…` (or `all`), `--wait 300` (seconds to wait in all for windows in which every core is
 * idle, for measurements on several threads), `--allocator jemalloc` (what a node's binary uses, for the crates), `--json FILE`.
 *
 * Exit code: 0 when all was measured, or when there is no cargo and no `--json`; 1 when the sides differ, when
 * something is wrong with the options or the build, and when `--json` was asked for but there is no cargo.
 */

import { writeFileSync } from 'node:fs';
import { hashReady } from '../src/primitives/hash.ts';
import {
  ALLOCATORS,
  type Allocator,
  buildNative,
  hasCargo,
  type NativePeer,
  startNative,
} from './native-peer.ts';
import { nativeReport, type Sample } from './native-report.ts';
import { ourSide } from './our-jobs.ts';
import { countsOf, listOf, readOptions, runScript, Stop, sizesOf } from './support/arguments.ts';
import { type Fixture, fixture } from './support/fixture.ts';
import { idleCores, thisMachine } from './support/machine.ts';
import { timeOf, warmUp } from './support/rounds.ts';
import { isJobName, JOB_NAMES, type JobName, type PreparedJob } from './support/side.ts';
import { sizeText } from './support/sizes.ts';

/** What is measured unless `--jobs` says otherwise: five whole jobs, and two of ours to compare. */
const DEFAULT_JOBS =
  'producer,checker,systematic,systematic_checked,one_missing,decode_k,decode_one_missing';

/** `reed-solomon-simd` as a further mark: native vectors on a code of this shape; bytes are its own. */
const MARKS = ['simd_encode', 'simd_decode'] as const;

type Settings = {
  readonly payloads: readonly number[];
  readonly validators: readonly number[];
  readonly threads: readonly number[];
  readonly rounds: number;
  readonly jobs: readonly JobName[];
  readonly allocator: Allocator;
  /** Time left to wait for idle cores. */
  readonly patience: { leftMs: number };
  readonly json: string | undefined;
};

function readSettings(): Settings {
  const options = readOptions({
    payload: 'string',
    validators: 'string',
    threads: 'string',
    rounds: 'string',
    jobs: 'string',
    wait: 'string',
    allocator: 'string',
    json: 'string',
  });
  const { payload, validators, threads, rounds, jobs, wait, allocator, json } = options;
  const [native = 'system'] = listOf('allocator', allocator, 'system', (name) =>
    ALLOCATORS.find((known) => known === name),
  );
  const [roundCount = 7] = countsOf('rounds', rounds, '7', { from: 1, to: 1000 });
  const [waitSeconds = 300] = countsOf('wait', wait, '300', { from: 0, to: 86_400 });
  return {
    payloads: sizesOf('payload', payload, '10MiB'),
    validators: countsOf('validators', validators, '1000', { from: 2, to: 65_536 }),
    threads: countsOf('threads', threads, '1', { from: 1, to: 64 }),
    rounds: roundCount,
    jobs:
      jobs === 'all'
        ? JOB_NAMES
        : listOf('jobs', jobs, DEFAULT_JOBS, (name) => (isJobName(name) ? name : undefined)),
    allocator: native,
    patience: { leftMs: waitSeconds * 1000 },
    json: typeof json === 'string' ? json : undefined,
  };
}

/** Runs of a job in one round: several of a short one, whose times the clock and the scheduler disturb. */
function repetitionsFor(payloadBytes: number): number {
  return payloadBytes < 300_000 ? 8 : payloadBytes < 2_000_000 ? 3 : 1;
}

/** Jobs of ours by number of threads. */
type OurJobs = ReadonlyMap<number, Partial<Record<JobName, PreparedJob>>>;

/** Prints both digests of each job; throws {@link Stop} when two differ. */
async function compareDigests(
  native: NativePeer,
  ours: OurJobs,
  { jobs }: Settings,
  size: { readonly payloadBytes: number; readonly validators: number },
): Promise<void> {
  for (const job of jobs) {
    const { digest: theirs } = await native.ask({ job, ...size, repetitions: 1 });
    for (const [threads, preparedJobs] of ours) {
      const prepared = preparedJobs[job];
      if (prepared === undefined) {
        continue;
      }
      const digest = await prepared.digest();
      const place = `${job} ${sizeText(size.payloadBytes)} n=${size.validators} ${threads}T`;
      process.stdout.write(`${place.padEnd(44)} crates ${theirs}  ours ${digest}\n`);
      if (digest !== theirs) {
        throw new Stop(`${place}: the results differ, so nothing was timed`);
      }
    }
  }
}

/** Waits for idle cores as long as there is patience left. */
async function areCoresIdle(patience: Settings['patience']): Promise<boolean | undefined> {
  const start = performance.now();
  const areIdle = await idleCores(patience.leftMs);
  patience.leftMs = Math.max(0, patience.leftMs - (performance.now() - start));
  return areIdle;
}

/** One round of one job: the crates, then ours on each number of threads. */
async function measureRound(
  native: NativePeer,
  ours: OurJobs,
  sample: Sample,
  { patience, threads }: Settings,
): Promise<void> {
  const { job, payloadBytes, validators } = sample;
  const repetitions = repetitionsFor(payloadBytes);
  const answer = await native.ask({ job, payloadBytes, validators, repetitions });
  sample.crates.push(...answer.cpuMs);
  for (const count of threads) {
    const prepared = isJobName(job) ? ours.get(count)?.[job] : undefined;
    if (prepared === undefined) {
      continue;
    }
    const areIdle = count > 1 ? await areCoresIdle(patience) : true;
    sample.isSampled &&= areIdle !== undefined;
    if (areIdle === false) {
      sample.busyRounds += 1;
      continue;
    }
    const times = sample.ours.get(count) ?? [];
    sample.ours.set(count, times);
    for (let i = 0; i < repetitions; i += 1) {
      times.push(await timeOf(prepared.run));
    }
  }
}

async function measureCase(
  native: NativePeer,
  ours: OurJobs,
  settings: Settings,
  { payload, validatorCount: validators }: Fixture,
): Promise<readonly Sample[]> {
  const size = { payloadBytes: payload.length, validators };
  await compareDigests(native, ours, settings, size);
  const samples = [...settings.jobs, ...MARKS].map(
    (job): Sample => ({
      job,
      ...size,
      crates: [],
      ours: new Map(),
      busyRounds: 0,
      isSampled: true,
    }),
  );
  for (const job of settings.jobs) {
    for (const jobs of ours.values()) {
      await warmUp(jobs[job]?.run ?? (() => undefined));
    }
  }
  for (let round = 0; round < settings.rounds; round += 1) {
    for (const sample of samples) {
      await measureRound(native, ours, sample, settings);
    }
    process.stderr.write(
      `${sizeText(size.payloadBytes)} n=${validators}: round ${round + 1} of ${settings.rounds}\n`,
    );
  }
  return samples;
}

async function main(): Promise<number> {
  const settings = readSettings();
  if (!hasCargo()) {
    process.stdout.write('skipped: no cargo here, so there is nothing native to compare with\n');
    return settings.json === undefined ? 0 : 1;
  }
  using native = startNative(buildNative(settings.allocator));
  await hashReady();
  const samples: Sample[] = [];
  for (const payloadBytes of settings.payloads) {
    for (const validators of settings.validators) {
      await using stack = new AsyncDisposableStack();
      const made = fixture(payloadBytes, validators);
      const ours: OurJobs = new Map(
        settings.threads.map((count) => [count, stack.use(ourSide(count)).prepare(made)]),
      );
      samples.push(...(await measureCase(native, ours, settings, made)));
    }
  }
  const { report, text } = nativeReport(samples, thisMachine(), settings.allocator);
  process.stdout.write(text);
  if (settings.json !== undefined) {
    writeFileSync(settings.json, `${JSON.stringify(report, null, 2)}\n`);
  }
  return 0;
}

await runScript(main);
