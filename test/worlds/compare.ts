/**
 * @module
 * Holds a run against the recording. In the recorded order everything must be equal: every line, every
 * verdict, every count. In an order of our own the file says what stays the same, and that is checked.
 */

import { recoveryThreshold } from '../../src/primitives/thresholds.ts';
import { UPSTREAM } from '../../src/recovery/settings.ts';
import type { Got, Step, Verdict, World } from './format.ts';
import type { Ending, StepRun, WorldRun } from './run-world.ts';

/** What differs, in words; empty when nothing does. */
export type Differences = readonly string[];

/** The session, store and systematic lines, which no shuffle changes. */
const FIXED_LINE = /^(~ )?(r[sfp]$|q[sac]$|s )/;

/** Differences of a run in the recorded order. */
export function exactDifferences(world: World, run: WorldRun): Differences {
  return [
    ...run.steps.flatMap((step, place) => {
      const got = world.got[place];
      return got === undefined
        ? [`step ${place}: not recorded`]
        : exactStep(world, place, step, got);
    }),
    ...metricDifferences(world, run),
  ];
}

function exactStep(world: World, place: number, step: StepRun, got: Got): Differences {
  const asked = world.steps[place] ?? {};
  // Whoever leaves at once leaves before the first answer; how far the reference got by then is chance.
  const isCut = hasLeftAtOnce(asked) && isPrefix(step.t, got.t);
  return [
    ...different(`step ${place}: verdict`, step.v, verdictsOf(got, asked)),
    ...(isCut ? [] : different(`step ${place}: trace`, step.t, got.t)),
    ...(step.hasDialed ? [`step ${place}: a backer that is not connected was dialed`] : []),
  ];
}

function hasLeftAtOnce({ drop, callers = 1 }: Step): boolean {
  return drop !== undefined && drop[1] === 0 && drop[0] >= callers;
}

function isPrefix(lines: readonly string[], all: readonly string[]): boolean {
  return lines.every((line, i) => line === all[i]);
}

/** Per caller. */
function verdictsOf({ v }: Got, { callers = 1 }: Step): readonly Verdict[] {
  return v !== null && typeof v === 'object' && 'each' in v
    ? v.each
    : Array.from({ length: callers }, () => v);
}

function metricDifferences({ m }: World, run: WorldRun): Differences {
  const names = new Set([...Object.keys(run.m), ...Object.keys(m)]);
  return [...names].flatMap((name) => different(name, run.m[name] ?? 0, m[name] ?? 0));
}

/** Differences of a run in any order. */
export function freeDifferences(world: World, run: WorldRun): Differences {
  const differences: string[] = [];
  for (const [place, step] of run.steps.entries()) {
    const asked = world.steps[place] ?? {};
    const got = world.got[place];
    if (got === undefined) {
      return [`step ${place}: not recorded`];
    }
    const allowed = world.open?.[place] ?? verdictsOf(got, asked);
    const kinds = [...allowed, ...verdictsOf(got, asked)].map(kindOf);
    const strange = step.v.filter((v) => !kinds.includes(kindOf(v)));
    differences.push(...strange.map((v) => `step ${place}: verdict ${JSON.stringify(v)}`));
    if (asked.drop === undefined) {
      differences.push(...freeStep(world, place, step, got));
    }
    if (world.open !== undefined && !includes([step.v], verdictsOf(got, asked))) {
      // What is kept for later steps is another thing now.
      return differences;
    }
  }
  return differences;
}

/** Which other data came out is not listed completely where the order decides; that it did is. */
function kindOf(verdict: Ending): string {
  return Array.isArray(verdict) && verdict[0] === 'data' ? 'other data' : String(verdict);
}

function freeStep(world: World, place: number, step: StepRun, got: Got): Differences {
  const fixed = (t: readonly string[]): readonly string[] => t.filter((l) => FIXED_LINE.test(l));
  return [
    ...different(`step ${place}: fixed lines`, fixed(step.t), fixed(got.t)),
    ...backerDifferences(world, place, step, got),
    ...regularDifferences(world, place, step),
    ...countDifferences(place, step, got),
  ].map((difference) => `any order: ${difference}`);
}

function backerDifferences(world: World, place: number, step: StepRun, got: Got): Differences {
  const asked = wordsOf(step.t, 'f');
  const group = world.groups[world.steps[place]?.group ?? -1] ?? [];
  const isOver = !step.events.some(
    (event) => event.type === 'recovered' && event.from === 'full_from_backers',
  );
  const isDue = wordsOf(got.t, 'f').length > 0;
  const wanted = group.map(String).toSorted();
  return [
    ...(new Set(asked).size === asked.length ? [] : [`step ${place}: a backer asked twice`]),
    ...(asked.every((word) => wanted.includes(word)) ? [] : [`step ${place}: no backer asked`]),
    ...(isDue && isOver ? different(`step ${place}: backers`, asked.toSorted(), wanted) : []),
  ];
}

function regularDifferences(world: World, place: number, step: StepRun): Differences {
  const batches = step.t.flatMap((line) =>
    wordsOf([line], 'r').length > 0 ? [wordsOf([line], 'r')] : [],
  );
  const [first] = batches;
  if (first === undefined) {
    return [];
  }
  const threshold = recoveryThreshold(world.n);
  const held = heldBeforeRegular(step);
  const desired = Math.min(UPSTREAM.parallelAttempts, threshold, threshold - held);
  const known = new Set([...localPlaces(world, place), ...wordsOf(step.t, 's')]);
  const isWhole = first.length === desired || first.length >= world.n - known.size;
  const own = localPlaces(world, place).filter((index) => batches.flat().includes(index));
  return [
    ...(first.length <= desired && isWhole ? [] : [`step ${place}: first batch ${first.length}`]),
    ...own.map((index) => `step ${place}: ${index} is ourselves`),
    ...overused(step).map((source) => `step ${place}: ${source} was used up`),
  ];
}

function heldBeforeRegular({ events }: StepRun): number {
  const start = events.findIndex(
    (event) => event.type === 'attempt_started' && event.strategy === 'regular_chunks',
  );
  return events.slice(0, start).filter((event) => event.type === 'chunk_held').length;
}

function localPlaces({ kind, steps }: World, place: number): readonly string[] {
  const chunks = steps[place]?.store?.chunks;
  return kind === 'collator' || chunks === undefined || chunks === 'drop'
    ? []
    : chunks.map(([validator]) => String(validator));
}

/** Sources asked again after a final answer, or more often than is allowed. */
function overused({ events }: StepRun): readonly string[] {
  const sources = new Map<number, string>();
  const failures = new Map<string, number>();
  return events.flatMap((event) => {
    if (event.type === 'attempt_started' && event.kind === 'chunk') {
      const source = `${event.source}>${event.validatorIndex}`;
      sources.set(event.attemptId, source);
      return (failures.get(source) ?? 0) < UPSTREAM.attempts.regular ? [] : [source];
    }
    if (event.type === 'attempt_finished') {
      const source = sources.get(event.attemptId) ?? '';
      const isFinal = event.answer === 'no_such_chunk' || event.answer === 'invalid';
      const isFailure = event.answer !== 'success' && event.code !== 'not_needed';
      const more = isFinal ? UPSTREAM.attempts.regular : isFailure ? 1 : 0;
      failures.set(source, (failures.get(source) ?? 0) + more);
    }
    return [];
  });
}

function countDifferences(place: number, step: StepRun, got: Got): Differences {
  return ['f', 's', 'r'].flatMap((kind, i) => {
    const count = wordsOf(step.t, kind).length;
    const expected = got.count[i] ?? 0;
    const [least, most] = typeof expected === 'number' ? [expected, expected] : expected;
    // A range is what was found in some hundred orders; a tenth of the requests more is left to chance.
    const room = least === most ? 0 : 2 + Math.ceil(most / 10);
    return count >= least - room && count <= most + room
      ? []
      : [`step ${place}: ${count} requests of ${kind}, expected ${JSON.stringify(expected)}`];
  });
}

/** Whom the lines of a kind ask. */
function wordsOf(t: readonly string[], kind: string): readonly string[] {
  return t.flatMap((line) => {
    const [first, ...words] = line.replace(/^~ /, '').split(' ');
    return first === kind ? words : [];
  });
}

function includes(all: readonly unknown[], one: unknown): boolean {
  return all.some((each) => JSON.stringify(each) === JSON.stringify(one));
}

function different(what: string, actual: unknown, expected: unknown): Differences {
  return JSON.stringify(actual) === JSON.stringify(expected)
    ? []
    : [`${what}: ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`];
}
