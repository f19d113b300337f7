/**
 * @module
 * Checks chunks of one candidate in batches and hashes each inner trie node once, however many proofs bring it.
 * It only ever accepts by itself; every refusal, and everything out of the ordinary, is `verifyChunk`'s.
 */

import type { Chunk, TrieProof, VerifiedChunk } from '../primitives/chunk.ts';
import { blake2b256, HASH_BYTES } from '../primitives/hash.ts';
import { equalHashes, type NodeGroup, NodeShelf } from './node-shelf.ts';
import { type TrieLayout, trieLayout } from './trie-layout.ts';
import { type VerifyChunkAnswer, verifyChunk } from './verify-chunk.ts';

/** A chunk to check, and BLAKE2b-256 of its bytes as the caller worked it out. */
export type HashedChunk = { readonly chunk: Chunk; readonly digest: Uint8Array };

/**
 * BLAKE2b-256 of nodes that lie in `memory`: 32 bytes each, group by group in order, in one array that may
 * be overwritten by the next call.
 */
export type HashNodes = (memory: Uint8Array, groups: readonly NodeGroup[]) => Uint8Array;

/** Hashes of 32 bytes in some memory, each at its offset. */
export type DigestsAt = { readonly memory: Uint8Array; readonly at: ArrayLike<number> };

/**
 * How often a batch is gone through. Of different bytes for one node one is looked at each time, and only one
 * can be right: the others were sent by liars, who could keep us busy without a bound. What is left is
 * checked one by one.
 */
const MAX_ROUNDS = 4;

/** What is known of an inner node, by number. */
const UNKNOWN = 0;
/** Its bytes are on the shelf, not yet hashed. */
const CLAIMED = 1;
const PROVEN = 2;
/** Its bytes are on the shelf, and are not what the root commits to. */
const REFUTED = 3;

function hashOneByOne(memory: Uint8Array, groups: readonly NodeGroup[]): Uint8Array {
  const all = groups.flatMap(({ bytes, at }) =>
    at.map((from) => blake2b256(memory.subarray(from, from + bytes))),
  );
  const hashes = new Uint8Array(HASH_BYTES * all.length);
  all.forEach((hash, i) => {
    hashes.set(hash, HASH_BYTES * i);
  });
  return hashes;
}

/**
 * Proofs of one candidate.
 *
 * A proof is *claimed* when it comes: its inner nodes are compared with those that are there already, and what
 * is new is copied, so that nothing of it is needed afterwards. Claims are *judged* together, once the chunks
 * have been hashed.
 *
 * **Guarantees.**
 * - The answer to each chunk is `verifyChunk`'s, whatever came before or with it, provided that the digest is
 *   the hash of its bytes. With another digest the answer still is, unless the digest is one that the proof
 *   proves.
 * - An inner node that was proven is not hashed again; within a batch equal inner nodes are hashed once.
 * - Keeps copies of the proven inner nodes, at most `branchBytes` of the layout (39 kB at n = 1000), and
 *   nothing of what else it was given but the leaf of each claim until it is judged.
 *
 * Why it may accept: with the node's bytes outside of its hashes as the layout has them, the reader of
 * `verifyChunk` walks the same way, and the hashes along it have been compared.
 */
export class ProofBook {
  readonly #erasureRoot: Uint8Array;
  readonly #layout: TrieLayout;
  readonly #hashNodes: HashNodes;
  readonly #shelf: NodeShelf;
  readonly #state: Uint8Array;
  /** Inner nodes that are claimed, and those that are refuted and still on the shelf. */
  #claimed: number[] = [];
  #refuted: number[] = [];
  #openClaims = 0;
  #hashedNodes = 0;
  #reusedNodes = 0;

  /**
   * @param hashNodes - By default the package's hash, node by node.
   * @throws {@link ErasureError} `too_many_validators`, `not_enough_validators`.
   */
  constructor(erasureRoot: Uint8Array, validatorCount: number, hashNodes?: HashNodes) {
    this.#erasureRoot = erasureRoot.slice();
    this.#layout = trieLayout(validatorCount);
    this.#hashNodes = hashNodes ?? hashOneByOne;
    this.#shelf = new NodeShelf(this.#layout);
    this.#state = new Uint8Array(this.#shelf.innerCount);
  }

  /** Nodes hashed here so far; those that `verifyChunk` hashed are not counted. */
  get hashedNodes(): number {
    return this.#hashedNodes;
  }

  /** Nodes of claimed proofs that were compared with one known or in hand, instead of being hashed. */
  get reusedNodes(): number {
    return this.#reusedNodes;
  }

  /** Bytes of proofs that were copied so far. */
  get copiedBytes(): number {
    return this.#shelf.copiedBytes;
  }

  /**
   * Takes note of a proof, of which nothing is needed afterwards. Reads it in this turn alone.
   *
   * @returns A number of the claim, to be judged or dropped; -1 when the proof is not the one that the layout
   *   expects, or contradicts one that came before: then the chunk is for {@link ProofBook.verify}.
   */
  claim({ chunkIndex, proof }: Pick<Chunk, 'chunkIndex' | 'proof'>): number {
    const { validatorCount, pathLength, leaf, parent } = this.#layout;
    const isInRange =
      Number.isInteger(chunkIndex) && chunkIndex >= 0 && chunkIndex < validatorCount;
    if (!isInRange || proof.length !== pathLength[chunkIndex]) {
      return -1;
    }
    const leafNode = leaf[chunkIndex] ?? 0;
    const last = proof.length - 2;
    let missing = 0;
    // First all are compared: a proof of which a part is wrong is to leave nothing behind.
    for (let depth = last, node = parent[leafNode] ?? 0; depth >= 0; depth -= 1) {
      const bytes = proof[depth];
      if (!this.#shelf.fits(node, bytes)) {
        return -1;
      }
      if (this.#state[node] === UNKNOWN) {
        missing |= 1 << depth;
      } else if (!this.#shelf.holds(node, bytes)) {
        return -1;
      }
      node = parent[node] ?? 0;
    }
    const leafBytes = proof[proof.length - 1];
    const slot = this.#shelf.fits(leafNode, leafBytes)
      ? this.#shelf.putLeaf(chunkIndex, leafBytes)
      : -1;
    if (slot >= 0 && missing !== 0 && !this.#fileAll(proof, leafNode, missing)) {
      this.#shelf.freeLeaf(slot);
      return -1;
    }
    if (slot >= 0) {
      this.#openClaims += 1;
      // The leaf is new; `#fileAll` takes the other new ones off again.
      this.#reusedNodes += proof.length - 1;
    }
    return slot;
  }

  /** Forgets a claim, which is not to be judged. */
  drop(claim: number): void {
    this.#shelf.freeLeaf(claim);
    this.#endClaims(1);
  }

  /**
   * Judges claims, and ends them.
   *
   * @param digests - The hash of each claim's chunk, in the order of the claims.
   * @returns For each claim undefined if it is proven, else a copy of the proof that was claimed: the verdict
   *   is for `verifyChunk`.
   */
  judge(claims: readonly number[], digests: DigestsAt): (TrieProof | undefined)[] {
    const shelf = this.#shelf;
    const { parent } = this.#layout;
    const order = this.#byLength(claims);
    const { hashes, leavesFrom } = this.#hashAll(order.map((i) => claims[i] ?? 0));
    const outcome = new Array<TrieProof | undefined>(claims.length).fill(undefined);
    for (let place = 0; place < order.length; place += 1) {
      const i = order[place] ?? 0;
      const slot = claims[i] ?? 0;
      const node = shelf.leafNode(slot);
      const isProven =
        this.#state[parent[node] ?? 0] === PROVEN &&
        equalHashes(hashes, leavesFrom + HASH_BYTES * place, shelf.memory, shelf.hashAt(node)) &&
        equalHashes(digests.memory, digests.at[i] ?? 0, shelf.memory, shelf.leafHashAt(slot));
      if (!isProven) {
        outcome[i] = shelf.claimedProof(slot);
      }
    }
    for (const slot of claims) {
      shelf.freeLeaf(slot);
    }
    this.#endClaims(claims.length);
    return outcome;
  }

  /**
   * The proof of a chunk whose claim was found to be proven: own bytes, those that came.
   *
   * @param digest - Hash of the chunk.
   */
  proofOf(chunkIndex: number, digest: Uint8Array): TrieProof {
    return this.#shelf.proofOf(chunkIndex, digest);
  }

  /** Checks chunks together. Answers are in the order of the batch. */
  verify(batch: readonly HashedChunk[]): VerifyChunkAnswer[] {
    const answers = new Array<VerifyChunkAnswer | undefined>(batch.length).fill(undefined);
    let waiting = batch.map((_, i) => i);
    for (let round = 0; round < MAX_ROUNDS && waiting.length > 0; round += 1) {
      const claimed: number[] = [];
      const claims: number[] = [];
      const others: number[] = [];
      for (const i of waiting) {
        const { chunk, digest } = batch[i] as HashedChunk;
        const claim = digest.length === HASH_BYTES ? this.claim(chunk) : -1;
        if (claim >= 0) {
          claimed.push(i);
          claims.push(claim);
        } else {
          others.push(i);
        }
      }
      if (claims.length === 0) {
        break;
      }
      const memory = new Uint8Array(HASH_BYTES * claims.length);
      claimed.forEach((i, place) => {
        memory.set((batch[i] as HashedChunk).digest, HASH_BYTES * place);
      });
      const refused = this.judge(claims, { memory, at: claims.map((_, i) => HASH_BYTES * i) });
      claimed.forEach((i, place) => {
        if (refused[place] === undefined) {
          const chunk = (batch[i] as HashedChunk).chunk as VerifiedChunk;
          answers[i] = { type: 'verified', chunk };
        }
      });
      waiting = others;
    }
    return batch.map(({ chunk }, i) => answers[i] ?? this.verifyAlone(chunk));
  }

  /** `verifyChunk`'s answer to one chunk, whatever is known. */
  verifyAlone(chunk: Chunk): VerifyChunkAnswer {
    const { validatorCount } = this.#layout;
    return verifyChunk({ erasureRoot: this.#erasureRoot, chunk, validatorCount });
  }

  /** Puts the missing inner nodes of a proof on the shelf, unless one has not the form of its node. */
  #fileAll(proof: TrieProof, leafNode: number, missing: number): boolean {
    const { parent } = this.#layout;
    for (let depth = proof.length - 2, node = parent[leafNode] ?? 0; depth >= 0; depth -= 1) {
      const bytes = proof[depth];
      if ((missing >> depth) % 2 === 1 && bytes !== undefined) {
        if (!this.#shelf.put(node, bytes)) {
          return false;
        }
        this.#state[node] = CLAIMED;
        this.#claimed.push(node);
        this.#reusedNodes -= 1;
      }
      node = parent[node] ?? 0;
    }
    return true;
  }

  /** Places of claims in an order that has equally long leaves together. */
  #byLength(claims: readonly number[]): readonly number[] {
    const order = claims.map((_, i) => i);
    const bytes = claims.map((slot) => this.#shelf.leafBytes(slot));
    const isMixed = bytes.some((length) => length !== bytes[0]);
    return isMixed ? order.sort((a, b) => (bytes[a] ?? 0) - (bytes[b] ?? 0)) : order;
  }

  /**
   * Hashes claimed inner nodes and the leaves of claims, and proves the inner nodes, parents first, whose hash
   * stands in a proven one.
   *
   * @returns The hashes, and where among them those of the leaves begin.
   */
  #hashAll(claims: readonly number[]): {
    readonly hashes: Uint8Array;
    readonly leavesFrom: number;
  } {
    const { parent } = this.#layout;
    const shelf = this.#shelf;
    // Parents have lower numbers, and nodes of one length are neighbours.
    const inner = this.#claimed.sort((a, b) => a - b);
    this.#claimed = [];
    const groups = [...shelf.nodeGroups(inner), ...shelf.leafGroups(claims)];
    const hashes = groups.length === 0 ? new Uint8Array() : this.#hashNodes(shelf.memory, groups);
    this.#hashedNodes += inner.length + claims.length;
    inner.forEach((node, i) => {
      const isFound =
        node === 0
          ? this.#erasureRoot.length === HASH_BYTES &&
            equalHashes(hashes, HASH_BYTES * i, this.#erasureRoot, 0)
          : this.#state[parent[node] ?? 0] === PROVEN &&
            equalHashes(hashes, HASH_BYTES * i, shelf.memory, shelf.hashAt(node));
      this.#state[node] = isFound ? PROVEN : REFUTED;
      if (!isFound) {
        this.#refuted.push(node);
      }
    });
    return { hashes, leavesFrom: HASH_BYTES * inner.length };
  }

  /** Refuted nodes stay on the shelf as long as there are claims whose proofs they belong to. */
  #endClaims(count: number): void {
    this.#openClaims -= count;
    if (this.#openClaims === 0 && this.#refuted.length > 0) {
      for (const node of this.#refuted) {
        this.#state[node] = UNKNOWN;
      }
      this.#refuted = [];
    }
  }
}
