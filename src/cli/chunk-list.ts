/**
 * @module
 * Chunks in JSON files: what `encode` writes, what `decode` and `verify` read. Nothing read here is
 * proven; a chunk becomes a {@link VerifiedChunk} in `commitment/` only.
 */

import { MAX_PROOF_NODE_BYTES, MAX_PROOF_NODES } from '../primitives/limits.ts';
import { misuse } from './failure.ts';
import { hexOf, tryBytesOfHex } from './hex.ts';

/** A chunk as a file states it. */
export type ListedChunk = {
  /** Whatever number the file gives, in range or not. */
  readonly chunkIndex: number;
  readonly bytes: Uint8Array;
  /** Absent when the file gives none. */
  readonly proof: readonly Uint8Array[] | undefined;
  /** Where in the file, for messages. */
  readonly place: string;
};

/** Whether a proof keeps the bounds that the wire decoder checks (recovery spec §2.6). */
export function isWithinProofBounds(proof: readonly Uint8Array[]): boolean {
  return (
    proof.length >= 1 &&
    proof.length <= MAX_PROOF_NODES &&
    proof.every((node) => node.length >= 1 && node.length <= MAX_PROOF_NODE_BYTES)
  );
}

/**
 * Reads chunks from the JSON of `encode`, from a bare array of chunks, or from a candidate file with
 * one candidate.
 *
 * @param name - The file's name, for messages.
 */
export function readChunkList(value: unknown, name: string): readonly ListedChunk[] {
  const list = findList(value, name);
  return list.map((item, i) => readListedChunk(item, `${name}: chunks[${i}]`));
}

/**
 * How many validators the chunks of a file were made for: what the option says or, without it, the file.
 *
 * @param value - The file that {@link readChunkList} reads.
 * @param option - What `--validators` says; refused when the file says something else.
 */
export function validatorCountFor(
  value: unknown,
  name: string,
  option: number | undefined,
): number {
  const stated = statedCount(value);
  if (stated !== undefined && typeof stated !== 'number') {
    throw misuse(`${name}: validators: expected a number`);
  }
  const count = option ?? stated;
  if (count === undefined) {
    throw misuse(`--validators: needed, ${name} does not say how many there are`);
  }
  if (stated !== undefined && stated !== count) {
    throw misuse(`--validators: ${name} is for ${stated} validators, not ${count}`);
  }
  return count;
}

/** Reads one field that must be hex. */
export function hexField(value: unknown, place: string): Uint8Array {
  const bytes = typeof value === 'string' ? tryBytesOfHex(value) : undefined;
  if (bytes === undefined) {
    throw misuse(`${place}: expected a string of hex`);
  }
  return bytes;
}

/** Reads a proof: an array of hex strings. */
export function proofField(value: unknown, place: string): readonly Uint8Array[] {
  if (!Array.isArray(value)) {
    throw misuse(`${place}: expected an array of hex strings`);
  }
  return value.map((node, i) => hexField(node, `${place}[${i}]`));
}

/** A proof in hex. */
export function proofHex(proof: readonly Uint8Array[]): string[] {
  return proof.map((node) => hexOf(node));
}

/** Whether a JSON value is an object with fields. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function statedCount(value: unknown): unknown {
  if (!isRecord(value)) {
    return undefined;
  }
  const { chunks, candidates, validators } = value;
  const isOfCandidate = !Array.isArray(chunks) && Array.isArray(candidates);
  return isOfCandidate ? statedCount(candidates[0]) : validators;
}

function findList(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) {
    return value;
  }
  if (isRecord(value)) {
    const { chunks, candidates } = value;
    if (Array.isArray(chunks)) {
      return chunks;
    }
    if (Array.isArray(candidates) && candidates.length === 1) {
      return findList(candidates[0], name);
    }
    if (Array.isArray(candidates)) {
      throw misuse(`${name}: candidates: expected one candidate, got ${candidates.length}`);
    }
  }
  throw misuse(`${name}: chunks: expected an array of { chunkIndex, chunk, proof }`);
}

function readListedChunk(value: unknown, place: string): ListedChunk {
  if (!isRecord(value)) {
    throw misuse(`${place}: expected an object`);
  }
  const { chunkIndex, chunk, proof } = value;
  if (typeof chunkIndex !== 'number') {
    throw misuse(`${place}.chunkIndex: expected a number`);
  }
  return {
    chunkIndex,
    bytes: hexField(chunk, `${place}.chunk`),
    proof: proof === undefined ? undefined : proofField(proof, `${place}.proof`),
    place,
  };
}
