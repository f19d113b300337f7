/**
 * @module
 * Deterministic values of every type of the codec, for digests and bulk runs. The draws are spelled
 * out here, so that no version of a library can change what a pinned digest covers.
 */

import type { AvailableData } from '../../src/codec/available-data.ts';
import type { ReceiptFields } from '../../src/codec/candidate.ts';
import { toHex } from '../../src/primitives/bytes.ts';
import type { Chunk, TrieProof } from '../../src/primitives/chunk.ts';
import { type CandidateHash, candidateHash, chunkIndex } from '../../src/primitives/ids.ts';
import type { NodeFeatures } from '../../src/primitives/node-features.ts';
import type { Random } from '../../src/primitives/random.ts';

/** Splitmix over 32 bits: a counter and two rounds of multiply and shift. */
export class Draws implements Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  nextU32(): number {
    this.#state = (this.#state + 0x9e37_79b9) | 0;
    let x = this.#state;
    x = Math.imul(x ^ (x >>> 16), 0x85eb_ca6b);
    x = Math.imul(x ^ (x >>> 13), 0xc2b2_ae35);
    return (x ^ (x >>> 16)) >>> 0;
  }

  /** An integer in 0..bound - 1; its slight bias does no harm here. */
  below(bound: number): number {
    return this.nextU32() % bound;
  }

  /** A 32-bit integer, often one at an edge. */
  u32(): number {
    const edges = [0, 1, 63, 64, 16_383, 16_384, 0x3fff_ffff, 0x4000_0000, 0xffff_ffff];
    return this.below(2) === 0 ? this.nextU32() : (edges[this.below(edges.length)] ?? 0);
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.nextU32() >>> 24);
  }

  /** Bytes of any length up to a limit, often a length where the compact form grows. */
  someBytes(limit: number): Uint8Array {
    const edges = [0, 1, 63, 64, 65].filter((length) => length <= limit);
    const length = this.below(2) === 0 ? this.below(limit + 1) : edges[this.below(edges.length)];
    return this.bytes(length ?? 0);
  }
}

export function someAvailableData(draws: Draws): AvailableData {
  return {
    pov: { blockData: draws.someBytes(300) },
    validationData: {
      parentHead: draws.someBytes(100),
      relayParentNumber: draws.u32(),
      relayParentStorageRoot: draws.bytes(32),
      maxPovSize: draws.u32(),
    },
  };
}

export function someProof(draws: Draws): TrieProof {
  return Array.from({ length: 1 + draws.below(8) }, () => {
    const edges = [1, 2, 63, 64, 612];
    return draws.bytes(draws.below(4) === 0 ? (edges[draws.below(5)] ?? 1) : 1 + draws.below(60));
  });
}

export function someChunk(draws: Draws): Chunk {
  return {
    bytes: draws.someBytes(200),
    chunkIndex: chunkIndex(draws.u32()),
    proof: someProof(draws),
  };
}

export function someHash(draws: Draws): CandidateHash {
  return candidateHash(toHex(draws.bytes(32)));
}

export function someFeatures(draws: Draws): NodeFeatures {
  return Array.from({ length: draws.below(80) }, () => draws.below(2) === 1);
}

export function someReceipt(draws: Draws): ReceiptFields {
  const common = {
    paraId: draws.u32(),
    relayParent: draws.bytes(32),
    validationDataHash: draws.bytes(32),
    povHash: draws.bytes(32),
    erasureRoot: draws.bytes(32),
    paraHeadHash: draws.bytes(32),
    validationCodeHash: draws.bytes(32),
    commitmentsHash: draws.bytes(32),
  };
  const version = draws.below(3);
  if (version === 0) {
    return { ...common, version: 'v1', collator: draws.bytes(32), signature: draws.bytes(64) };
  }
  const sessionIndex = draws.below(0x7fff_ffff);
  const coreIndex = draws.below(0x1_0000);
  if (version === 1) {
    return { ...common, version: 'v2', coreIndex, sessionIndex };
  }
  return {
    ...common,
    version: 'v3',
    coreIndex,
    sessionIndex,
    schedulingSession: sessionIndex + draws.below(256),
    schedulingParent: draws.bytes(32),
  };
}
