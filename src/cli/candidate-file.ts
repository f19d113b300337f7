/**
 * @module
 * The candidate file: candidates with receipt, full data and chunks as one JSON. Reading checks the
 * form only; what the file claims is proven by whoever uses it.
 */

import { dirname, resolve } from 'node:path';
import { type CandidateReceipt, candidateHashOf, candidateReceipt } from '../codec/candidate.ts';
import type { Chunk } from '../primitives/chunk.ts';
import type { ValidatorIndex } from '../primitives/ids.ts';
import {
  type CandidateHash,
  candidateHash,
  chunkIndex,
  validatorIndex,
} from '../primitives/ids.ts';
import { RECEIPT_BYTES } from '../primitives/limits.ts';
import { hexField, isRecord, proofField, proofHex } from './chunk-list.ts';
import { misuse } from './failure.ts';
import { readBytes, readJson } from './files.ts';
import { hexOf } from './hex.ts';
import { MAX_U32 } from './options.ts';

/** The chunk of one validator, as a file states it. */
export type CandidateChunk = { readonly validatorIndex: ValidatorIndex; readonly chunk: Chunk };

/** One candidate of a file. */
export type CandidateEntry = {
  readonly candidateHash: CandidateHash;
  /** Its hash is `candidateHash`; the reader has checked that. */
  readonly receipt: CandidateReceipt | undefined;
  /** SCALE bytes of the available data. */
  readonly availableData: Uint8Array | undefined;
  readonly chunks: readonly CandidateChunk[];
  readonly coreIndex: number | undefined;
  readonly sessionIndex: number | undefined;
  /** Size of the validator set that the chunks were made for. */
  readonly validatorCount: number | undefined;
};

/** A candidate file. */
export type CandidateFile = {
  readonly genesisHash: Uint8Array | undefined;
  readonly candidates: readonly CandidateEntry[];
};

/** Reads a candidate file and the files beside it that it names. */
export async function readCandidateFile(path: string): Promise<CandidateFile> {
  return parseCandidateFile(await readJson(path), path);
}

/** Whether a JSON value looks like a candidate file. */
export function isCandidateFile(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value['candidates']);
}

/** Reads a candidate file that has been parsed. @param path - For messages and for files beside it. */
export async function parseCandidateFile(value: unknown, path: string): Promise<CandidateFile> {
  if (!isRecord(value) || !Array.isArray(value['candidates'])) {
    throw misuse(`${path}: candidates: expected an array of candidates`);
  }
  const { genesisHash } = value;
  const candidates: CandidateEntry[] = [];
  for (const [i, entry] of value['candidates'].entries()) {
    candidates.push(await parseEntry(entry, `${path}: candidates[${i}]`, dirname(path)));
  }
  return {
    genesisHash:
      genesisHash === undefined ? undefined : hash32(genesisHash, `${path}: genesisHash`),
    candidates,
  };
}

/**
 * The candidate that a command is about: the one with this hash, or the only one.
 *
 * @param wanted - What `--candidate` says.
 */
export function pickCandidate(
  file: CandidateFile,
  path: string,
  wanted: string | undefined,
): CandidateEntry {
  const [only, ...others] = file.candidates;
  if (wanted === undefined) {
    if (only === undefined || others.length > 0) {
      const held = file.candidates.map((entry) => entry.candidateHash).join(', ');
      throw misuse(`${path}: name one candidate with --candidate; it holds: ${held || 'none'}`);
    }
    return only;
  }
  const entry = file.candidates.find((candidate) => candidate.candidateHash === wanted);
  if (entry === undefined) {
    throw misuse(`${path}: holds no candidate ${wanted}`);
  }
  return entry;
}

/** What {@link candidateFilePieces} writes besides receipt, data and chunks. */
export type CandidateFileFields = {
  readonly genesisHash: Uint8Array;
  readonly receipt: CandidateReceipt;
  readonly povHash: Uint8Array;
  readonly erasureRoot: Uint8Array;
  readonly coreIndex: number;
  readonly sessionIndex: number;
  readonly validatorCount: number;
  readonly availableData: Uint8Array;
  readonly chunks: readonly CandidateChunk[];
};

/** The text of a candidate file with one candidate, in pieces. */
export function* candidateFilePieces(fields: CandidateFileFields): Generator<string> {
  const head = {
    candidateHash: candidateHashOf(fields.receipt),
    receipt: hexOf(fields.receipt.bytes),
    povHash: hexOf(fields.povHash),
    erasureRoot: hexOf(fields.erasureRoot),
    coreIndex: fields.coreIndex,
    sessionIndex: fields.sessionIndex,
    validators: fields.validatorCount,
    availableData: hexOf(fields.availableData),
  };
  yield `{"genesisHash":"${hexOf(fields.genesisHash)}","candidates":[\n`;
  yield `${JSON.stringify(head).slice(0, -1)},\n"chunks":[`;
  for (const [i, { validatorIndex: holder, chunk }] of fields.chunks.entries()) {
    const line = JSON.stringify({
      validatorIndex: holder,
      chunkIndex: chunk.chunkIndex,
      chunk: hexOf(chunk.bytes),
      proof: proofHex(chunk.proof),
    });
    yield `${i === 0 ? '' : ','}\n${line}`;
  }
  yield '\n]}\n]}\n';
}

async function parseEntry(value: unknown, place: string, folder: string): Promise<CandidateEntry> {
  if (!isRecord(value)) {
    throw misuse(`${place}: expected an object`);
  }
  if (value['synthetic'] !== undefined) {
    throw misuse(`${place}.synthetic: synthetic content has no proofs and cannot be used`);
  }
  const hash = hexOf(hash32(value['candidateHash'], `${place}.candidateHash`));
  const receipt = parseReceipt(value['receipt'], `${place}.receipt`);
  if (receipt !== undefined && candidateHashOf(receipt) !== hash) {
    throw misuse(`${place}.receipt: its hash is ${candidateHashOf(receipt)}, not candidateHash`);
  }
  const { chunks = [] } = value;
  if (!Array.isArray(chunks)) {
    throw misuse(`${place}.chunks: expected an array`);
  }
  const parsed: CandidateChunk[] = [];
  for (const [i, chunk] of chunks.entries()) {
    parsed.push(await parseChunk(chunk, `${place}.chunks[${i}]`, folder));
  }
  return {
    candidateHash: candidateHash(hash),
    receipt,
    availableData: await hexOrFile(value, 'availableData', place, folder),
    chunks: parsed,
    coreIndex: optionalU32(value['coreIndex'], `${place}.coreIndex`),
    sessionIndex: optionalU32(value['sessionIndex'], `${place}.sessionIndex`),
    validatorCount: optionalU32(value['validators'], `${place}.validators`),
  };
}

async function parseChunk(value: unknown, place: string, folder: string): Promise<CandidateChunk> {
  if (!isRecord(value)) {
    throw misuse(`${place}: expected an object`);
  }
  const bytes = await hexOrFile(value, 'chunk', place, folder);
  if (bytes === undefined) {
    throw misuse(`${place}.chunk: expected a string of hex`);
  }
  return {
    validatorIndex: validatorIndex(u32Field(value['validatorIndex'], `${place}.validatorIndex`)),
    chunk: {
      bytes,
      chunkIndex: chunkIndex(u32Field(value['chunkIndex'], `${place}.chunkIndex`)),
      proof: proofField(value['proof'], `${place}.proof`),
    },
  };
}

function parseReceipt(value: unknown, place: string): CandidateReceipt | undefined {
  if (value === undefined) {
    return undefined;
  }
  const bytes = hexField(value, place);
  if (bytes.length !== RECEIPT_BYTES) {
    throw misuse(`${place}: expected ${RECEIPT_BYTES} bytes of hex, got ${bytes.length}`);
  }
  return candidateReceipt(bytes);
}

async function hexOrFile(
  value: Readonly<Record<string, unknown>>,
  key: string,
  place: string,
  folder: string,
): Promise<Uint8Array | undefined> {
  const file = value[`${key}File`];
  if (value[key] !== undefined) {
    return hexField(value[key], `${place}.${key}`);
  }
  if (file === undefined) {
    return undefined;
  }
  if (typeof file !== 'string') {
    throw misuse(`${place}.${key}File: expected a path`);
  }
  return readBytes(resolve(folder, file));
}

function hash32(value: unknown, place: string): Uint8Array {
  const bytes = hexField(value, place);
  if (bytes.length !== 32) {
    throw misuse(`${place}: expected 32 bytes of hex, got ${bytes.length}`);
  }
  return bytes;
}

function optionalU32(value: unknown, place: string): number | undefined {
  return value === undefined ? undefined : u32Field(value, place);
}

function u32Field(value: unknown, place: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_U32) {
    throw misuse(`${place}: expected an integer in 0..${MAX_U32}`);
  }
  return value;
}
