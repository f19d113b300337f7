/**
 * @module
 * What decoding in blocks needs to know about the positions received: one factor for each position, in
 * the tower form that the kernel multiplies by. Plain data; it depends on the pattern alone.
 *
 * The plain form is `locatorLogs` with `decode-v1.ts`. Here the Walsh transform works on residues around
 * zero, in which even 16 layers stay within 32 bits, so that no layer reduces.
 */

import type { CodeParameters } from '../codec.ts';
import { toTower, towerExp, towerLog } from './tower-field.ts';

/** Units of the field; logarithms are added modulo it. */
const UNITS = 65_535;

/** Half of {@link UNITS}: residues are kept in -32767 .. 32767. */
const HALF_UNITS = 32_767;

/**
 * How to decode from one pattern of received positions (erasure spec §4.4–4.7). Plain data that can be
 * sent to other threads.
 */
export type DecodePlan = {
  /** Data rows, k. */
  readonly systematicThreshold: number;
  /** Positions that exist, N. */
  readonly validatorCount: number;
  /** Positions received, ascending; k or more. All others count as erased. */
  readonly received: Uint16Array;
  /**
   * By position: `S_i = Σ LOG[i ⊕ a]` over the received `a ≠ i`, modulo 65535. The locator's logarithm
   * of §4.4 is `-S_i`.
   */
  readonly logs: Uint16Array;
  /**
   * By position in block b, in tower form, with `ω_0` read as 1. Received: `exp(-S_i) / ω_b`, which
   * multiplies the row before the inverse transform, the constant of §4.6 included. Erased:
   * `exp(S_i) · ω_b`, which multiplies what comes out of the transform of block b over these.
   */
  readonly weights: Uint16Array;
};

function residue(value: number): number {
  const rest = value % UNITS;
  if (rest > HALF_UNITS) {
    return rest - UNITS;
  }
  return rest < -HALF_UNITS ? rest + UNITS : rest;
}

/** Walsh-Hadamard transform in place. The length is a power of two up to 65,536; nothing is reduced. */
function walshHadamard(values: Int32Array): void {
  for (let half = 1; half < values.length; half <<= 1) {
    for (let block = 0; block < values.length; block += 2 * half) {
      for (let i = block; i < block + half; i += 1) {
        const a = values[i]!;
        const b = values[i + half]!;
        values[i] = a + b;
        values[i + half] = a - b;
      }
    }
  }
}

/** Transforms of the logarithms by code length: one for each length in use, 16 at most. */
const LOG_SPECTRA = new Map<number, Int32Array>();

/** The transform of `LOG[0 .. length - 1]` with `LOG[0] = 0`, in residues. */
function logSpectrum(length: number): Int32Array {
  const known = LOG_SPECTRA.get(length);
  if (known !== undefined) {
    return known;
  }
  const spectrum = new Int32Array(length);
  for (let symbol = 1; symbol < length; symbol += 1) {
    spectrum[symbol] = residue(towerLog(toTower(symbol)));
  }
  walshHadamard(spectrum);
  for (let i = 0; i < length; i += 1) {
    spectrum[i] = residue(spectrum[i]!);
  }
  LOG_SPECTRA.set(length, spectrum);
  return spectrum;
}

/** `S_i` of {@link DecodePlan} for all positions of the mother code. */
function receivedLogs(received: Uint16Array, length: number): Int32Array {
  const sums = new Int32Array(length);
  for (const position of received) {
    sums[position] = 1;
  }
  walshHadamard(sums);
  const spectrum = logSpectrum(length);
  for (let i = 0; i < length; i += 1) {
    sums[i] = residue(sums[i]! * spectrum[i]!);
  }
  walshHadamard(sums);
  // 2^16 = 1 (mod 65535), so dividing by the length is multiplying by 2^16 / length.
  const scale = 65_536 / length;
  for (let i = 0; i < length; i += 1) {
    const rest = sums[i]! % UNITS;
    sums[i] = ((rest < 0 ? rest + UNITS : rest) * scale) % UNITS;
  }
  return sums;
}

function planDecode(parameters: CodeParameters, received: Uint16Array): DecodePlan {
  const { systematicThreshold: k, validatorCount, codeLength } = parameters;
  const sums = receivedLogs(received, codeLength);
  const weights = new Uint16Array(validatorCount);
  let blockLog = 0;
  let next = 0;
  for (let i = 0; i < validatorCount; i += 1) {
    if (i % k === 0 && i > 0) {
      blockLog = towerLog(toTower(i / k));
    }
    const log = (sums[i]! + blockLog) % UNITS;
    const isReceived = received[next] === i;
    next += isReceived ? 1 : 0;
    weights[i] = towerExp(isReceived && log > 0 ? UNITS - log : log);
  }
  return {
    systematicThreshold: k,
    validatorCount,
    received,
    logs: Uint16Array.from(sums.subarray(0, validatorCount)),
    weights,
  };
}

/** Plans kept: a few recoveries at a time, each of which asks for its plan more than once. */
const KEPT_PLANS = 8;

/** The plans asked for last, the latest first. */
const PLANS: DecodePlan[] = [];

function isPlanFor(plan: DecodePlan, validatorCount: number, received: Uint16Array): boolean {
  return (
    plan.validatorCount === validatorCount &&
    plan.received.length === received.length &&
    plan.received.every((position, i) => position === received[i])
  );
}

/**
 * The plan for a pattern, made or found among the last few.
 *
 * Cost: two Walsh transforms of the code's length; 0.04 ms at length 1024 once compiled.
 *
 * @param received - Positions below the validator count, ascending, `systematicThreshold` or more. The
 *   plan keeps a copy.
 */
export function decodePlan(parameters: CodeParameters, received: ArrayLike<number>): DecodePlan {
  const positions = Uint16Array.from(received);
  const found = PLANS.findIndex((plan) => isPlanFor(plan, parameters.validatorCount, positions));
  const plan = found < 0 ? planDecode(parameters, positions) : PLANS.splice(found, 1)[0]!;
  PLANS.unshift(plan);
  PLANS.length = Math.min(PLANS.length, KEPT_PLANS);
  return plan;
}
