/**
 * @module
 * Tower arithmetic against the field's own tables, and its constants against their derivation.
 */

import { describe, expect, it } from 'vitest';
import { fieldTables, multiply } from '../../../src/erasure/field.ts';
import {
  multiplyTower,
  toTower,
  towerExp,
  towerLog,
} from '../../../src/erasure/kernel/tower-field.ts';

describe('toTower', () => {
  it('gives the worked example of the specification', () => {
    expect(toTower(0x1234)).toBe(0x1271);
    expect(toTower(0xc705)).toBe(0xc759);
  });

  it('adds the part of v_(8+i) that is not v_8 * v_i, and undoes itself', () => {
    for (let i = 0; i < 8; i += 1) {
      const step = (256 << i) ^ multiply(256, 1 << i);
      expect(toTower(256 << i), `v_${8 + i}`).toBe((256 << i) ^ step);
    }
    for (let symbol = 0; symbol < 65_536; symbol += 1) {
      if (toTower(toTower(symbol)) !== symbol) {
        expect.unreachable(`symbol ${symbol}`);
      }
    }
  });
});

describe('towerLog and towerExp', () => {
  it('agree with the tables of the field for every unit', () => {
    const { exp, log } = fieldTables();
    for (let symbol = 1; symbol < 65_536; symbol += 1) {
      const unit = toTower(symbol);
      if (towerLog(unit) !== log[symbol] || towerExp(log[symbol]!) !== unit) {
        expect.unreachable(`symbol ${symbol}, x^${exp[log[symbol]!]}`);
      }
    }
  });
});

describe('multiplyTower', () => {
  it('agrees with the product of the field', () => {
    for (let a = 0; a < 65_536; a += 251) {
      for (let b = 0; b < 65_536; b += 257) {
        if (toTower(multiplyTower(toTower(a), toTower(b))) !== multiply(a, b)) {
          expect.unreachable(`${a} * ${b}`);
        }
      }
    }
  });
});
