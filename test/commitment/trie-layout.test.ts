/**
 * @module
 * Layouts of erasure tries: what a build makes of them is what the general trie makes, byte for byte.
 */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { encodeProof } from '../../src/codec/erasure-chunk.ts';
import { buildTrie } from '../../src/commitment/hex-trie.ts';
import { chunkKey } from '../../src/commitment/node-format.ts';
import {
  copyDigests,
  digestAddresses,
  hashTrie,
  layOutTrie,
  trieProofs,
  writeProofs,
} from '../../src/commitment/trie-build.ts';
import { type TrieLayout, trieLayout } from '../../src/commitment/trie-layout.ts';
import { concatBytes, equalBytes, fromHex, toHex } from '../../src/primitives/bytes.ts';
import { hasCode } from '../../src/primitives/errors.ts';
import { blake2b256, HASH_BYTES, hashReady } from '../../src/primitives/hash.ts';
import { PlainTrieMemory } from '../support/plain-trie-memory.ts';

await hashReady();

/** Both sides of every place where the shape changes, and the largest. */
const COUNTS = [
  ...Array.from({ length: 40 }, (_, i) => i + 2),
  ...[100, 255, 256, 257, 258, 271, 272, 273, 300, 511, 512, 513, 1000, 1023, 1024],
  ...[4095, 4096, 4097, 4098, 4112, 4113, 4352, 4353, 5000, 8193],
];

/** Start of the region: an odd address, as nothing needs alignment. */
const NODES = 5;

const digestsOf = (n: number): Uint8Array[] =>
  Array.from({ length: n }, (_, i) => blake2b256(Uint8Array.of(i, i >> 8, n, n >> 8)));

type Built = {
  readonly layout: TrieLayout;
  readonly memory: PlainTrieMemory;
  readonly root: Uint8Array;
};

/** Builds in plain memory, with room for proofs and digests behind the nodes. */
function build(n: number, digests: readonly Uint8Array[], room = 0): Built {
  const layout = trieLayout(n);
  const memory = new PlainTrieMemory(NODES + layout.regionBytes + room);
  layOutTrie(layout, memory, NODES);
  digestAddresses(layout, NODES).forEach((at, i) => {
    memory.bytes().set(digests[i]!, at);
  });
  return { layout, memory, root: hashTrie(layout, memory, NODES) };
}

const oracleOf = (digests: readonly Uint8Array[]): ReturnType<typeof buildTrie> =>
  buildTrie(digests.map((value, i) => ({ key: chunkKey(i), value })));

describe('hashTrie', () => {
  it('gives the root and proofs of the general trie for every shape', () => {
    for (const n of COUNTS) {
      const digests = digestsOf(n);
      const oracle = oracleOf(digests);
      const { layout, memory, root } = build(n, digests);
      expect(toHex(root), `root, n = ${n}`).toBe(toHex(oracle.root));
      expect(memory.hashed, `hashes, n = ${n}`).toBe(layout.nodeCount);
      const region = memory.bytes().slice(NODES, NODES + layout.regionBytes);
      trieProofs(layout, region).forEach((proof, i) => {
        const isSame =
          proof.length === oracle.proofs[i]!.length &&
          proof.every((node, depth) => equalBytes(node, oracle.proofs[i]![depth]!));
        expect(isSame, `proof of ${i}, n = ${n}`).toBe(true);
      });
    }
  });

  it('gives the root of the general trie for the largest count', () => {
    const digests = digestsOf(65_536);
    expect(toHex(build(65_536, digests).root)).toBe(toHex(oracleOf(digests).root));
  });

  it('can be laid out and hashed again over what is there', () => {
    const { layout, memory } = build(300, digestsOf(300));
    const others = digestsOf(301).slice(0, 300);
    layOutTrie(layout, memory, NODES);
    digestAddresses(layout, NODES).forEach((at, i) => {
      memory.bytes().set(others[i]!, at);
    });
    expect(toHex(hashTrie(layout, memory, NODES))).toBe(toHex(oracleOf(others).root));
  });
});

describe('copyDigests', () => {
  it('fills the leaves from digests in a row', () => {
    const digests = digestsOf(257);
    const layout = trieLayout(257);
    const at = NODES + layout.regionBytes + 1;
    const memory = new PlainTrieMemory(at + HASH_BYTES * 257);
    memory.bytes().set(concatBytes(digests), at);
    layOutTrie(layout, memory, NODES);
    copyDigests(layout, memory, { nodes: NODES, digests: at });
    expect(toHex(hashTrie(layout, memory, NODES))).toBe(toHex(oracleOf(digests).root));
  });
});

describe('writeProofs', () => {
  it('writes the SCALE form of every proof, and nothing around them', () => {
    for (const n of [2, 16, 17, 257, 1000, 5000]) {
      const digests = digestsOf(n);
      const oracle = oracleOf(digests);
      const total = trieLayout(n).proofAt[n]!;
      const { layout, memory } = build(n, digests, total + 16);
      const proofs = NODES + layout.regionBytes + 8;
      writeProofs(layout, memory, { nodes: NODES, proofs, from: 0, to: n });
      for (let i = 0; i < n; i += 1) {
        const [from, to] = [proofs + layout.proofAt[i]!, proofs + layout.proofAt[i + 1]!];
        const isSame = equalBytes(
          memory.bytes().subarray(from, to),
          encodeProof(oracle.proofs[i]!),
        );
        expect(isSame, `proof of ${i}, n = ${n}`).toBe(true);
      }
      const around = [...memory.bytes().slice(proofs - 8, proofs), ...memory.bytes().slice(-8)];
      expect(new Set(around), `n = ${n}`).toEqual(new Set([0xff]));
    }
  });

  it('writes the proofs of a range from the start of the buffer', () => {
    const n = 300;
    const digests = digestsOf(n);
    const oracle = oracleOf(digests);
    const { layout, memory } = build(n, digests, 10_000);
    const proofs = NODES + layout.regionBytes;
    writeProofs(layout, memory, { nodes: NODES, proofs, from: 254, to: 258 });
    const bytes = layout.proofAt[258]! - layout.proofAt[254]!;
    expect(toHex(memory.bytes().slice(proofs, proofs + bytes))).toBe(
      toHex(concatBytes(oracle.proofs.slice(254, 258).map((proof) => encodeProof(proof)))),
    );
  });
});

describe('trieLayout', () => {
  it('has the sizes of the specification', () => {
    const blocks = (n: number): number =>
      trieLayout(n).batches.reduce(
        (sum, { bytes, nodes }) => sum + nodes.length * Math.ceil(bytes / 128),
        0,
      );
    expect([1000, 300, 100].map((n) => trieLayout(n).nodeCount)).toEqual([1273, 361, 108]);
    expect([1000, 300, 100].map(blocks)).toEqual([1573, 429, 134]);
  });

  it('keeps few layouts, the ones used last', () => {
    const kept = trieLayout(50);
    for (const n of [51, 52, 53]) {
      trieLayout(n);
    }
    expect(trieLayout(50)).toBe(kept);
    const second = trieLayout(51);
    for (const n of [52, 53, 54, 55]) {
      trieLayout(n);
    }
    expect(trieLayout(51)).not.toBe(second);
    expect(trieLayout(51)).toEqual(second);
  });

  it('refuses counts that the code does not have', () => {
    for (const [n, code] of [
      [1, 'not_enough_validators'],
      [65_537, 'too_many_validators'],
    ] as const) {
      expect(() => trieLayout(n)).toThrow(expect.toSatisfy((error) => hasCode(error, code)));
    }
    expect(() => trieLayout(2.5)).toThrow(RangeError);
  });
});

describe('golden vectors', () => {
  type Case = {
    readonly n: number;
    readonly tag: string;
    readonly chunks?: readonly string[];
    readonly root: string;
    readonly nodes?: readonly string[];
    readonly proofs?: Readonly<Record<string, readonly number[]>>;
  };
  const file = new URL('../vectors/erasure-v1.json', import.meta.url);
  const { cases } = JSON.parse(readFileSync(file, 'utf8')) as { cases: readonly Case[] };
  const withChunks = cases.filter(({ chunks }) => chunks !== undefined);

  it('agree with roots and proofs of the builds', () => {
    expect(withChunks.length).toBeGreaterThan(10);
    let proofCount = 0;
    for (const { n, tag, chunks, root, nodes, proofs } of withChunks) {
      const built = build(
        n,
        chunks!.map((hex) => blake2b256(fromHex(hex))),
      );
      expect(toHex(built.root), tag).toBe(root);
      const region = built.memory.bytes().subarray(NODES);
      const own = trieProofs(built.layout, region);
      for (const [index, positions] of Object.entries(proofs ?? {})) {
        expect(own[Number(index)]!.map(toHex), tag).toEqual(positions.map((at) => nodes![at]));
        proofCount += 1;
      }
    }
    expect(proofCount).toBeGreaterThan(100);
  });
});
