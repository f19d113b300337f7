/**
 * @module
 * Node features as text and as a bit vector.
 */

import { describe, expect, it } from 'vitest';
import {
  decodeNodeFeatures,
  encodeNodeFeatures,
  nodeFeaturesFromText,
} from '../../src/codec/node-features.ts';
import { fromHex, toHex } from '../../src/primitives/bytes.ts';
import { MAX_NODE_FEATURE_BITS } from '../../src/primitives/limits.ts';
import { faultOf } from './faults.ts';

function text(features: readonly boolean[]): string {
  return features.map((isSet) => (isSet ? '1' : '0')).join('');
}

describe('nodeFeaturesFromText', () => {
  it.each([
    ['', ''],
    ['001', '001'],
    ['0x', ''],
    ['0x04', '00100000'],
    ['0x0401', '0010000010000000'],
    ['0xFf', '11111111'],
  ])('reads %j', (input, bits) => {
    expect(text(nodeFeaturesFromText(input))).toBe(bits);
  });

  it.each([
    ['a digit other than 0 and 1', '012', 2],
    ['a space', ' 01', 0],
    ['characters of another script', '0１', 1],
    ['bytes without a prefix', 'ff', 0],
  ])('refuses %s', (_, input, offset) => {
    expect(faultOf(() => nodeFeaturesFromText(input))).toEqual(['bad_hex', offset]);
  });

  it.each(['0x4', '0xzz', '0x0x00'])('refuses %j', (input) => {
    expect(faultOf(() => nodeFeaturesFromText(input))[0]).toBe('bad_hex');
  });

  it('refuses more bits than the limit', () => {
    const most = '0'.repeat(MAX_NODE_FEATURE_BITS);
    expect(nodeFeaturesFromText(most)).toHaveLength(MAX_NODE_FEATURE_BITS);
    expect(faultOf(() => nodeFeaturesFromText(`${most}0`))[0]).toBe('out_of_range');
    const hex = `0x${'0'.repeat(MAX_NODE_FEATURE_BITS / 4 + 2)}`;
    expect(faultOf(() => nodeFeaturesFromText(hex))[0]).toBe('out_of_range');
  });
});

describe('decodeNodeFeatures', () => {
  it('ignores unused high bits, which encoding does not bring back', () => {
    const { value, bytesRead } = decodeNodeFeatures(fromHex('0cfc'));
    expect([text(value), bytesRead, toHex(encodeNodeFeatures(value))]).toEqual(['001', 2, '0c04']);
  });

  it('refuses a bit count of 2^30 before it takes memory', () => {
    expect(faultOf(() => decodeNodeFeatures(fromHex('0300000040')))).toEqual(['out_of_range', 0]);
  });
});
