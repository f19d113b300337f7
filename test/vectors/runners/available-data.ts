/**
 * @module
 * Runner of `available-data.json`: whole candidates, from PoV and validation data to payload, hashes,
 * chunks, root, proofs, encoded erasure chunks and receipts, and back by both ways of recovery.
 */

import {
  type AvailableData,
  decodeAvailableData,
  encodeAvailableData,
  hashPov,
  hashValidationData,
} from '../../../src/codec/available-data.ts';
import {
  candidateHashOf,
  candidateReceipt,
  descriptorVersion,
  receiptCoreIndex,
  receiptErasureRoot,
  receiptPovHash,
  receiptSessionIndex,
  receiptValidationDataHash,
} from '../../../src/codec/candidate.ts';
import { decodeErasureChunk, encodeErasureChunk } from '../../../src/codec/erasure-chunk.ts';
import { HEX_TRIE_COMMITMENT } from '../../../src/commitment/commitment.ts';
import {
  CODEC_V1,
  reassembleUnchecked,
  reconstructUnchecked,
  type Shard,
} from '../../../src/erasure/index.ts';
import { concatBytes, fromHex, toHex } from '../../../src/primitives/bytes.ts';
import type { Chunk } from '../../../src/primitives/chunk.ts';
import { blake2b256 } from '../../../src/primitives/hash.ts';
import { chunkIndex } from '../../../src/primitives/ids.ts';
import { type Expected, inFormOf, type Source, sourceBytes } from '../payload.ts';
import type { Checks } from '../runner.ts';
import { checkProofs } from './erasure-v1.ts';

type Receipt = {
  readonly scale: string;
  readonly candidate_hash: string;
  readonly version: string;
  readonly version_old_rules: string;
};

type Case = {
  readonly name: string;
  readonly n: number;
  readonly k: number;
  readonly threshold: number;
  readonly pov_source: Source;
  readonly parent_head_source: Source;
  readonly relay_parent_number: number;
  readonly relay_parent_storage_root: string;
  readonly max_pov_size: number;
  readonly pov_hash: string;
  readonly persisted_validation_data_hash: string;
  readonly available_data: Expected;
  readonly payload_len: number;
  readonly chunk_len: number;
  readonly chunks?: readonly string[];
  readonly chunks_blake2b256?: string;
  readonly erasure_root: string;
  readonly nodes: readonly string[];
  readonly proofs: Readonly<Record<string, readonly number[]>>;
  readonly erasure_chunks: Readonly<Record<string, Expected>>;
  readonly core_index: number;
  readonly session_index: number;
  readonly receipts: Readonly<Record<'v1' | 'v2' | 'v3', Receipt>>;
};

function dataOf(vector: Case): AvailableData {
  return {
    pov: { blockData: sourceBytes(vector.pov_source) },
    validationData: {
      parentHead: sourceBytes(vector.parent_head_source),
      relayParentNumber: vector.relay_parent_number,
      relayParentStorageRoot: fromHex(vector.relay_parent_storage_root),
      maxPovSize: vector.max_pov_size,
    },
  };
}

function checkPayload(vector: Case, data: AvailableData, checks: Checks): Uint8Array {
  const { name } = vector;
  const payload = encodeAvailableData(data);
  checks.equal(payload.length, vector.payload_len, `${name}: payload length`);
  checks.equal(
    inFormOf(vector.available_data, payload),
    vector.available_data,
    `${name}: available data`,
  );
  checks.equal(toHex(hashPov(data.pov)), vector.pov_hash, `${name}: PoV hash`);
  checks.equal(
    toHex(hashValidationData(data.validationData)),
    vector.persisted_validation_data_hash,
    `${name}: validation data hash`,
  );
  return payload;
}

function checkChunks(vector: Case, chunks: readonly Uint8Array[], checks: Checks): void {
  const { name, n } = vector;
  const parameters = CODEC_V1.parameters(n);
  checks.equal(parameters.systematicThreshold, vector.k, `${name}: k`);
  checks.equal(parameters.recoveryThreshold, vector.threshold, `${name}: threshold`);
  checks.equal(chunks[0]!.length, vector.chunk_len, `${name}: chunk length`);
  if (vector.chunks === undefined) {
    const digest = toHex(blake2b256(concatBytes(chunks)));
    checks.equal(digest, vector.chunks_blake2b256, `${name}: digest of chunks`);
  } else {
    checks.equal(chunks.map(toHex), vector.chunks, `${name}: chunks`);
  }
}

function checkErasureChunks(vector: Case, chunks: readonly Chunk[], checks: Checks): void {
  for (const [index, expected] of Object.entries(vector.erasure_chunks)) {
    const what = `${vector.name}: erasure chunk ${index}`;
    const bytes = encodeErasureChunk(chunks[Number(index)]!);
    checks.equal(inFormOf(expected, bytes), expected, what);
    const { value, bytesRead } = decodeErasureChunk(bytes);
    checks.equal(bytesRead, bytes.length, `${what}: bytes read`);
    checks.equal(toHex(encodeErasureChunk(value)), toHex(bytes), `${what}: decoded and encoded`);
  }
}

/** Both ways of recovery give the value, from the payload with its padding. */
function checkRecovery(vector: Case, chunks: readonly Uint8Array[], checks: Checks): void {
  const { name, n, threshold } = vector;
  const shards = chunks.map((bytes, i): Shard => [i, bytes]);
  const ways = {
    regular: reconstructUnchecked(shards.slice(-threshold), n),
    systematic: reassembleUnchecked(chunks, n),
  };
  for (const [way, bytes] of Object.entries(ways)) {
    const { value, bytesRead } = decodeAvailableData(bytes);
    const again = encodeAvailableData(value);
    checks.equal(bytesRead, vector.payload_len, `${name}: ${way}, bytes read`);
    checks.equal(inFormOf(vector.available_data, again), vector.available_data, `${name}: ${way}`);
  }
}

function checkReceipts(vector: Case, checks: Checks): void {
  for (const [version, expected] of Object.entries(vector.receipts)) {
    const what = `${vector.name}: receipt ${version}`;
    const receipt = candidateReceipt(fromHex(expected.scale));
    checks.equal(candidateHashOf(receipt), expected.candidate_hash, `${what}: candidate hash`);
    checks.equal(toHex(receiptPovHash(receipt)), vector.pov_hash, `${what}: PoV hash`);
    checks.equal(toHex(receiptErasureRoot(receipt)), vector.erasure_root, `${what}: root`);
    checks.equal(
      toHex(receiptValidationDataHash(receipt)),
      vector.persisted_validation_data_hash,
      `${what}: validation data hash`,
    );
    const versions = [descriptorVersion(receipt), descriptorVersion(receipt, 'before_v3')];
    const names = [expected.version, expected.version_old_rules].map((name) => name.toLowerCase());
    checks.equal(versions, names, `${what}: version`);
    if (version !== 'v1') {
      const place = [receiptCoreIndex(receipt), receiptSessionIndex(receipt)];
      checks.equal(place, [vector.core_index, vector.session_index], `${what}: core and session`);
    }
  }
}

/** Makes every candidate anew and compares all of it. */
export function availableDataRunner(content: unknown, checks: Checks): void {
  for (const vector of (content as { readonly cases: readonly Case[] }).cases) {
    const payload = checkPayload(vector, dataOf(vector), checks);
    const chunks = CODEC_V1.encodeChunks(payload, vector.n);
    checkChunks(vector, chunks, checks);
    const committed = HEX_TRIE_COMMITMENT.commit(chunks);
    checks.equal(toHex(committed.root), vector.erasure_root, `${vector.name}: root`);
    checkProofs(checks, vector, chunks, committed, vector.name);
    const proven = chunks.map((bytes, i): Chunk => {
      return { bytes, chunkIndex: chunkIndex(i), proof: committed.proofs[i]! };
    });
    checkErasureChunks(vector, proven, checks);
    checkRecovery(vector, chunks, checks);
    checkReceipts(vector, checks);
  }
}
