/**
 * @module
 * A recovery explained in words. The first five lines answer why the candidate was slow, unavailable or
 * invalid, and because of whom; the rest is the detail.
 */

import type { WorkRecord } from '../recovery/account.ts';
import { type Explanation, explanationOf } from './explanation.ts';
import type { ReportedOutcome } from './follow-recovery.ts';
import { readableBytes, readableMs } from './readable.ts';
import { firstOf, shownName } from './source-names.ts';

/** Sources and chunks named in one list; more are counted. */
const NAMED = 6;

/**
 * The explanation, line by line: the verdict and the time; what took the most of it; whom it waited for
 * longest; who failed with what; what was missing. Then each strategy, and the sums. Where nothing had
 * begun there is only the verdict. Nothing in it was chosen by a peer.
 */
export function explainRecovery(outcome: ReportedOutcome): readonly string[] {
  const explanation = explanationOf(outcome);
  return explanation.report === undefined
    ? [`${verdict(explanation)}; nothing had begun`]
    : [
        verdict(explanation),
        mostTime(explanation),
        slowest(explanation),
        failed(explanation),
        missing(explanation),
        ...detail(explanation),
      ];
}

function verdict({ outcome, ms, reason, provenBy = [] }: Explanation): string {
  const after = ms === undefined ? '' : ` after ${readableMs(ms)}`;
  const why = reason === undefined ? '' : `: ${reason}`;
  switch (outcome) {
    case 'recovered':
      return `recovered${after}${reason === undefined ? '' : `, from ${reason}`}`;
    case 'invalid':
      return (
        `invalid${after}${why}; the candidate is to blame, whoever sent it` +
        (provenBy.length === 0 ? '' : ` (proven by chunks ${firstOf(provenBy.map(String), NAMED)})`)
      );
    case 'local_fault':
      return `local_fault${after}${why}; we are to blame, it says nothing about the candidate`;
    case 'cancelled':
      return `cancelled${after} by the caller`;
    case 'unavailable':
    case 'stopped':
      return `${outcome}${after}${why}`;
  }
}

function mostTime({ costliest, ms = 0 }: Explanation): string {
  if (costliest === undefined || costliest.reason === undefined) {
    const before = readableMs(costliest?.ms ?? 0);
    return (
      `most time: ${before} of ${readableMs(ms)} before any strategy ` +
      '(waiting for a turn, the session, our own store)'
    );
  }
  const { strategy, reason, decodingMs } = costliest;
  const decoding =
    decodingMs === undefined || decodingMs === 0
      ? ''
      : `, ${readableMs(decodingMs)} of it decoding and checking`;
  return (
    `most time: ${readableMs(costliest.ms)} of ${readableMs(ms)} in ${strategy}, ` +
    `which ended ${reason}${decoding}`
  );
}

/** How many of the slowest are named. */
const NAMED_SLOW = 4;

function slowest({ slowest: waitedFor = [] }: Explanation): string {
  const names = waitedFor.map(({ source, waitedMs, requests, came }) => {
    const times = requests === 1 ? '' : `, ${requests} requests`;
    return `${shownName(source)} ${readableMs(waitedMs)} (${spaced(came)}${times})`;
  });
  return `slowest: ${names.length === 0 ? 'nobody was waited for' : firstOf(names, NAMED_SLOW)}`;
}

function failed({ failed: groups = {} }: Explanation): string {
  const texts = Object.entries(groups).map(
    ([reason, sources]) => `${spaced(reason)}: ${firstOf(sources.map(shownName), NAMED)}`,
  );
  return `failed: ${texts.length === 0 ? 'nobody' : texts.join('; ')}`;
}

/** Codes stay as they are, so that they can be searched for; our own words are made words. */
function spaced(word: string): string {
  return word === 'given_up' || word === 'not_needed' ? word.replace('_', ' ') : word;
}

function missing({ outcome, chunks }: Explanation): string {
  if (chunks === undefined) {
    return outcome === 'recovered'
      ? 'missing: nothing (no chunks were needed)'
      : 'missing: the data (no chunks were asked for)';
  }
  const { held, needed } = chunks;
  const count = Math.max(0, needed - held);
  return count === 0
    ? `missing: nothing (${held} chunks held of ${needed} needed)`
    : `missing: ${count} ${count === 1 ? 'chunk' : 'chunks'} (${held} held of ${needed} needed)`;
}

function detail({ report }: Explanation): readonly string[] {
  if (report === undefined) {
    return [];
  }
  const { strategies, totals, work } = report;
  const { issued, succeeded, failed: failures, canceled, usefulBytes, wastedBytes } = totals;
  return [
    ...strategies.map(({ strategy, ms, reason, announcedBytes }) => {
      const announced =
        announcedBytes === undefined ? '' : ` (${readableBytes(announcedBytes)} announced)`;
      return `${strategy}: ${readableMs(ms)}, ended ${reason}${announced}`;
    }),
    `requests: ${issued}: ${succeeded} succeeded, ${failures} failed, ${canceled} canceled`,
    `received: ${readableBytes(usefulBytes)} useful, ${readableBytes(wastedBytes)} wasted`,
    ...(work === undefined ? [] : [workLine(work)]),
  ];
}

function workLine({ engine, threads, path, ...cost }: WorkRecord): string {
  const { hashedChunks, reusedHashes, copiedBytes } = cost;
  const { load, result, check, caller } = copiedBytes;
  const by = path === undefined ? '' : `, decoded by ${path}`;
  const where =
    threads === 0 ? 'here' : `here and on ${threads} ${threads === 1 ? 'worker' : 'workers'}`;
  return (
    `engine: ${engine}, ${where}${by}; ${hashedChunks} chunks hashed, ${reusedHashes} hashes reused, ` +
    `${readableBytes(load + result + check + caller)} copied`
  );
}
