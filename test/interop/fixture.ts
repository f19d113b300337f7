/**
 * @module
 * The candidates of `fixture-n6.json` (six validators, made by independent models), a candidate of
 * made-up bytes of any size, and a store that serves both.
 */

import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EMPTY, of } from 'rxjs';
import { fromHex, toHex } from '../../src/primitives/bytes.ts';
import type { Chunk } from '../../src/primitives/chunk.ts';
import { type CandidateHash, candidateHash, chunkIndex } from '../../src/primitives/ids.ts';
import type { ServedStore } from '../../src/recovery/ports.ts';

type FileChunk = {
  readonly validatorIndex: number;
  readonly chunkIndex: number;
  readonly chunk: string;
  readonly proof: readonly string[];
};

type FileCandidate = {
  readonly candidateHash: string;
  readonly erasureRoot: string;
  readonly availableData?: string;
  readonly chunks: readonly FileChunk[];
};

/** A candidate file, as the Rust peer and the command line read it. */
export type CandidateFile = {
  readonly genesisHash: string;
  readonly candidates: readonly FileCandidate[];
};

/** Path of the fixture file. */
export const FIXTURE_PATH: string = join(import.meta.dirname, 'fixture-n6.json');

const FILE = JSON.parse(readFileSync(FIXTURE_PATH, 'utf8')) as CandidateFile;

/** Genesis hash of the fixture: Polkadot's. */
export const GENESIS: Uint8Array = fromHex(FILE.genesisHash);

/** The worked example: chunks, but no available data. */
export const WORKED_EXAMPLE: CandidateHash = candidateHash('11'.repeat(32));
/** The 110-byte data on core 0: chunk index = validator index. */
export const ON_CORE_0: CandidateHash = hashThatStarts('6815d7bf');
/** The same on core 1 with chunk mapping: chunk index = (2 + validator index) mod 6. */
export const ON_CORE_1: CandidateHash = hashThatStarts('ff6dfab0');
/** A candidate that nobody has. */
export const UNKNOWN: CandidateHash = candidateHash('ee'.repeat(32));
/** The candidate of a {@link syntheticFile}. */
export const SYNTHETIC: CandidateHash = candidateHash('5e'.repeat(32));

/** The chunk of a validator, as the file has it. */
export function fixtureChunk(candidate: CandidateHash, validator: number): Chunk | undefined {
  const found = entry(candidate)?.chunks.find((chunk) => chunk.validatorIndex === validator);
  return found === undefined
    ? undefined
    : {
        bytes: fromHex(found.chunk),
        chunkIndex: chunkIndex(found.chunkIndex),
        proof: found.proof.map((node) => fromHex(node)),
      };
}

/** SCALE of the available data, as the file has it. */
export function fixtureData(candidate: CandidateHash): Uint8Array | undefined {
  const hex = entry(candidate)?.availableData;
  return hex === undefined ? undefined : fromHex(hex);
}

/** The erasure root of a candidate of the file. */
export function erasureRoot(candidate: CandidateHash): Uint8Array {
  return fromHex(entry(candidate)?.erasureRoot ?? '');
}

/** Sizes of a synthetic candidate. */
export type SyntheticSize = {
  readonly validators: number;
  readonly chunkBytes: number;
  readonly povBytes: number;
};

/** Byte j of the chunk of validator v is 131 v + 7 j + (j >> 8), as in the Rust peer. */
export function syntheticBytes(validator: number, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  for (let j = 0; j < size; j += 1) {
    bytes[j] = 131 * validator + 7 * j + (j >> 8);
  }
  return bytes;
}

/** A candidate file with nothing but sizes, in a temporary folder. */
export function syntheticFile(synthetic: SyntheticSize): { path: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'interop-'));
  const path = join(folder, 'synthetic.json');
  const candidates = [{ candidateHash: SYNTHETIC, synthetic }];
  writeFileSync(path, JSON.stringify({ genesisHash: FILE.genesisHash, candidates }));
  return { path, remove: () => rmSync(folder, { recursive: true }) };
}

/** SCALE of the synthetic available data. */
export function syntheticData(povBytes: number): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(povBytes * 4 + 2);
  const rest = Buffer.from(`040407000000${'55'.repeat(32)}00040000`, 'hex');
  return new Uint8Array(Buffer.concat([length, syntheticBytes(0, povBytes), rest]));
}

/** Serves the fixture, and the synthetic candidate where sizes are given. */
export function fixtureStore(synthetic?: SyntheticSize): ServedStore {
  const data = synthetic === undefined ? undefined : syntheticData(synthetic.povBytes);
  return {
    serveChunk: (candidate, validator) => {
      const chunk =
        candidate === SYNTHETIC && synthetic !== undefined
          ? {
              bytes: syntheticBytes(validator, synthetic.chunkBytes),
              chunkIndex: chunkIndex(validator),
              proof: [new Uint8Array(32).fill(validator)],
            }
          : fixtureChunk(candidate, validator);
      return chunk === undefined ? EMPTY : of(chunk);
    },
    serveAvailableData: (candidate) => {
      const held = candidate === SYNTHETIC ? data : fixtureData(candidate);
      return held === undefined ? EMPTY : of(held);
    },
  };
}

/** SHA-256 in hex, which the Rust peer prints of each answer. */
export function sha256(bytes: Uint8Array): string {
  return toHex(createHash('sha256').update(bytes).digest());
}

function entry(candidate: CandidateHash): FileCandidate | undefined {
  return FILE.candidates.find((known) => known.candidateHash === candidate);
}

function hashThatStarts(prefix: string): CandidateHash {
  const found = FILE.candidates.find((known) => known.candidateHash.startsWith(prefix));
  return candidateHash(found?.candidateHash ?? '');
}
