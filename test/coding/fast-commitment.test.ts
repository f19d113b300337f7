/**
 * @module
 * The fast commitment is the plain one: root, proofs, errors.
 */

import { beforeAll, describe, expect, it } from 'vitest';
import { FAST_HEX_TRIE } from '../../src/coding/fast-commitment.ts';
import { HEX_TRIE_COMMITMENT } from '../../src/commitment/commitment.ts';
import { hashReady } from '../../src/primitives/hash.ts';
import { chunkIndex } from '../../src/primitives/ids.ts';
import { bytesOf } from './fixture.ts';

beforeAll(hashReady);

/** Chunks of one length, or of several. */
const chunksOf = (n: number, bytes: number, isMixed = false): Uint8Array[] =>
  Array.from({ length: n }, (_, i) => bytesOf(isMixed ? (i * 7) % bytes : bytes, i));

describe('FAST_HEX_TRIE', () => {
  it.each([2, 3, 16, 17, 100, 256, 257, 300, 1000, 4097])(
    'commits to %i chunks as the plain commitment does',
    (n) => {
      const chunks = chunksOf(n, 40);
      const plain = HEX_TRIE_COMMITMENT.commit(chunks);
      expect(FAST_HEX_TRIE.commit(chunks)).toEqual(plain);
      expect(FAST_HEX_TRIE.root(chunks)).toEqual(plain.root);
      expect(FAST_HEX_TRIE.prove(chunks, n - 1)).toEqual(plain.proofs[n - 1]);
    },
  );

  it('commits to chunks of any lengths, empty ones and such that fill its memory included', () => {
    const chunks = [...chunksOf(30, 300, true), new Uint8Array(0), bytesOf(5_000_000, 1)];
    expect(FAST_HEX_TRIE.commit(chunks)).toEqual(HEX_TRIE_COMMITMENT.commit(chunks));
  });

  it('hands out proofs that later calls do not change', () => {
    const chunks = chunksOf(20, 40);
    const { root, proofs } = FAST_HEX_TRIE.commit(chunks);
    FAST_HEX_TRIE.commit(chunksOf(20, 60));
    const chunk = { bytes: chunks[7]!, chunkIndex: chunkIndex(7), proof: proofs[7]! };
    const question = { erasureRoot: root, chunk, validatorCount: 20 };
    expect(FAST_HEX_TRIE.verifyChunk(question).type).toBe('verified');
  });

  it.each([[], [new Uint8Array(2)]])(
    'throws what the plain commitment throws for too few',
    (...chunks) => {
      expect(() => FAST_HEX_TRIE.commit(chunks)).toThrow('validators');
      expect(() => FAST_HEX_TRIE.root(chunks)).toThrow('validators');
    },
  );

  it('refuses to prove what is not there', () => {
    expect(() => FAST_HEX_TRIE.prove(chunksOf(5, 4), 5)).toThrow(RangeError);
  });
});
