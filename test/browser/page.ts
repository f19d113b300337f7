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
  readonly recovery?: WholeJobReport;
  /** Arguments of every `console.warn`, as text. */
  readonly warnings: readonly string[];
};

/** The parts of a browser that the page uses; the checkout's types are Node's. */
type Browser = {
  readonly crossOriginIsolated: boolean;
  readonly location: { href: string };
};

const browser = globalThis as unknown as Browser;

/** Vector files, as the site serves them, and who reads them. */
const RUNNERS: readonly (readonly [string, VectorRunner])[] = [
  ['decode.json', decodeRunner],
  ['erasure-v1.json', erasureV1Runner],
  ['proofs.json', proofsRunner],
  ['mapping.json', mappingRunner],
];

/** Twelve validators of whom four have nothing. */
const JOB = { validatorCount: 12, povBytes: 65_536, has: (v: number) => v >= 4 };

async function runVectors(): Promise<Record<string, VectorReport>> {
  const reports: Record<string, VectorReport> = {};
  for (const [file, run] of RUNNERS) {
    const content: unknown = await (await fetch(`./vectors/${file}`)).json();
    const checks = new Checks();
    run(content, checks);
    reports[file] = { checks: checks.count, failed: checks.failed.slice(0, 10) };
  }
  return reports;
}

async function report(): Promise<PageReport> {
  const warnings: string[] = [];
  console.warn = (...args) => void warnings.push(args.map(String).join(' '));
  const host = {
    isIsolated: browser.crossOriginIsolated,
    hasSharedMemory: typeof SharedArrayBuffer === 'function',
    warnings,
  };
  let vectors = {};
  try {
    await hashReady();
    vectors = await runVectors();
    return { ...host, vectors, recovery: await doWholeJob(JOB) };
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
