/**
 * @module
 * Node features as SCALE (a bit vector) and as the text that configuration files use. What a bit
 * means is in `primitives/node-features.ts`.
 */

import { fromHex } from '../primitives/bytes.ts';
import { CodecError } from '../primitives/errors.ts';
import { MAX_NODE_FEATURE_BITS } from '../primitives/limits.ts';
import type { NodeFeatures } from '../primitives/node-features.ts';
import { type Decoded, decodePrefix, ScaleWriter, unpackBits } from './scale.ts';

/** SCALE of node features: bit count and bytes, lowest bit first (recovery spec §3.1). */
export function encodeNodeFeatures(features: NodeFeatures): Uint8Array {
  return new ScaleWriter().bits('features', features).finish();
}

/**
 * Reads node features from the front of `bytes`.
 *
 * @throws {@link CodecError} `unexpected_end`, `non_canonical_compact`, `out_of_range`.
 */
export function decodeNodeFeatures(bytes: Uint8Array): Decoded<NodeFeatures> {
  return decodePrefix(bytes, (reader) => reader.bits(MAX_NODE_FEATURE_BITS));
}

/**
 * Reads node features from text: `0` and `1` characters with bit 0 first, or `0x` and the bytes of
 * the bit vector in hex, lowest bit first, without a bit count (so a multiple of 8 bits).
 *
 * @throws {@link CodecError} `bad_hex` for any other text, `out_of_range` when it is too long.
 */
export function nodeFeaturesFromText(text: string): NodeFeatures {
  const isHex = text.startsWith('0x');
  const count = isHex ? (text.length - 2) * 4 : text.length;
  if (count > MAX_NODE_FEATURE_BITS) {
    throw new CodecError('out_of_range', `node features of ${count} bits`, {
      offset: 0,
      count,
      maxBits: MAX_NODE_FEATURE_BITS,
    });
  }
  if (isHex) {
    return unpackBits(fromHex(text), count);
  }
  const odd = text.search(/[^01]/);
  if (odd >= 0) {
    throw new CodecError('bad_hex', 'node features: expected 0 and 1 only, or 0x and hex', {
      offset: odd,
    });
  }
  return Array.from(text, (bit) => bit === '1');
}
