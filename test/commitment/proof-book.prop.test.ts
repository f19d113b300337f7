/**
 * @module
 * The proof book under random attack: in random batches, one book after another verdict, every answer is
 * `verifyChunk`'s.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HEX_TRIE_COMMITMENT } from '../../src/commitment/commitment.ts';
import { buildTrie } from '../../src/commitment/hex-trie.ts';
import { chunkKey, encodeBranch, encodeLeaf } from '../../src/commitment/node-format.ts';
import { ProofBook } from '../../src/commitment/proof-book.ts';
import { verifyChunk } from '../../src/commitment/verify-chunk.ts';
import { concatBytes } from '../../src/primitives/bytes.ts';
import type { TrieProof } from '../../src/primitives/chunk.ts';
import { blake2b256, hashReady } from '../../src/primitives/hash.ts';
import { chunkIndex } from '../../src/primitives/ids.ts';
import { SEED, seeded } from '../support/seed.ts';

await hashReady();

/** A root, what it proves, and the number of validators that somebody asks with. */
type World = {
  readonly root: Uint8Array;
  readonly proofs: readonly TrieProof[];
  readonly chunks: readonly Uint8Array[];
  readonly validatorCount: number;
};

const chunksOf = (n: number): Uint8Array[] =>
  Array.from({ length: n }, (_, i) => Uint8Array.of(i & 255, i >> 8, 1, 1));

const HONEST: readonly World[] = [2, 6, 16, 17, 100, 257, 300, 1000].map((validatorCount) => {
  const chunks = chunksOf(validatorCount);
  return { chunks, validatorCount, ...HEX_TRIE_COMMITMENT.commit(chunks) };
});

/** Tries that no honest backer builds, so that their proofs differ from the expected form somewhere. */
function hostileWorlds(): World[] {
  const worlds: World[] = [];
  const add = (
    n: number,
    validatorCount: number,
    entry: (
      chunk: Uint8Array,
      i: number,
    ) => { readonly key: Uint8Array; readonly value: Uint8Array },
  ): void => {
    const chunks = chunksOf(n);
    worlds.push({ chunks, validatorCount, ...buildTrie(chunks.map(entry)) });
  };
  const honest = (chunk: Uint8Array, i: number) => ({ key: chunkKey(i), value: blake2b256(chunk) });
  // More or fewer keys than validators.
  add(300, 100, honest);
  add(100, 300, honest);
  add(17, 16, honest);
  // Values that are longer than a hash, and cut when they are read; one that is shorter.
  add(40, 40, (chunk, i) => {
    const { key, value } = honest(chunk, i);
    return { key, value: i % 3 === 0 ? concatBytes([value, Uint8Array.of(7)]) : value };
  });
  add(40, 40, (chunk, i) => {
    const { key, value } = honest(chunk, i);
    return { key, value: i % 3 === 0 ? value.subarray(0, 20) : value };
  });
  // Longer keys, so that branches have values.
  add(40, 20, (chunk, i) => ({
    key: i < 20 ? chunkKey(i) : concatBytes([chunkKey(i - 20), Uint8Array.of(1)]),
    value: blake2b256(chunk),
  }));
  return [...worlds, paddedWorld(), inlineWorld()];
}

/** Nodes with bytes behind their content: they decode, and hash to something else. */
function paddedWorld(): World {
  const chunks = chunksOf(6);
  const leaves = chunks.map((chunk) =>
    concatBytes([encodeLeaf(new Uint8Array(6), blake2b256(chunk)), Uint8Array.of(9, 9)]),
  );
  const children = leaves.map((leaf, nibble) => ({ nibble, reference: blake2b256(leaf) }));
  const branch = encodeBranch(new Uint8Array(1), undefined, children);
  const root = concatBytes([branch, Uint8Array.of(1)]);
  const proofs = leaves.map((leaf) => [root, leaf]);
  return { root: blake2b256(root), proofs, chunks, validatorCount: 6 };
}

/** Leaves inside of the root node. */
function inlineWorld(): World {
  const chunks = chunksOf(6);
  const children = chunks.map((chunk, nibble) => ({
    nibble,
    reference: encodeLeaf(new Uint8Array(6), blake2b256(chunk)),
  }));
  const root = encodeBranch(new Uint8Array(1), undefined, children);
  return { root: blake2b256(root), proofs: chunks.map(() => [root]), chunks, validatorCount: 6 };
}

/** Two levels of nodes, of which one byte outside of hashes is changed, in the root node or in all leaves. */
function* tamperedWorlds(): Generator<{ readonly what: string; readonly world: World }> {
  const chunks = chunksOf(6);
  const leafOf = (chunk: Uint8Array): Uint8Array =>
    encodeLeaf(new Uint8Array(6), blake2b256(chunk));
  const places = [
    ...[0, 1, 2, 3, 4].map((at) => ({ isRoot: false, at })),
    ...[0, 1, 2, 3, 4, 4 + 33, 4 + 5 * 33].map((at) => ({ isRoot: true, at })),
  ];
  for (const { isRoot, at } of places) {
    for (const mask of [1, 2, 4, 8, 16, 32, 64, 128, 0x60, 0xfc]) {
      const leaves = chunks.map((chunk) => leafOf(chunk));
      for (const leaf of isRoot ? [] : leaves) {
        leaf[at]! ^= mask;
      }
      const children = leaves.map((leaf, nibble) => ({ nibble, reference: blake2b256(leaf) }));
      const branch = encodeBranch(new Uint8Array(1), undefined, children);
      if (isRoot) {
        branch[at]! ^= mask;
      }
      const proofs = leaves.map((leaf) => [branch, leaf]);
      const world = { root: blake2b256(branch), proofs, chunks, validatorCount: 6 };
      yield { what: `${isRoot ? 'root' : 'leaf'} byte ${at} ^ ${mask}`, world };
    }
  }
}

const WORLDS: readonly World[] = [...HONEST, ...HONEST, ...hostileWorlds()];

/** One question, made from the honest one for `index`. */
type Change =
  | { readonly type: 'none' | 'other_chunk' | 'reverse' | 'twice' | 'wrong_digest' }
  | { readonly type: 'flip'; readonly node: number; readonly byte: number; readonly bit: number }
  | { readonly type: 'cut' | 'longer' | 'drop'; readonly node: number }
  | { readonly type: 'insert'; readonly node: number; readonly bytes: Uint8Array }
  | { readonly type: 'proof_of' | 'index'; readonly index: number }
  | { readonly type: 'world'; readonly world: number };

const changes: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Change>({ type: 'none' }) },
  fc.constantFrom<Change>(
    { type: 'other_chunk' },
    { type: 'reverse' },
    { type: 'twice' },
    { type: 'wrong_digest' },
  ),
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.nat(8), fc.nat(600), fc.nat(7))
      .map(([node, byte, bit]): Change => ({ type: 'flip', node, byte, bit })),
  },
  fc
    .tuple(fc.constantFrom('cut' as const, 'longer' as const, 'drop' as const), fc.nat(8))
    .map(([type, node]): Change => ({ type, node })),
  fc
    .tuple(fc.nat(8), fc.uint8Array({ maxLength: 60 }))
    .map(([node, bytes]): Change => ({ type: 'insert', node, bytes })),
  fc
    .tuple(
      fc.constantFrom('proof_of' as const, 'index' as const),
      fc.oneof(
        fc.nat(1100),
        fc.constantFrom(-1, 0.5, -0, Number.NaN, 2 ** 32, 2 ** 32 + 1, 2 ** 53),
      ),
    )
    .map(([type, index]): Change => ({ type, index })),
  fc.nat(WORLDS.length - 1).map((world): Change => ({ type: 'world', world })),
);

/** A proof with one node changed; all nodes are copies, as those from the wire are. */
function changedNodes(proof: TrieProof, change: Change): Uint8Array[] {
  const nodes: Uint8Array[] = proof.map((node) => node.slice());
  const at = 'node' in change ? change.node % nodes.length : 0;
  const node = nodes[at]!;
  switch (change.type) {
    case 'flip':
      node[change.byte % node.length]! ^= 1 << change.bit;
      break;
    case 'cut':
      nodes[at] = node.subarray(0, -1);
      break;
    case 'longer':
      nodes[at] = concatBytes([node, Uint8Array.of(0)]);
      break;
    case 'drop':
      nodes.splice(at, 1);
      break;
    case 'insert':
      nodes.splice(at, 0, change.bytes);
      break;
    case 'reverse':
      nodes.reverse();
      break;
    case 'twice':
      nodes.push(...nodes);
      break;
    default:
  }
  return nodes;
}

function questionOf(
  world: World,
  at: number,
  change: Change,
): Parameters<ProofBook['verify']>[0][number] {
  const from = change.type === 'world' ? WORLDS[change.world]! : world;
  const index = at % from.chunks.length;
  const proofOf = change.type === 'proof_of' ? Math.abs(Math.trunc(change.index)) || 0 : index;
  const bytes = from.chunks[change.type === 'other_chunk' ? 0 : index]!;
  const digest = blake2b256(change.type === 'wrong_digest' ? Uint8Array.of(at) : bytes);
  return {
    digest,
    chunk: {
      bytes,
      chunkIndex: chunkIndex(change.type === 'index' ? change.index : index),
      proof: changedNodes(from.proofs[proofOf % from.proofs.length]!, change),
    },
  };
}

const batches = fc.array(fc.array(fc.tuple(fc.nat(2000), changes), { maxLength: 12 }), {
  minLength: 1,
  maxLength: 4,
});

describe('ProofBook', () => {
  it(seeded("gives verifyChunk's answer to every chunk of every batch"), () => {
    const seen = { verified: 0, invalid: 0 };
    fc.assert(
      fc.property(fc.constantFrom(...WORLDS), batches, (world, questions) => {
        const { root, validatorCount } = world;
        const book = new ProofBook(root, validatorCount);
        for (const batch of questions) {
          const asked = batch.map(([at, change]) => questionOf(world, at, change));
          const answers = book.verify(asked);
          asked.forEach(({ chunk }, i) => {
            const expected = verifyChunk({ erasureRoot: root, chunk, validatorCount });
            seen[expected.type] += 1;
            expect(answers[i], `${i}: ${batch[i]?.[1].type}`).toEqual(expected);
          });
          expect(answers.length).toBe(batch.length);
        }
      }),
      { seed: SEED, numRuns: 600 },
    );
    expect(Math.min(seen.verified, seen.invalid)).toBeGreaterThan(1000);
  });

  it('gives the same where one byte of a node is wrong that is no hash, and the root is over that', () => {
    for (const { what, world } of tamperedWorlds()) {
      const { root, validatorCount, chunks, proofs } = world;
      const book = new ProofBook(root, validatorCount);
      const asked = chunks.map((bytes, i) => ({
        chunk: { bytes, chunkIndex: chunkIndex(i), proof: proofs[i]! },
        digest: blake2b256(bytes),
      }));
      const expected = asked.map(({ chunk }) =>
        verifyChunk({ erasureRoot: root, chunk, validatorCount }),
      );
      expect(book.verify(asked), what).toEqual(expected);
    }
  });

  it(seeded('gives the same under roots of any bytes'), () => {
    const roots = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.nat(HONEST.length - 1).map((i) => HONEST[i]!.root.subarray(0, 31)),
      fc.nat(HONEST.length - 1).map((i) => concatBytes([HONEST[i]!.root, Uint8Array.of(1)])),
      fc.nat(HONEST.length - 1).map((i) => blake2b256(HONEST[i]!.proofs[0]!.at(-1)!)),
    );
    fc.assert(
      fc.property(roots, fc.constantFrom(...HONEST), batches, (root, world, questions) => {
        const { validatorCount } = world;
        const book = new ProofBook(root, validatorCount);
        for (const batch of questions) {
          const asked = batch.map(([at, change]) => questionOf(world, at, change));
          const expected = asked.map(({ chunk }) =>
            verifyChunk({ erasureRoot: root, chunk, validatorCount }),
          );
          expect(book.verify(asked)).toEqual(expected);
        }
      }),
      { seed: SEED, numRuns: 100 },
    );
  });
});
