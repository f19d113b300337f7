import { describe, expect, it } from 'vitest';
import { CODING_V1 } from '../../src/coding/coding.ts';
import { FAST_HEX_TRIE } from '../../src/coding/fast-commitment.ts';
import { HEX_TRIE_COMMITMENT } from '../../src/commitment/commitment.ts';
import { CODEC_V1, PLAIN_CODEC_V1 } from '../../src/erasure/index.ts';

describe('CODING_V1', () => {
  it('is the one code, whatever the features', () => {
    for (const features of [[], [true, true, true, true, true]]) {
      expect(CODING_V1(features)).toMatchObject({
        codec: CODEC_V1,
        commitment: FAST_HEX_TRIE,
        plain: { codec: PLAIN_CODEC_V1, commitment: HEX_TRIE_COMMITMENT },
      });
    }
  });
});
