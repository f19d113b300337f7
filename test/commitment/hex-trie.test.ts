/**
 * @module
 * Tries against published roots, the shapes of the specification, and their own proofs.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildTrie, type TrieEntry } from '../../src/commitment/hex-trie.ts';
import { decodeNode } from '../../src/commitment/node-decoder.ts';
import { chunkKey, nibblesOf } from '../../src/commitment/node-format.ts';
import { fromHex, toHex } from '../../src/primitives/bytes.ts';
import { blake2b256, hashReady } from '../../src/primitives/hash.ts';
import { SEED, seeded } from '../support/seed.ts';

await hashReady();

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

/** Entries of an erasure trie whose values stand for chunk hashes. */
const chunkEntries = (n: number): TrieEntry[] =>
  Array.from({ length: n }, (_, i) => ({ key: chunkKey(i), value: blake2b256(chunkKey(i)) }));

/** Header and partial of a node in hex: what names its shape. */
const startOf = (node: Uint8Array, bytes: number): string => toHex(node.subarray(0, bytes));

describe('nibblesOf', () => {
  it('takes the high half of each byte first', () => {
    expect([...nibblesOf(fromHex('1f20'))]).toEqual([1, 15, 2, 0]);
  });

  it('of a chunk key is the little-endian index', () => {
    expect([...nibblesOf(chunkKey(0x12345678))]).toEqual([7, 8, 5, 6, 3, 4, 1, 2]);
  });
});

describe('buildTrie', () => {
  it.each([
    [[], '03170a2e7597b7b7e3d84c05391d139a62b157e78786d8c082f29dcf4c111314'],
    [[['abcd', 'hello world']], '7ab18659d3b2789ef2400d107104c7d4fb93d06d9ab6a8b641a5de7c3fecc851'],
    [[['foo', 'bar']], 'cc561cd59bcef7911ca9d492b69fe05274a28f9c132bb70829b2cc452925e05b'],
    [
      [
        ['\x00', 'Integrated'],
        ['\x04', 'portal'],
      ],
      'ea64d09f9740275ef7faaa3cee5a6a45fc8fe655cf049addbcefa7ba2ba6032d',
    ],
  ])('gives the published root of %j', (pairs, root) => {
    const entries = pairs.map(([key, value]) => ({ key: text(key!), value: text(value!) }));
    expect(toHex(buildTrie(entries).root)).toBe(root);
  });

  it('does not depend on the order of entries, and proves each at its place', () => {
    const entries = chunkEntries(40);
    const forward = buildTrie(entries);
    const backward = buildTrie([...entries].reverse());
    expect(toHex(backward.root)).toBe(toHex(forward.root));
    expect(backward.proofs[3]).toEqual(forward.proofs[36]);
  });

  it.each([
    [16, 0, ['8100ffff', '4600000080']],
    [17, 0, ['80', '80ffff', '4600000080']],
    [17, 16, ['80', '470000000080']],
    [257, 0, ['80ffff', '80ffff', '81000300', '44000080']],
    [257, 1, ['80ffff', '80ffff', '4600000080']],
    [1000, 999, ['80ffff', '80ffff', '81000f00', '44000080']],
  ])('has the shape of the specification: n = %i, chunk %i', (n, index, starts) => {
    const proof = buildTrie(chunkEntries(n)).proofs[index]!;
    expect(proof.map((node, i) => startOf(node, (starts[i] ?? '').length / 2))).toEqual(starts);
  });

  it.each([
    [6, 7],
    [100, 108],
    [300, 361],
    [1000, 1273],
  ])('of %i chunks has %i nodes, each in memory once', (n, nodeCount) => {
    const { proofs } = buildTrie(chunkEntries(n));
    const nodes = new Set(proofs.flat());
    expect(nodes.size).toBe(nodeCount);
    expect(new Set([...nodes].map(toHex)).size).toBe(nodeCount);
  });

  it('lists no node that stands inside its parent, and keeps values in branches', () => {
    const entries = ['61', '6162', '616263', '71'].map((key) => ({
      key: fromHex(key),
      value: fromHex('07'),
    }));
    const { root, proofs } = buildTrie(entries);
    expect(proofs.map((proof) => proof.length)).toEqual([1, 1, 1, 1]);
    expect(toHex(blake2b256(proofs[0]![0]!))).toBe(toHex(root));
  });

  it('writes partial keys of 63 nibbles and more in several header bytes', () => {
    for (const nibbles of [62, 64, 316, 318, 320, 800]) {
      const key = new Uint8Array(nibbles / 2).fill(0x5a);
      const node = buildTrie([{ key, value: fromHex('01') }]).proofs[0]![0]!;
      const decoded = decodeNode(node);
      expect(decoded, `${nibbles} nibbles`).toMatchObject({
        type: 'leaf',
        partial: nibblesOf(key),
      });
    }
  });

  it(seeded('builds nodes that link by hash from the root to each value'), () => {
    const pairs = fc.uniqueArray(
      fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.uint8Array({ maxLength: 70 })),
      { minLength: 1, maxLength: 40, selector: ([key]) => toHex(key) },
    );
    fc.assert(
      fc.property(pairs, (list) => {
        const { root, proofs } = buildTrie(list.map(([key, value]) => ({ key, value })));
        list.forEach(([key, value], i) => {
          expect(toHex(blake2b256(proofs[i]![0]!))).toBe(toHex(root));
          expect(walk(proofs[i]!, nibblesOf(key))).toBe(toHex(value));
        });
      }),
      { seed: SEED, numRuns: 100 },
    );
  });
});

/** Follows a key through the nodes of a proof; throws when a node is missing or one is too many. */
function walk(proof: readonly Uint8Array[], key: Uint8Array): string {
  const [first, ...rest] = proof;
  const node = decodeNode(first!);
  if (node === undefined || node.type === 'empty') {
    throw new Error('no node');
  }
  const tail = key.subarray(node.partial.length);
  expect(key.subarray(0, node.partial.length)).toEqual(node.partial);
  if (tail.length === 0) {
    expect(rest).toEqual([]);
    return node.value?.type === 'inline' ? toHex(node.value.bytes) : 'no value';
  }
  const reference = node.type === 'branch' ? node.children[tail[0]!] : undefined;
  if (reference === undefined) {
    throw new Error('no child');
  }
  if (reference.length === 32) {
    expect(toHex(blake2b256(rest[0]!))).toBe(toHex(reference));
    return walk(rest, tail.subarray(1));
  }
  return walk([reference, ...rest], tail.subarray(1));
}
