/**
 * @module
 * Where figures were measured, and whether the machine was idle then.
 */

import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus, platform, release } from 'node:os';

/** What a figure must say about its machine. */
export type Machine = {
  readonly cpu: string;
  readonly cores: number;
  readonly system: string;
  readonly node: string;
  /** Day of the run, ISO. */
  readonly date: string;
};

/** This machine, today. */
export function thisMachine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    system: `${platform()} ${release().split('-')[0]}`,
    node: process.versions.node,
    date: new Date().toISOString().slice(0, 10),
  };
}

/** Ticks of all cores together since the start of the system. */
type Ticks = { readonly idle: number; readonly all: number };

const STAT = '/proc/stat';

function ticks(): Ticks | undefined {
  if (!existsSync(STAT)) {
    return undefined;
  }
  const [line = ''] = readFileSync(STAT, 'latin1').split('\n');
  const counts = line.trim().split(/\s+/).slice(1).map(Number);
  return { idle: (counts[3] ?? 0) + (counts[4] ?? 0), all: counts.reduce((a, b) => a + b, 0) };
}

/** Cores count as idle when at most this share of their time went to anything; ticks are 10 ms. */
const IDLE_SHARE = 0.93;
const WINDOW_MS = 100;

/**
 * Waits until all cores have been idle for a tenth of a second.
 *
 * @param patienceMs - How long to wait in all.
 * @returns Whether they were; undefined where the system does not say.
 */
export async function idleCores(patienceMs: number): Promise<boolean | undefined> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const before = ticks();
    await new Promise((resolve) => setTimeout(resolve, WINDOW_MS));
    const after = ticks();
    if (before === undefined || after === undefined) {
      return undefined;
    }
    if ((after.idle - before.idle) / (after.all - before.all) >= IDLE_SHARE) {
      return true;
    }
    if (performance.now() > end) {
      return false;
    }
  }
}
