/**
 * @module
 * Times alternatives in turns: each round runs every one of them once, so that a slow second of the machine
 * hits all alike. Minima and their ratios are what is compared.
 */

/** Something to be timed; what it gives is thrown away. */
export type Job = () => unknown;

/** All times of one job, in ms, in order of the rounds. */
export type Times = readonly number[];

/** How long a job takes, in ms of wall time; one that gives a promise ends with it. */
export async function timeOf(job: Job): Promise<number> {
  const start = performance.now();
  const result = job();
  if (result instanceof Promise) {
    await result;
  }
  return performance.now() - start;
}

/** Runs of a job of ours before any is timed: so often that the host has compiled it as well as it will. */
const WARM_UPS = 6;

/** Runs jobs unmeasured until they are as fast as they get. */
export async function warmUp(...jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) {
    for (let i = 0; i < WARM_UPS; i += 1) {
      await timeOf(job);
    }
  }
}

/**
 * Runs each job once unmeasured, then all of them in turns.
 *
 * @param jobs - By name.
 * @param rounds - How often each is timed.
 */
export async function alternate<Name extends string>(
  jobs: Readonly<Record<Name, Job>>,
  rounds: number,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(jobs) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    number[]
  >;
  for (let round = -1; round < rounds; round += 1) {
    for (const name of names) {
      const ms = await timeOf(jobs[name]);
      if (round >= 0) {
        times[name].push(ms);
      }
    }
  }
  return times;
}

/** The smallest; NaN of none. */
export function minimum(times: Times): number {
  return times.length === 0 ? Number.NaN : Math.min(...times);
}

/** The middle one, of an even number the later; NaN of none. */
export function median(times: Times): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}
