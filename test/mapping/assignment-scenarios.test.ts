/**
 * @module
 * R51 and R52 (recovery spec §7.3): when the mapping is on, and the lists that are frozen.
 */

import { describe, expect, it } from 'vitest';
import { chunkMapping, schemeOf } from '../../src/mapping/assignment.ts';
import { validatorIndex } from '../../src/primitives/ids.ts';
import type { NodeFeatures } from '../../src/primitives/node-features.ts';

const ALL_20 = Array.from({ length: 20 }, (_, i) => i);

/** The whole list of a core, as the node features select it. */
function listOf(features: NodeFeatures, validatorCount: number, coreIndex: number): number[] {
  const mapping = chunkMapping({ scheme: schemeOf(features), validatorCount, coreIndex });
  const list = mapping.chunkByValidator();
  expect(list.map((_, v) => mapping.chunkOf(validatorIndex(v)))).toEqual(list);
  return [...list];
}

describe('R51: 20 validators, cores 0 to 14', () => {
  it.each<[string, NodeFeatures]>([
    ['no feature', []],
    ['features that end before the bit', [true, true]],
    ['every other bit', [true, true, false, true, true]],
  ])('%s: is the identity on every core', (_name, features) => {
    for (let core = 0; core < 15; core += 1) {
      expect(listOf(features, 20, core), `core ${core}`).toEqual(ALL_20);
    }
  });

  it('the bit: a permutation on every core, another one on the next', () => {
    const lists = Array.from({ length: 15 }, (_, core) => listOf([false, false, true], 20, core));
    for (const [core, list] of lists.entries()) {
      expect(
        list.toSorted((a, b) => a - b),
        `core ${core}`,
      ).toEqual(ALL_20);
      expect(list, `cores ${core} and ${core + 1}`).not.toEqual(lists[core + 1]);
    }
  });
});

describe('R52: 7 validators', () => {
  // recovery spec §3.2.
  it.each([
    [0, '0123456'],
    [1, '2345601'],
    [2, '4560123'],
    [3, '6012345'],
    [4, '1234560'],
  ])('core %i: %s', (core, expected) => {
    expect(listOf([false, false, true], 7, core).join('')).toBe(expected);
  });
});
