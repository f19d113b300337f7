/**
 * @module
 * Coefficient rows: the specification's examples, and interpolation.
 */

import { describe, expect, it } from 'vitest';
import { CODEC_V1 } from '../../../src/erasure/index.ts';
import { coefficientRows } from '../../../src/erasure/kernel/coefficient-rows.ts';
import { decodePlan } from '../../../src/erasure/kernel/decode-plan.ts';
import { toTower } from '../../../src/erasure/kernel/tower-field.ts';
import { interpolate } from '../naive.ts';

const hex = (text: string): number => Number.parseInt(text, 16);

function rowsOf(n: number, received: readonly number[], targets: readonly number[]): number[] {
  const plan = decodePlan(CODEC_V1.parameters(n), received);
  return [...coefficientRows(plan, targets).factors].map(toTower);
}

describe('coefficientRows', () => {
  it.each([
    [8, [1, 4], 0, '000e 000f'],
    [8, [2, 5], 7, '000e 000f'],
    [16, [0, 3, 9, 12], 1, '000e 000b 000e 000a'],
    [32, [1, 2, 3, 4, 5, 6, 7, 8], 0, '000a 0009 0004 0007 0005 0003 000f 0008'],
    [32, [0, 5, 9, 12, 17, 20, 21, 22], 31, '0042 00ea 00e8 0069 00f1 00b2 006c 0007'],
  ])(
    'gives the example of the specification for n = %i, A = %j, j = %i',
    (n, received, target, row) => {
      expect(rowsOf(n, received, [target])).toEqual(row.split(' ').map(hex));
    },
  );

  it('gives the Lagrange coefficients, parity positions among the targets', () => {
    const n = 300;
    const received = Array.from({ length: 64 }, (_, i) => (i < 50 ? i : 4 * i + 40));
    const targets = [51, 63, 200, 299];
    const k = received.length;
    const rows = rowsOf(n, received, targets);
    for (const [t, input] of [
      [0, 3],
      [1, 63],
      [2, 0],
      [3, 57],
    ] as const) {
      const points = new Map(received.map((position, i) => [position, i === input ? 1 : 0]));
      expect(rows[t * k + input], `target ${t}`).toBe(interpolate(points, targets[t]!));
    }
  });

  it('refuses more positions than a combination has inputs', () => {
    expect(() => rowsOf(8, [1, 4, 5], [0])).toThrow(RangeError);
  });
});
