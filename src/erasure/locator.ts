/**
 * @module
 * The error locator of an erasure pattern: one logarithm for each position. It depends on the
 * pattern alone and is computed once for all columns.
 */

import { fieldTables, UNITS } from './field.ts';

/** Walsh-Hadamard transform modulo 65535, in place; the length is a power of two. */
function walshHadamard(values: Uint32Array): void {
  for (let half = 1; half < values.length; half <<= 1) {
    for (let block = 0; block < values.length; block += 2 * half) {
      for (let i = block; i < block + half; i += 1) {
        const a = values[i]!;
        const b = values[i + half]!;
        values[i] = (a + b) % UNITS;
        values[i + half] = (a + UNITS - b) % UNITS;
      }
    }
  }
}

/**
 * Logarithms of the locator polynomial `Λ(x) = Π (x - ω_e)` over the erased positions `e`.
 *
 * `L_i = Σ LOG[i ⊕ e]` over the erased `e ≠ i`, modulo 65535: the logarithm of `Λ(ω_i)` where `i` is
 * received and of `Λ'(ω_i)` where it is erased. The sum is a convolution over XOR, so three transforms
 * of the code's length do it.
 *
 * Source: erasure spec §4.4.
 *
 * @param erased - By position, 1 where it is erased; the length is a power of two up to 65,536.
 * @returns By position, in 0 .. 65534.
 */
export function locatorLogs(erased: Uint8Array): Uint16Array {
  const size = erased.length;
  const indicator = Uint32Array.from(erased);
  const logs = Uint32Array.from(fieldTables().log.subarray(0, size));
  walshHadamard(indicator);
  walshHadamard(logs);
  for (let i = 0; i < size; i += 1) {
    indicator[i] = (indicator[i]! * logs[i]!) % UNITS;
  }
  walshHadamard(indicator);
  // 2^16 = 1 (mod 65535), so dividing by the size is multiplying by 2^16 / size.
  return Uint16Array.from(indicator, (sum) => (sum * (65_536 / size)) % UNITS);
}
