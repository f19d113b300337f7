/**
 * @module
 * The rotation of RFC-47 on bare numbers: place in the validator list to place in the code and back.
 * Which scheme a session uses, and the branded indices, are the matter of `assignment.ts`.
 */

/** How far the places of one core are turned (recovery spec §3.2). */
export type Rotation = {
  /** n, at least 1. */
  readonly validatorCount: number;
  /** The largest power of two that is at most f + 1. Not f + 1, and not n / 3. */
  readonly systematicThreshold: number;
  /** The core that the candidate occupied when it was backed. */
  readonly coreIndex: number;
};

/** Core indices travel as `u32`. */
const MAX_CORE_INDEX = 2 ** 32 - 1;

/** @throws RangeError when `coreIndex` is no 32-bit number. */
export function assertCoreIndex(coreIndex: number): void {
  if (!Number.isInteger(coreIndex) || coreIndex < 0 || coreIndex > MAX_CORE_INDEX) {
    throw new RangeError(
      `coreIndex: expected an integer in 0..${MAX_CORE_INDEX}, got ${coreIndex}`,
    );
  }
}

/** Remainder in 0 .. modulus - 1, also of a negative number. Exact below 2^53. */
function modulo(value: number, modulus: number): number {
  return ((value % modulus) + modulus) % modulus;
}

/** `(core * systematicThreshold + place) mod n`: below 2^47, so plain numbers are exact. */
export function rotate(place: number, rotation: Rotation): number {
  const { coreIndex, systematicThreshold, validatorCount } = rotation;
  return modulo(place + coreIndex * systematicThreshold, validatorCount);
}

/** The place that {@link rotate} takes to `position`. */
export function rotateBack(position: number, rotation: Rotation): number {
  const { coreIndex, systematicThreshold, validatorCount } = rotation;
  return modulo(position - coreIndex * systematicThreshold, validatorCount);
}
