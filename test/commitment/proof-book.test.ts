/**
 * @module
 * The proof book: which nodes it hashes, what it keeps, and what one liar costs the others.
 */

import { describe, expect, it } from 'vitest';
import { HEX_TRIE_COMMITMENT } from '../../src/commitment/commitment.ts';
import { type DigestsAt, type HashedChunk, ProofBook } from '../../src/commitment/proof-book.ts';
import { trieLayout } from '../../src/commitment/trie-layout.ts';
import { concatBytes, toHex } from '../../src/primitives/bytes.ts';
import { hasCode } from '../../src/primitives/errors.ts';
import { blake2b256, hashReady } from '../../src/primitives/hash.ts';
import { chunkIndex } from '../../src/primitives/ids.ts';

await hashReady();

const N = 300;
const chunks = Array.from({ length: N }, (_, i) => Uint8Array.of(i & 255, i >> 8));
const { root, proofs } = HEX_TRIE_COMMITMENT.commit(chunks);
const ALL: readonly number[] = chunks.map((_, i) => i);

/** A question with bytes of its own, as from the wire; `change` may damage the proof. */
function ask(index: number, change: (proof: Uint8Array[]) => void = () => {}): HashedChunk {
  const proof = proofs[index]!.map((node) => node.slice());
  change(proof);
  const bytes = chunks[index]!;
  return { chunk: { bytes, chunkIndex: chunkIndex(index), proof }, digest: blake2b256(bytes) };
}

/** A book that writes down what it has hashed, call by call. */
function countingBook(): { readonly book: ProofBook; readonly calls: (readonly string[])[] } {
  const calls: (readonly string[])[] = [];
  const book = new ProofBook(root, N, (memory, groups) => {
    const nodes = groups.flatMap(({ bytes, at }) =>
      at.map((from) => memory.subarray(from, from + bytes)),
    );
    calls.push(nodes.map(toHex));
    return concatBytes(nodes.map((node) => blake2b256(node)));
  });
  return { book, calls };
}

const typesOf = (book: ProofBook, batch: readonly HashedChunk[]): string[] => [
  ...new Set(book.verify(batch).map(({ type }) => type)),
];

describe('ProofBook.verify', () => {
  it('hashes every node of a trie once, all together', () => {
    const { book, calls } = countingBook();
    expect(
      typesOf(
        book,
        ALL.map((i) => ask(i)),
      ),
    ).toEqual(['verified']);
    expect(calls.length).toBe(1);
    expect(calls[0]!.length).toBe(trieLayout(N).nodeCount);
    expect(new Set(calls[0]).size).toBe(trieLayout(N).nodeCount);
    const pathNodes = proofs.reduce((sum, proof) => sum + proof.length, 0);
    expect(book.hashedNodes).toBe(trieLayout(N).nodeCount);
    expect(book.reusedNodes).toBe(pathNodes - book.hashedNodes);
  });

  it('hashes nothing but leaves on paths that earlier batches proved', () => {
    const { book, calls } = countingBook();
    book.verify([ask(16)]);
    expect(calls[0]!.length).toBe(proofs[16]!.length);
    book.verify([ask(16), ask(272)]);
    expect(calls[1]!.toSorted()).toEqual(
      [16, 272].map((i) => toHex(proofs[i]!.at(-1)!)).toSorted(),
    );
  });

  it('hands out the chunk that it was asked about', () => {
    const question = ask(7);
    expect(new ProofBook(root, N).verify([question])).toEqual([
      { type: 'verified', chunk: question.chunk },
    ]);
  });

  it('hashes the inner nodes of a proof that comes twice in a batch once', () => {
    const { book, calls } = countingBook();
    expect(typesOf(book, [ask(5), ask(5)])).toEqual(['verified']);
    expect(calls[0]!.length).toBe(proofs[5]!.length + 1);
  });

  it('accepts honest proofs by itself though a liar in the batch came first', () => {
    const { book, calls } = countingBook();
    const lie = ask(0, ([first]) => {
      first![10]! ^= 1;
    });
    const answers = book.verify([lie, ...ALL.map((i) => ask(i))]);
    expect(answers[0]).toEqual({ type: 'invalid', reason: 'invalid_branch_proof' });
    expect(answers.slice(1).every(({ type }) => type === 'verified')).toBe(true);
    // The liar's proof, and the whole trie.
    expect(calls.flat().length).toBe(lie.chunk.proof.length + trieLayout(N).nodeCount);
  });

  it('compares only so many different lies about a node with each other', () => {
    const { book, calls } = countingBook();
    const lies = ALL.slice(0, 100).map((i) =>
      ask(0, ([first]) => {
        first![4 + (i % 16)]! ^= 1 + (i >> 4);
      }),
    );
    const answers = book.verify([...lies, ask(0), ask(1)]);
    expect(answers.slice(0, 100).every(({ type }) => type === 'invalid')).toBe(true);
    expect(answers.slice(100).map(({ type }) => type)).toEqual(['verified', 'verified']);
    expect(calls.flat().length).toBeLessThan(20);
    expect(typesOf(book, [ask(0), ask(1)])).toEqual(['verified']);
  });

  it('does not keep the bytes that it was given', () => {
    const book = new ProofBook(root, N);
    const question = ask(3);
    book.verify([question]);
    for (const node of question.chunk.proof) {
      node.fill(0);
    }
    expect(typesOf(book, [ask(3), ask(4)])).toEqual(['verified']);
  });

  it('is not misled by a change of the root that it was made with', () => {
    const own = root.slice();
    const book = new ProofBook(own, N);
    own.fill(0);
    expect(typesOf(book, [ask(3)])).toEqual(['verified']);
  });

  it('takes no root that is longer or shorter than a hash for the hash in it', () => {
    for (const wrong of [concatBytes([root, Uint8Array.of(0)]), root.subarray(0, 31)]) {
      expect(typesOf(new ProofBook(wrong, N), [ask(3)])).toEqual(['invalid']);
    }
  });

  it('refuses a foreign chunk though its proof is known', () => {
    const book = new ProofBook(root, N);
    book.verify(ALL.map((i) => ask(i)));
    const bytes = Uint8Array.of(1, 2, 3);
    const foreign = { ...ask(9), digest: blake2b256(bytes) };
    expect(book.verify([{ ...foreign, chunk: { ...foreign.chunk, bytes } }])).toEqual([
      { type: 'invalid', reason: 'chunk_hash_mismatch' },
    ]);
  });

  it('answers by the bytes when the digest it was given is wrong', () => {
    const book = new ProofBook(root, N);
    expect(typesOf(book, [{ ...ask(9), digest: new Uint8Array(32) }])).toEqual(['verified']);
    expect(typesOf(book, [{ ...ask(9), digest: new Uint8Array(3) }])).toEqual(['verified']);
  });

  it('throws for nodes that are no bytes, as verifyChunk does', () => {
    const book = new ProofBook(root, N);
    book.verify([ask(0)]);
    const wrong = ask(0, (proof) => {
      proof[0] = Array.from(proof[0]!) as unknown as Uint8Array;
    });
    expect(() => book.verify([wrong])).toThrow(TypeError);
  });

  it('answers an empty batch, and hashes nothing for it', () => {
    const { book, calls } = countingBook();
    expect(book.verify([])).toEqual([]);
    expect(calls).toEqual([]);
  });
});

/** Hashes of some chunks, one behind the other, as `judge` takes them. */
function digestsOf(indices: readonly number[]): DigestsAt {
  return {
    memory: concatBytes(indices.map((i) => blake2b256(chunks[i]!))),
    at: indices.map((_, place) => 32 * place),
  };
}

describe('claims', () => {
  it('are judged together, and nothing of a proof is needed after it was claimed', () => {
    const book = new ProofBook(root, N);
    const claims = ALL.map((i) => {
      const { chunk } = ask(i);
      const claim = book.claim(chunk);
      for (const node of chunk.proof) {
        node.fill(0);
      }
      return claim;
    });
    expect(new Set(claims).size).toBe(N);
    expect(Math.min(...claims)).toBe(0);
    expect(book.judge(claims, digestsOf(ALL)).every((proof) => proof === undefined)).toBe(true);
  });

  it('give proofs back: of the proven from their hashes, of the others as they came', () => {
    const book = new ProofBook(root, N);
    const lie = ask(9, (proof) => {
      proof.at(-1)![20]! ^= 1;
    });
    const claims = [book.claim(ask(7).chunk), book.claim(lie.chunk), book.claim(ask(8).chunk)];
    const [right, wrong, foreign] = book.judge(claims, digestsOf([7, 9, 9]));
    expect(right).toBeUndefined();
    expect(wrong).toEqual(lie.chunk.proof);
    expect(foreign).toEqual(proofs[8]);
    expect(book.proofOf(7, blake2b256(chunks[7]!))).toEqual(proofs[7]);
  });

  it('are none for proofs of another form, or against what was claimed before', () => {
    const book = new ProofBook(root, N);
    const spoilt = (at: number, byte: number): HashedChunk =>
      ask(3, (proof) => {
        proof[at]![byte]! ^= 1;
      });
    expect(book.claim(spoilt(0, 0).chunk)).toBe(-1);
    expect(book.claim(spoilt(proofs[3]!.length - 1, 0).chunk)).toBe(-1);
    expect(book.claim({ ...ask(3).chunk, chunkIndex: chunkIndex(N) })).toBe(-1);
    expect(book.claim({ ...ask(3).chunk, proof: proofs[3]!.slice(1) })).toBe(-1);
    expect(book.claim(ask(3).chunk)).toBeGreaterThanOrEqual(0);
    expect(book.claim(spoilt(0, 20).chunk)).toBe(-1);
    expect(book.claim(ask(4).chunk)).toBeGreaterThanOrEqual(0);
  });

  it('that are judged later are refused for the lies that they shared with earlier ones', () => {
    const book = new ProofBook(root, N);
    const lie = (index: number): HashedChunk =>
      ask(index, ([first]) => {
        first![10]! ^= 1;
      });
    const early = book.claim(lie(3).chunk);
    const late = book.claim(lie(4).chunk);
    expect(book.judge([early], digestsOf([3]))).toEqual([lie(3).chunk.proof]);
    // The lie is still somebody's proof: who says otherwise is for `verify`.
    expect(book.claim(ask(5).chunk)).toBe(-1);
    expect(typesOf(book, [ask(5)])).toEqual(['verified']);
    expect(book.judge([late], digestsOf([4]))).toEqual([lie(4).chunk.proof]);
    expect(book.claim(ask(5).chunk)).toBeGreaterThanOrEqual(0);
  });

  it('leave room for others when they are dropped', () => {
    const book = new ProofBook(root, N);
    for (let i = 0; i < 10_000; i += 1) {
      book.drop(book.claim(ask(i % N).chunk));
    }
    expect(book.claim(ask(1).chunk)).toBe(0);
  });
});

describe('misuse of ProofBook', () => {
  it('refuses counts that the code does not have', () => {
    expect(() => new ProofBook(root, 1)).toThrow(
      expect.toSatisfy((error) => hasCode(error, 'not_enough_validators')),
    );
  });
});
