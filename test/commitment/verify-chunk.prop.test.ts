/**
 * @module
 * The check of a chunk under random attack: it never throws, and what verifies is the committed chunk at
 * its own index.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HEX_TRIE_COMMITMENT } from '../../src/commitment/commitment.ts';
import { encodeBranch, encodeLeaf } from '../../src/commitment/node-format.ts';
import { proofVerdict, verifyChunk } from '../../src/commitment/verify-chunk.ts';
import { concatBytes, toHex } from '../../src/primitives/bytes.ts';
import { blake2b256, hashReady } from '../../src/primitives/hash.ts';
import { chunkIndex } from '../../src/primitives/ids.ts';
import { SEED, seeded } from '../support/seed.ts';

await hashReady();

const SETS = [2, 6, 17, 100, 300].map((n) => {
  const chunks = Array.from({ length: n }, (_, i) => Uint8Array.of(i & 255, i >> 8, 1, 1));
  return { n, chunks, ...HEX_TRIE_COMMITMENT.commit(chunks) };
});

const sets = fc.constantFrom(...SETS);

/** Bytes that look like nodes more often than chance would have it. */
const hostileNodes = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 80 }),
    fc
      .tuple(fc.nat(255), fc.uint8Array({ minLength: 30, maxLength: 80 }))
      .map(([header, rest]) => concatBytes([Uint8Array.of(header), rest])),
    fc
      .tuple(fc.array(fc.nat(15), { maxLength: 9 }), fc.uint8Array({ maxLength: 40 }))
      .map(([partial, value]) => encodeLeaf(Uint8Array.from(partial), value)),
    fc
      .tuple(fc.array(fc.nat(15), { maxLength: 8 }), fc.uint8Array({ maxLength: 40 }), fc.nat(15))
      .map(([partial, reference, nibble]) =>
        encodeBranch(Uint8Array.from(partial), undefined, [{ nibble, reference }]),
      ),
  ),
  { maxLength: 8 },
);

const indices = fc.oneof(
  fc.nat(2 ** 32 - 1),
  fc.double(),
  fc.constantFrom(0, -1, 2 ** 32, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY),
);

describe('verifyChunk', () => {
  it(seeded('never verifies the proof of i for j'), () => {
    fc.assert(
      fc.property(sets, fc.nat(), fc.nat(), ({ n, chunks, root, proofs }, a, b) => {
        const [i, j] = [a % n, b % n];
        const ask = (bytes: Uint8Array): string =>
          verifyChunk({
            erasureRoot: root,
            chunk: { bytes, chunkIndex: chunkIndex(j), proof: proofs[i]! },
            validatorCount: n,
          }).type;
        expect(ask(chunks[i]!), `proof of ${i} for ${j}`).toBe(i === j ? 'verified' : 'invalid');
        expect(ask(chunks[j]!), `proof of ${i} for chunk ${j}`).toBe(
          i === j ? 'verified' : 'invalid',
        );
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it(seeded('verifies nothing but the committed chunk, whatever nodes come'), () => {
    fc.assert(
      fc.property(sets, hostileNodes, indices, fc.nat(), (set, nodes, index, mixed) => {
        const honest = set.proofs[mixed % set.n]!;
        for (const proof of [nodes, [...honest, ...nodes], [...nodes, ...honest.slice(1)]]) {
          const bytes = set.chunks[mixed % set.n]!;
          const chunk = { bytes, chunkIndex: chunkIndex(index), proof };
          const answer = verifyChunk({ erasureRoot: set.root, chunk, validatorCount: set.n });
          if (answer.type === 'verified') {
            expect(toHex(bytes)).toBe(toHex(set.chunks[index]!));
          }
        }
      }),
      { seed: SEED, numRuns: 300 },
    );
  });
});

describe('proofVerdict', () => {
  it(seeded('gives a verdict on any nodes, any root and any number as index'), () => {
    const roots = fc.option(fc.uint8Array({ maxLength: 40 }), { nil: undefined });
    fc.assert(
      fc.property(hostileNodes, roots, indices, (nodes, foreign, index) => {
        const root = foreign ?? blake2b256(nodes[0] ?? new Uint8Array(0));
        const verdict = proofVerdict(root, nodes, index);
        if (verdict.type === 'value') {
          expect(verdict.value.length).toBe(32);
        } else {
          expect(['invalid_branch_proof', 'branch_out_of_bounds']).toContain(verdict.code);
        }
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  it(seeded('agrees with verifyChunk on honest roots, for every index of 32 bits'), () => {
    fc.assert(
      fc.property(sets, fc.nat(), fc.nat(2 ** 32 - 1), (set, at, far) => {
        const { n, chunks, root, proofs } = set;
        for (const index of [at % n, n, far]) {
          const proof = proofs[at % n]!;
          const bytes = chunks[index] ?? chunks[0]!;
          const verdict = proofVerdict(root, proof, index);
          const isProven =
            verdict.type === 'value' && toHex(verdict.value) === toHex(blake2b256(bytes));
          const chunk = { bytes, chunkIndex: chunkIndex(index), proof };
          const answer = verifyChunk({ erasureRoot: root, chunk, validatorCount: n });
          expect(answer.type === 'verified', `index ${index} of ${n}`).toBe(isProven);
        }
      }),
      { seed: SEED, numRuns: 200 },
    );
  });
});
