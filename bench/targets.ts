/**
 * @module
 * The ratios that the kernel was built to reach at 1,000 validators: CPU time of the crates that a Polkadot node
 * runs, over our wall time. Shown beside what is measured; nothing fails by them.
 */

import type { JobName } from './support/side.ts';

/** `accept` is what must be reached, `aim` what would be new; both depend on the host by a tenth or two. */
export type Target = { readonly accept: number; readonly aim?: number };

const MIB = 2 ** 20;

/** By job, payload bytes and threads. */
const TARGETS: Partial<Record<JobName, Readonly<Record<string, Target>>>> = {
  producer: targets({ accept: 8, aim: 10 }, 14, 7.5, 6),
  checker: targets({ accept: 16, aim: 20 }, 28, 15, 9),
  systematic: targets({ accept: 2.8, aim: 3.5 }, 4.5, 2.6, 2),
  systematic_checked: targets({ accept: 8, aim: 11 }, 14, 7.5, 5),
  one_missing: targets({ accept: 40, aim: 60 }, 65, 35, 12),
};

/** Our own full decode over our own path for one missing chunk; the same on every number of threads. */
const PATH_TARGETS: Readonly<Record<string, Target>> = {
  [key(10 * MIB, 1)]: { accept: 4, aim: 6 },
  [key(2.5 * MIB, 1)]: { accept: 5 },
  [key(100 * 2 ** 10, 1)]: { accept: 1.8 },
};

function targets(
  whole: Target,
  twoThreads: number,
  quarter: number,
  small: number,
): Readonly<Record<string, Target>> {
  return {
    [key(10 * MIB, 1)]: whole,
    [key(10 * MIB, 2)]: { accept: twoThreads },
    [key(2.5 * MIB, 1)]: { accept: quarter },
    [key(100 * 2 ** 10, 1)]: { accept: small },
  };
}

function key(payloadBytes: number, threads: number): string {
  return `${payloadBytes} ${threads}`;
}

/** What a measurement is of. */
export type Place = {
  readonly job: JobName;
  readonly payloadBytes: number;
  readonly validators: number;
  readonly threads: number;
};

/** The target of a job, where there is one. */
export function targetOf({ job, payloadBytes, validators, threads }: Place): Target | undefined {
  return validators === 1000 ? TARGETS[job]?.[key(payloadBytes, threads)] : undefined;
}

/** The target for the path of one missing chunk, where there is one. */
export function pathTargetOf(place: Omit<Place, 'job'>): Target | undefined {
  const { payloadBytes, validators, threads } = place;
  return validators === 1000 ? PATH_TARGETS[key(payloadBytes, threads)] : undefined;
}
