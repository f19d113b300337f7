/**
 * @module
 * Finds out which hash kernel is fastest on this host, while it hashes. No clock of its own.
 */

import type { KernelContext } from './kernel-context.ts';
import { HASH_KERNELS, type HashKernel, type HashRowsJob, hashRows } from './row-hasher.ts';

/** Rows in a timed batch: whole batches for every kernel. */
const BATCH_ROWS = 20;

/** Below this a batch takes less than 50 µs, too short for clocks of some µs. */
const MIN_ROW_BYTES = 4096;

/** A best time that fell by less than this part since is taken to stay. */
const SETTLED = 0.1;

/** Rounds over all kernels in which no best time may fall: less than the host's compiler needs to improve code. */
const SETTLED_ROUNDS = 4;

/**
 * Hashes rows, by each kernel in turn until one is known to be the fastest, and the rest by that one. The
 * digests are the same as those of `hashRows`.
 *
 * A kernel counts by its best batch, and the choice waits until the best times stand still: a host runs new
 * code slowly until it has compiled it well.
 *
 * Buffers: as `hashRows`.
 *
 * @param nowMs - A clock in milliseconds.
 * @returns The fastest kernel; undefined when the job was too small to tell: then ask again with the next.
 */
export function chooseHashKernel(
  context: KernelContext,
  job: HashRowsJob,
  nowMs: () => number,
): HashKernel | undefined {
  const { rows, digests, bytes } = job;
  const best = new Map<HashKernel, number>();
  let calmRounds = 0;
  let from = 0;
  const roundRows = BATCH_ROWS * HASH_KERNELS.length;
  while (calmRounds < SETTLED_ROUNDS && bytes >= MIN_ROW_BYTES && from + roundRows <= rows.length) {
    calmRounds += 1;
    for (const kernel of HASH_KERNELS) {
      const to = from + BATCH_ROWS;
      const some = { rows: rows.subarray(from, to), digests: digests.subarray(from, to) };
      const startMs = nowMs();
      hashRows(context, { ...some, bytes, kernel });
      const ms = nowMs() - startMs;
      const bestMs = best.get(kernel) ?? Number.POSITIVE_INFINITY;
      calmRounds = ms < bestMs * (1 - SETTLED) ? 0 : calmRounds;
      best.set(kernel, Math.min(bestMs, ms));
      from = to;
    }
  }
  const fastest = [...best].sort(([, a], [, b]) => a - b)[0]?.[0];
  const chosen = calmRounds < SETTLED_ROUNDS ? undefined : fastest;
  const rest = { rows: rows.subarray(from), digests: digests.subarray(from), bytes };
  hashRows(context, chosen === undefined ? rest : { ...rest, kernel: chosen });
  return chosen;
}
