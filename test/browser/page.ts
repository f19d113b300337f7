/**
 * @module
 * The page of the browser test: runs vectors and a recovery on the bundled library and posts what
 * came of it. It loads no Node API and none of the test runner.
 */

import { hashReady } from '../../src/index.ts';
import { doWholeJob, type WholeJobReport } from '../support/whole-job.ts';
import { Checks, type VectorRunner } from '../vectors/runner.ts';
import { decodeRunner } from '../vectors/runners/decode.ts';
import { erasureV1Runner } from '../vectors/runners/erasure-v1.ts';
import { mappingRunner } from '../vectors/runners/mapping.ts';
import { proofsRunner } from '../vectors/runners/proofs.ts';

/** What a vector file gave. */
export type VectorReport = { readonly checks: number; readonly failed: readonly string[] };

/** What a page posts; all of it is JSON. */
export type PageReport = {
  /** The error that ended the page, with its stack. */
  readonly error?: string;
  readonly isIsolated: boolean;
  readonly hasSharedMemory: boolean;
  readonly vectors: Readonly<Record<string, VectorReport>>;
  /** Of the job on the calling thread, and on two workers. */
  readonly jobs: readonly WholeJobReport[];
  /** Of all jobs: workers that were made, and tasks that they said they had done. */
  readonly workers: { readonly made: number; readonly done: number };
  /** Arguments of every `console.warn`, as text. */
  readonly warnings: readonly string[];
};

/** The parts of a browser that the page uses; the checkout's types are Node's. */
type Browser = {
  readonly crossOriginIsolated: boolean;
  readonly location: { href: string; readonly search: string };
  Worker: new (
    ...args: never[]
  ) => {
    addEventListener(type: 'message', listen: (event: { data: { type?: string } }) => void): void;
  };
};

const browser = globalThis as unknown as Browser;

/** Vector files, as the site serves them, and who reads them. */
const RUNNERS: readonly (readonly [string, VectorRunner])[] = [
  ['decode.json', decodeRunner],
  ['erasure-v1.json', erasureV1Runner],
  ['proofs.json', proofsRunner],
  ['mapping.json', mappingRunner],
];

/** A third of the validators has nothing. Large enough for workers to get their part. */
const JOB = { validatorCount: 100, povBytes: 2_000_000, has: (v: number) => v % 3 !== 0 };

/** Counts what workers do from now on. */
function watchWorkers(): PageReport['workers'] {
  const seen = { made: 0, done: 0 };
  browser.Worker = class extends browser.Worker {
    constructor(...args: never[]) {
      super(...args);
      seen.made += 1;
      this.addEventListener('message', ({ data }) => {
        seen.done += data.type === 'done' ? 1 : 0;
      });
    }
  };
  return seen;
}

/** A number that the page's address gives. */
function setting(name: string): number {
  return Number(new URLSearchParams(browser.location.search).get(name) ?? 1);
}

/** One in this many of the long lists of vectors is run: `?share=4`. */
const SHARE = setting('share');

/** A file with its long lists, of codes to be made, cut down to their share. */
function shareOf(content: Readonly<Record<string, unknown>>): unknown {
  const cut = Object.entries(content).map(([key, value]) => {
    const isLong = Array.isArray(value) && ['cases', 'large'].includes(key);
    return [key, isLong ? value.filter((_, i) => i % SHARE === 0) : value];
  });
  return Object.fromEntries(cut);
}

async function runVectors(): Promise<Record<string, VectorReport>> {
  const reports: Record<string, VectorReport> = {};
  for (const [file, run] of RUNNERS) {
    const content = (await (await fetch(`./vectors/${file}`)).json()) as Record<string, unknown>;
    const checks = new Checks();
    run(shareOf(content), checks);
    reports[file] = { checks: checks.count, failed: checks.failed.slice(0, 10) };
  }
  return reports;
}

async function report(): Promise<PageReport> {
  const warnings: string[] = [];
  console.warn = (...args) => void warnings.push(args.map(String).join(' '));
  const jobs: WholeJobReport[] = [];
  const host = {
    isIsolated: browser.crossOriginIsolated,
    hasSharedMemory: typeof SharedArrayBuffer === 'function',
    warnings,
    workers: watchWorkers(),
    jobs,
  };
  let vectors = {};
  try {
    await hashReady();
    vectors = await runVectors();
    jobs.push(await doWholeJob({ ...JOB, workers: 0 }));
    jobs.push(await doWholeJob({ ...JOB, workers: 2, times: setting('times') }));
    return { ...host, vectors };
  } catch (error: unknown) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { ...host, vectors, error: text };
  }
}

const answer = await fetch('./report', { method: 'POST', body: JSON.stringify(await report()) });
const next = await answer.text();
if (next !== '') {
  browser.location.href = next;
}
