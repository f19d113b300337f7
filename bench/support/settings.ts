/**
 * @module
 * What a run of the benches may change, by environment variables, since the runner's own options are names and
 * files: `BENCH_SIZES` (`10MiB,100KiB`), `BENCH_VALIDATORS` (`1000,300`), `BENCH_ROUNDS`, and `BENCH_STORE=1`, by which
 * results are written to `results/` and the long runs are made in full.
 */

import { countsOf, sizesOf } from './arguments.ts';

const { env } = process;

/** Whether results are kept. */
export const IS_STORING: boolean = env['BENCH_STORE'] === '1';

/** Payload sizes in bytes. */
export const SIZES: readonly number[] = sizesOf(
  'BENCH_SIZES',
  env['BENCH_SIZES'],
  '100KiB,1MiB,2.5MiB,5MiB,10MiB',
);

/** Numbers of validators. */
export const VALIDATORS: readonly number[] = countsOf(
  'BENCH_VALIDATORS',
  env['BENCH_VALIDATORS'],
  '100,300,1000',
  { from: 2, to: 65_536 },
);

/** The largest of {@link SIZES} and {@link VALIDATORS}, for what is measured at one place only. */
export const LARGEST: { readonly payloadBytes: number; readonly validators: number } = {
  payloadBytes: Math.max(...SIZES),
  validators: Math.max(...VALIDATORS),
};

/** Rounds, unless the environment says otherwise. */
export function roundsOr(usual: number): number {
  const [rounds = usual] = countsOf('BENCH_ROUNDS', env['BENCH_ROUNDS'], String(usual), {
    from: 1,
    to: 1000,
  });
  return rounds;
}

/** Bound of one bench in ms, far above what it takes. */
export const PATIENCE_MS = 1_800_000;
