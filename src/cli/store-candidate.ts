/**
 * @module
 * Puts what a candidate file holds into a store, after everything in it was proven against the
 * receipt.
 */

import { type AvailableData, decodeAvailableData, hashPov } from '../codec/available-data.ts';
import {
  type CandidateReceipt,
  receiptCoreIndex,
  receiptErasureRoot,
  receiptPovHash,
} from '../codec/candidate.ts';
import { codingOn, engine } from '../coding/engine.ts';
import { verifyChunk } from '../commitment/verify-chunk.ts';
import type { ChunkMapping } from '../mapping/assignment.ts';
import { equalBytes } from '../primitives/bytes.ts';
import type { CandidateHash, ValidatorIndex } from '../primitives/ids.ts';
import type { AvailabilityStore } from '../store/availability-store.ts';
import type { CandidateChunk, CandidateEntry } from './candidate-file.ts';
import { isWithinProofBounds } from './chunk-list.ts';
import { CliError, misuse } from './failure.ts';
import { assertSameValidatorCount } from './fits-config.ts';
import { soleValue } from './settle.ts';

/** A candidate whose every part was proven. Made by {@link proveCandidate} only. */
export type ProvenCandidate = {
  readonly candidateHash: CandidateHash;
  readonly erasureRoot: Uint8Array;
  readonly validatorCount: number;
  readonly data: AvailableData | undefined;
  readonly chunks: readonly CandidateChunk[];
  readonly mapping: ChunkMapping;
};

/** What was stored. */
export type StoredSummary = { readonly storedChunks: number; readonly storedData: boolean };

/**
 * Checks a candidate of a file: each chunk's proof, and for full data the PoV hash and the erasure root.
 *
 * @param mappingOf - The session's mapping for a core: the file's, else the receipt's.
 * @throws CliError `invalid` for what is provably wrong, `misuse` for what cannot be proven.
 */
export function proveCandidate(
  entry: CandidateEntry,
  mappingOf: (coreIndex: number | undefined) => ChunkMapping,
): ProvenCandidate {
  const { candidateHash, receipt, chunks, availableData } = entry;
  if (receipt === undefined) {
    throw misuse(`candidate ${candidateHash} has no receipt: nothing in it can be proven`);
  }
  const mapping = mappingOf(entry.coreIndex ?? receiptCoreIndex(receipt));
  const { validatorCount } = mapping;
  assertSameValidatorCount(entry, validatorCount);
  const erasureRoot = receiptErasureRoot(receipt);
  const seen = new Set<number>();
  for (const chunk of chunks) {
    if (chunk.validatorIndex >= validatorCount || seen.has(chunk.validatorIndex)) {
      throw misuse(
        `candidate ${candidateHash}: validator ${chunk.validatorIndex} is unknown or named twice`,
      );
    }
    seen.add(chunk.validatorIndex);
    proveChunk(chunk, erasureRoot, validatorCount);
  }
  return {
    candidateHash,
    erasureRoot,
    validatorCount,
    data:
      availableData === undefined ? undefined : proveData(availableData, receipt, entry, mapping),
    chunks,
    mapping,
  };
}

/**
 * Stores everything: full data and all chunks. A file with data and without chunks gives the chunks
 * that the data has under the session's mapping.
 */
export async function storeEverything(
  store: AvailabilityStore,
  candidate: ProvenCandidate,
): Promise<StoredSummary> {
  const { candidateHash, erasureRoot, validatorCount, data, chunks, mapping } = candidate;
  const identity = { candidateHash, erasureRoot, validatorCount };
  const isRegular = chunks.every(
    ({ validatorIndex, chunk }) => mapping.chunkOf(validatorIndex) === chunk.chunkIndex,
  );
  const isWhole = isRegular && (chunks.length === 0 || chunks.length === validatorCount);
  if (data !== undefined && isWhole) {
    const report = await soleValue(
      store.storeAvailableData({ ...identity, data, mapping, keep: 'all' }),
    );
    return { storedChunks: report.storedChunks, storedData: report.hasStoredData };
  }
  let storedChunks = 0;
  for (const chunk of chunks) {
    storedChunks += await storeChunk(store, candidate, chunk);
  }
  if (data === undefined) {
    return { storedChunks, storedData: false };
  }
  const report = await soleValue(
    store.storeAvailableData({ ...identity, data, mapping, keep: [], keepData: true }),
  );
  return { storedChunks, storedData: report.hasStoredData };
}

/** Stores the chunk of one validator and nothing else. */
export async function storeOnlyOf(
  store: AvailabilityStore,
  candidate: ProvenCandidate,
  validator: ValidatorIndex,
): Promise<StoredSummary> {
  const { candidateHash, erasureRoot, validatorCount, data, chunks, mapping } = candidate;
  const own = chunks.find((chunk) => chunk.validatorIndex === validator);
  if (own !== undefined) {
    return { storedChunks: await storeChunk(store, candidate, own), storedData: false };
  }
  if (data === undefined) {
    throw misuse(`candidate ${candidateHash}: no chunk of validator ${validator}, and no data`);
  }
  const report = await soleValue(
    store.storeAvailableData({
      candidateHash,
      erasureRoot,
      validatorCount,
      data,
      mapping,
      keep: [validator],
      keepData: false,
    }),
  );
  return { storedChunks: report.storedChunks, storedData: false };
}

async function storeChunk(
  store: AvailabilityStore,
  { candidateHash, erasureRoot, validatorCount }: ProvenCandidate,
  { validatorIndex, chunk }: CandidateChunk,
): Promise<number> {
  const report = await soleValue(
    store.storeChunk({ candidateHash, erasureRoot, validatorCount, validatorIndex, chunk }),
  );
  return report.storedChunks;
}

function proveChunk(
  { validatorIndex, chunk }: CandidateChunk,
  erasureRoot: Uint8Array,
  validatorCount: number,
): void {
  const reason = isWithinProofBounds(chunk.proof)
    ? verifyChunk({ erasureRoot, chunk, validatorCount })
    : ({ type: 'invalid', reason: 'bad_proof_bounds' } as const);
  if (reason.type === 'invalid') {
    throw new CliError(
      'invalid',
      `the chunk of validator ${validatorIndex} does not verify: ${reason.reason}`,
    );
  }
}

function proveData(
  payload: Uint8Array,
  receipt: CandidateReceipt,
  { candidateHash }: CandidateEntry,
  { validatorCount }: ChunkMapping,
): AvailableData {
  const { value, bytesRead } = decodeAvailableData(payload);
  if (bytesRead !== payload.length) {
    throw misuse(`candidate ${candidateHash}: bytes follow the available data`);
  }
  if (!equalBytes(hashPov(value.pov), receiptPovHash(receipt))) {
    throw new CliError('invalid', `candidate ${candidateHash}: the PoV has another hash`);
  }
  const { codec, commitment } = codingOn(engine().id);
  const root = commitment.root(codec.encodeChunks(payload, validatorCount));
  if (!equalBytes(root, receiptErasureRoot(receipt))) {
    throw new CliError('invalid', `candidate ${candidateHash}: the data has another erasure root`);
  }
  return value;
}
