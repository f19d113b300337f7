/**
 * @module
 * Attacks on the check of a chunk, and the difference between the reference's verdict and ours.
 */

import { describe, expect, it } from 'vitest';
import { HEX_TRIE_COMMITMENT } from '../../src/commitment/commitment.ts';
import { buildTrie } from '../../src/commitment/hex-trie.ts';
import { chunkKey, encodeBranch, encodeLeaf } from '../../src/commitment/node-format.ts';
import { proofVerdict, verifyChunk } from '../../src/commitment/verify-chunk.ts';
import { concatBytes } from '../../src/primitives/bytes.ts';
import type { TrieProof } from '../../src/primitives/chunk.ts';
import { blake2b256, hashReady } from '../../src/primitives/hash.ts';
import { chunkIndex } from '../../src/primitives/ids.ts';

await hashReady();

const N = 20;
const CHUNKS = Array.from({ length: N }, (_, i) => Uint8Array.of(i, 255 - i, 7, 7));
const { root: ROOT, proofs: PROOFS } = HEX_TRIE_COMMITMENT.commit(CHUNKS);

/** The verdict on chunk 3, with some of it replaced. */
function verdict(
  changed: {
    index?: number;
    bytes?: Uint8Array;
    proof?: TrieProof;
    root?: Uint8Array;
    n?: number;
  } = {},
): string {
  const answer = verifyChunk({
    erasureRoot: changed.root ?? ROOT,
    chunk: {
      bytes: changed.bytes ?? CHUNKS[3]!,
      chunkIndex: chunkIndex(changed.index ?? 3),
      proof: changed.proof ?? PROOFS[3]!,
    },
    validatorCount: changed.n ?? N,
  });
  return answer.type === 'verified' ? 'verified' : answer.reason;
}

describe('verifyChunk', () => {
  it('verifies every honest chunk', () => {
    CHUNKS.forEach((bytes, index) => {
      expect(verdict({ index, bytes, proof: PROOFS[index]! }), `chunk ${index}`).toBe('verified');
    });
  });

  it('hands back the chunk itself, bytes uncopied', () => {
    const chunk = { bytes: CHUNKS[3]!, chunkIndex: chunkIndex(3), proof: PROOFS[3]! };
    const answer = verifyChunk({ erasureRoot: ROOT, chunk, validatorCount: N });
    expect(answer).toEqual({ type: 'verified', chunk });
    expect(answer.type === 'verified' && answer.chunk.bytes).toBe(CHUNKS[3]);
  });

  it.each([
    2 ** 32 + 3,
    -1,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    N,
    2 ** 32 - 1,
    3 - 2 ** 32,
  ])('rejects index %d before it reads the trie', (index) => {
    expect(verdict({ index })).toBe('chunk_index_out_of_range');
    expect(verdict({ index, proof: [] })).toBe('chunk_index_out_of_range');
  });

  it('rejects a proven index at or above the number of validators', () => {
    expect(verdict({ n: 3 })).toBe('chunk_index_out_of_range');
    const entries = [...CHUNKS, Uint8Array.of(1)].map((bytes, i) => ({
      key: chunkKey(i),
      value: blake2b256(bytes),
    }));
    const hostile = buildTrie(entries);
    const surplus = {
      root: hostile.root,
      index: N,
      bytes: Uint8Array.of(1),
      proof: hostile.proofs[N]!,
    };
    expect(verdict(surplus)).toBe('chunk_index_out_of_range');
    expect(verdict({ ...surplus, n: N + 1 })).toBe('verified');
  });

  it('rejects one flipped bit in the chunk', () => {
    expect(verdict({ bytes: Uint8Array.of(3, 252, 7, 6) })).toBe('chunk_hash_mismatch');
  });

  it('rejects a chunk that is longer, shorter or empty', () => {
    for (const bytes of [
      concatBytes([CHUNKS[3]!, Uint8Array.of(0, 0)]),
      CHUNKS[3]!.subarray(2),
      new Uint8Array(0),
    ]) {
      expect(verdict({ bytes })).toBe('chunk_hash_mismatch');
    }
  });

  it('rejects a proof for another index', () => {
    expect(verdict({ index: 4 })).toBe('invalid_branch_proof');
    expect(verdict({ proof: PROOFS[4]! })).toBe('invalid_branch_proof');
  });

  it('rejects another root, and a root of another size', () => {
    expect(verdict({ root: blake2b256(ROOT) })).toBe('invalid_branch_proof');
    expect(verdict({ root: new Uint8Array(0) })).toBe('invalid_branch_proof');
    expect(verdict({ root: ROOT.subarray(1) })).toBe('invalid_branch_proof');
  });

  it('rejects a missing node, an empty proof and an empty node', () => {
    const [top, middle, bottom] = PROOFS[3]!;
    for (const proof of [
      [],
      [new Uint8Array(0)],
      [top!, middle!],
      [top!, bottom!],
      [middle!, bottom!],
    ]) {
      expect(verdict({ proof }), `${proof.length} nodes`).toBe('invalid_branch_proof');
    }
  });

  it('rejects every single bit flipped in the proof', () => {
    PROOFS[3]!.forEach((node, at) => {
      for (let bit = 0; bit < 8 * node.length; bit += 1) {
        const flipped = node.slice();
        flipped[bit >> 3]! ^= 1 << (bit & 7);
        const proof = PROOFS[3]!.map((other, i) => (i === at ? flipped : other));
        expect(verdict({ proof }), `node ${at}, bit ${bit}`).toBe('invalid_branch_proof');
      }
    });
  });

  it('does not mind order, duplicates or nodes that lead nowhere', () => {
    const [top, middle, bottom] = PROOFS[3]!;
    expect(verdict({ proof: [bottom!, top!, middle!] })).toBe('verified');
    expect(verdict({ proof: [top!, top!, Uint8Array.of(9), middle!, bottom!] })).toBe('verified');
  });

  it('throws only for a number of validators that the code does not have', () => {
    expect(() => verdict({ n: 1 })).toThrow(
      expect.objectContaining({ code: 'not_enough_validators' }),
    );
    expect(() => verdict({ n: 65_537 })).toThrow(
      expect.objectContaining({ code: 'too_many_validators' }),
    );
  });
});

describe('proofVerdict', () => {
  it('gives the value of an honest index', () => {
    expect(proofVerdict(ROOT, PROOFS[3]!, 3)).toEqual({
      type: 'value',
      value: blake2b256(CHUNKS[3]!),
    });
  });

  it('cuts the index to 32 bits, as the reference does', () => {
    expect(proofVerdict(ROOT, PROOFS[3]!, 2 ** 32 + 3)).toEqual(proofVerdict(ROOT, PROOFS[3]!, 3));
  });

  it('finds every index out of bounds under the empty root, without any node', () => {
    const empty = buildTrie([]).root;
    expect(proofVerdict(empty, [], 0)).toEqual({ type: 'error', code: 'branch_out_of_bounds' });
  });

  it('tells an absent index from an unusable proof', () => {
    const six = HEX_TRIE_COMMITMENT.commit(CHUNKS.slice(0, 6));
    const outside = proofVerdict(six.root, six.proofs[0]!, 6);
    expect(outside).toEqual({ type: 'error', code: 'branch_out_of_bounds' });
    const other = proofVerdict(six.root, six.proofs[0]!, 5);
    expect(other).toEqual({ type: 'error', code: 'invalid_branch_proof' });
  });

  it('keeps no view of the supplied nodes', () => {
    const nodes = PROOFS[3]!.map((node) => node.slice());
    const answer = proofVerdict(ROOT, nodes, 3);
    for (const node of nodes) {
      node.fill(0);
    }
    expect(answer).toEqual({ type: 'value', value: blake2b256(CHUNKS[3]!) });
  });

  it('ends when nodes stand inside nodes, deeper than the key is long', () => {
    let node = encodeLeaf(new Uint8Array(0), new Uint8Array(32));
    for (let depth = 0; depth < 60; depth += 1) {
      node = encodeBranch(new Uint8Array(0), undefined, [{ nibble: 0, reference: node }]);
    }
    const verdict = proofVerdict(blake2b256(node), [node], 0);
    expect(verdict).toEqual({ type: 'error', code: 'branch_out_of_bounds' });
  });
});
