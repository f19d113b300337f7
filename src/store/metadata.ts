/**
 * @module
 * What the store knows about one candidate, and its byte layout. The layout is ours alone: nothing
 * of it travels.
 *
 * Layout, version 1; integers little-endian, n = validator count, b = number of including blocks:
 *
 * ```
 * offset        size      field
 * 0             1         version, 1
 * 1             1         state: 0 unavailable, 1 unfinalized, 2 finalized
 * 2             1         flags: bit 0 = full data held; the others are zero
 * 3             1         zero
 * 4             4         n, 2..65,536
 * 8             8         first seen, ms since the epoch of the store's clock, below 2^48
 * 16            8         finalized at, likewise; zero unless the state is finalized
 * 24            32        erasure root
 * 56            32        BLAKE2b-256 of the full data's SCALE bytes; zero unless held
 * 88            ceil(n/8) validators whose chunk is held, bit V % 8 of byte V / 8; padding zero
 * 88+ceil(n/8)  4         b; at least 1 if the state is unfinalized, else zero
 * ..            36 b      per including block: number (4), hash (32); ascending, no block twice
 * ..            8         first 8 bytes of the BLAKE2b-256 of everything before
 * ```
 */

import { equalBytes, fromHex, toHex } from '../primitives/bytes.ts';
import { blake2b256, HASH_BYTES } from '../primitives/hash.ts';
import { MAX_VALIDATORS, MIN_VALIDATORS } from '../primitives/limits.ts';
import type { Bitfield } from './bitfield.ts';
import { bitfieldBytes } from './bitfield.ts';
import { StoreError } from './errors.ts';
import type { CandidateState, IncludingBlock } from './lifecycle.ts';
import { compareBlocks } from './lifecycle.ts';

/** Everything kept about one candidate besides its chunks and data. */
export type Metadata = {
  readonly state: CandidateState;
  /** What chunks are checked against; 32 bytes. */
  readonly erasureRoot: Uint8Array;
  readonly validatorCount: number;
  /** BLAKE2b-256 of the SCALE bytes of the full data; absent when it is not held. */
  readonly dataHash?: Uint8Array;
  /** Validators whose chunk is held. */
  readonly heldChunks: Bitfield;
};

/** Times are below this: 2^48 ms, some 8,900 years. */
export const MAX_TIME_MS: number = 2 ** 48 - 1;

const VERSION = 1;
const FLAG_DATA = 1;
const HEADER_BYTES = 88;
const BLOCK_BYTES = 4 + HASH_BYTES;
const CHECKSUM_BYTES = 8;
const STATE_TYPES = ['unavailable', 'unfinalized', 'finalized'] as const;

/** The stored form of metadata; see the module's layout. */
export function encodeMetadata(metadata: Metadata): Uint8Array {
  const { state, validatorCount, heldChunks } = metadata;
  const blocks = state.type === 'unfinalized' ? state.blocks : [];
  const blocksAt = HEADER_BYTES + bitfieldBytes(validatorCount);
  const checksumAt = blocksAt + 4 + blocks.length * BLOCK_BYTES;
  const bytes = new Uint8Array(checksumAt + CHECKSUM_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, VERSION);
  view.setUint8(1, STATE_TYPES.indexOf(state.type));
  view.setUint8(2, metadata.dataHash === undefined ? 0 : FLAG_DATA);
  view.setUint32(4, validatorCount, true);
  view.setBigUint64(8, BigInt(state.sinceMs), true);
  view.setBigUint64(16, BigInt(state.type === 'finalized' ? state.finalizedAtMs : 0), true);
  bytes.set(metadata.erasureRoot, 24);
  bytes.set(metadata.dataHash ?? [], 56);
  bytes.set(heldChunks, HEADER_BYTES);
  view.setUint32(blocksAt, blocks.length, true);
  blocks.forEach((block, index) => {
    const at = blocksAt + 4 + index * BLOCK_BYTES;
    view.setUint32(at, block.number, true);
    bytes.set(fromHex(block.hash, HASH_BYTES), at + 4);
  });
  bytes.set(checksum(bytes.subarray(0, checksumAt)), checksumAt);
  return bytes;
}

/**
 * Reads stored metadata.
 *
 * Buffers: the hashes and the bitfield of the result are copies.
 *
 * @throws {@link StoreError} `corrupt_metadata` and nothing else, for any input; `details.reason`
 * names the rule that was broken.
 */
export function decodeMetadata(bytes: Uint8Array): Metadata {
  assertIntact(bytes.length >= HEADER_BYTES + 4 + CHECKSUM_BYTES, 'too_short');
  const body = bytes.subarray(0, bytes.length - CHECKSUM_BYTES);
  assertIntact(equalBytes(checksum(body), bytes.subarray(body.length)), 'checksum');
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  assertIntact(view.getUint8(0) === VERSION, 'version');
  const flags = view.getUint8(2);
  assertIntact(flags <= FLAG_DATA && view.getUint8(3) === 0, 'flags');
  const validatorCount = view.getUint32(4, true);
  const isCountValid = validatorCount >= MIN_VALIDATORS && validatorCount <= MAX_VALIDATORS;
  assertIntact(isCountValid, 'validator_count');
  const dataHash = body.slice(56, 56 + HASH_BYTES);
  assertIntact(flags === FLAG_DATA || dataHash.every((byte) => byte === 0), 'data_hash');
  const blocksAt = HEADER_BYTES + bitfieldBytes(validatorCount);
  return {
    state: readState(view, blocksAt),
    erasureRoot: body.slice(24, 24 + HASH_BYTES),
    validatorCount,
    heldChunks: readHeldChunks(body.slice(HEADER_BYTES, blocksAt), validatorCount),
    ...(flags === FLAG_DATA ? { dataHash } : {}),
  };
}

function readState(view: DataView, blocksAt: number): CandidateState {
  const type = STATE_TYPES[view.getUint8(1)];
  const sinceMs = readTime(view, 8);
  const finalizedAtMs = readTime(view, 16);
  const blocks = readBlocks(view, blocksAt);
  assertIntact((type === 'unfinalized') === blocks.length > 0, 'blocks_of_state');
  assertIntact(type === 'finalized' || finalizedAtMs === 0, 'finality_of_state');
  switch (type) {
    case 'unavailable':
      return { type, sinceMs };
    case 'unfinalized':
      return { type, sinceMs, blocks };
    case 'finalized':
      return { type, sinceMs, finalizedAtMs };
    default:
      throw corrupt('state');
  }
}

function readBlocks(view: DataView, blocksAt: number): readonly IncludingBlock[] {
  assertIntact(blocksAt + 4 <= view.byteLength, 'length');
  const count = view.getUint32(blocksAt, true);
  assertIntact(blocksAt + 4 + count * BLOCK_BYTES === view.byteLength, 'length');
  const blocks: IncludingBlock[] = [];
  for (let at = blocksAt + 4; at < view.byteLength; at += BLOCK_BYTES) {
    const hash = new Uint8Array(view.buffer, view.byteOffset + at + 4, HASH_BYTES);
    const block = { number: view.getUint32(at, true), hash: toHex(hash) };
    const last = blocks.at(-1);
    assertIntact(last === undefined || compareBlocks(last, block) < 0, 'block_order');
    blocks.push(block);
  }
  return blocks;
}

function readHeldChunks(bits: Bitfield, validatorCount: number): Bitfield {
  const used = validatorCount % 8;
  assertIntact(used === 0 || (bits.at(-1) ?? 0) >>> used === 0, 'bitfield_padding');
  return bits;
}

function readTime(view: DataView, at: number): number {
  const timeMs = Number(view.getBigUint64(at, true));
  assertIntact(timeMs <= MAX_TIME_MS, 'time');
  return timeMs;
}

function checksum(bytes: Uint8Array): Uint8Array {
  return blake2b256(bytes).subarray(0, CHECKSUM_BYTES);
}

function assertIntact(isIntact: boolean, reason: string): void {
  if (!isIntact) {
    throw corrupt(reason);
  }
}

function corrupt(reason: string): StoreError {
  return new StoreError('corrupt_metadata', `stored metadata is not readable: ${reason}`, {
    reason,
  });
}
