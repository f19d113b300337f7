/**
 * @module
 * Missing rows as linear combinations of exactly k received ones (erasure spec §4.9): the cheaper way
 * when few are missing. Plain data; the kernel multiplies.
 */

import type { DecodePlan } from './decode-plan.ts';
import { toTower, towerExp, towerLog } from './tower-field.ts';

/** Units of the field; logarithms are added modulo it. */
const UNITS = 65_535;

/** How each of some positions follows from k others. Plain data that can be sent to other threads. */
export type CoefficientRows = {
  /** Data rows, k. */
  readonly systematicThreshold: number;
  /** The k positions read, ascending. */
  readonly received: Uint16Array;
  /** The positions computed. */
  readonly targets: Uint16Array;
  /** Coefficient of input `i` in target `t` at `t * k + i`, in tower form. None is 0. */
  readonly factors: Uint16Array;
};

/**
 * The coefficients of some erased positions.
 *
 * `LOG r = L_a - L_j - LOG[j ⊕ a]` for target `j` and input `a` (§4.9).
 *
 * @param plan - Its received positions are exactly k.
 * @param targets - Positions below the validator count that are not received.
 * @throws RangeError when the plan has more than k positions: then a row is no combination of k.
 */
export function coefficientRows(plan: DecodePlan, targets: ArrayLike<number>): CoefficientRows {
  const { systematicThreshold: k, received, logs } = plan;
  if (received.length !== k) {
    throw new RangeError(`received: expected ${k} positions, got ${received.length}`);
  }
  const factors = new Uint16Array(k * targets.length);
  let at = 0;
  for (let t = 0; t < targets.length; t += 1) {
    const target = targets[t]!;
    const targetLog = logs[target]! + 2 * UNITS;
    for (const input of received) {
      const log = targetLog - logs[input]! - towerLog(toTower(target ^ input));
      factors[at] = towerExp(log % UNITS);
      at += 1;
    }
  }
  return { systematicThreshold: k, received, targets: Uint16Array.from(targets), factors };
}
