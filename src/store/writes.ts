/**
 * @module
 * Writing: nothing unchecked is stored, storing again changes nothing, and each write is one batch of
 * entries and metadata, so that a crash leaves whole entries only.
 */

import type { AvailableData } from '../codec/available-data.ts';
import { encodeAvailableData } from '../codec/available-data.ts';
import { FAST_HEX_TRIE } from '../coding/fast-commitment.ts';
import { verifyChunk } from '../commitment/verify-chunk.ts';
import type { ChunkMapping } from '../mapping/assignment.ts';
import { equalBytes } from '../primitives/bytes.ts';
import type { Chunk, TrieProof } from '../primitives/chunk.ts';
import { ErasureError } from '../primitives/errors.ts';
import { blake2b256 } from '../primitives/hash.ts';
import type { ValidatorIndex } from '../primitives/ids.ts';
import { validatorIndex as toValidatorIndex } from '../primitives/ids.ts';
import { hasBit, withBits } from './bitfield.ts';
import { assertIdentity, assertSameCandidate, assertValidator } from './checks.ts';
import { encodeChunkEntry } from './chunk-entry.ts';
import type { CandidateIdentity, StoreContext } from './context.ts';
import { newMetadata, replaceMetadata } from './context.ts';
import { loadMetadata, metadataWhileLocked } from './corruption.ts';
import type { DatabaseChange } from './database.ts';
import { StoreError } from './errors.ts';
import { chunkKey, dataKey } from './layout.ts';
import type { Metadata } from './metadata.ts';
import { CHUNKS_STORED, DATA_STORED } from './metrics.ts';

/** Full data to store. */
export type AvailableDataEntry = CandidateIdentity & {
  readonly data: AvailableData;
  /** Which chunk belongs to which validator; of the same n. */
  readonly mapping: ChunkMapping;
  /** Whose chunks are kept: a backer keeps `all` (the default), a validator only its own. */
  readonly keep?: 'all' | readonly ValidatorIndex[];
  /** Whether the full data itself is kept. By default exactly when all chunks are. */
  readonly keepData?: boolean;
};

/** One chunk to store. That it is the one which belongs to the validator is the caller's word. */
export type ChunkEntry = CandidateIdentity & {
  readonly validatorIndex: ValidatorIndex;
  readonly chunk: Chunk;
};

/** What a write added; all zero when everything was held already. */
export type StoreReport = { readonly storedChunks: number; readonly hasStoredData: boolean };

type Encoding = {
  readonly chunks: readonly Uint8Array[];
  readonly proofs: readonly TrieProof[];
};

const NOTHING_STORED: StoreReport = { storedChunks: 0, hasStoredData: false };

/** Checks full data against its root and stores what `keep` names. One encode serves for all. */
export async function storeData(
  context: StoreContext,
  entry: AvailableDataEntry,
  signal: AbortSignal,
): Promise<StoreReport> {
  assertIdentity(entry);
  const kept = keptValidators(entry);
  const data = encodeAvailableData(entry.data);
  const dataHash =
    (entry.keepData ?? kept.length === entry.validatorCount) ? blake2b256(data) : undefined;
  const known = await loadMetadata(context, entry.candidateHash, signal);
  assertSameCandidate(known, entry);
  if (known !== undefined && dataHash !== undefined && isAllHeld(known, kept, dataHash)) {
    return NOTHING_STORED;
  }
  const { chunks, proofs } = encodeChecked(context, entry, data);
  return await addEntries(context, entry, signal, {
    ...(dataHash === undefined ? {} : { data, dataHash }),
    validators: kept,
    chunkEntry: (validator) => {
      const chunkIndex = entry.mapping.chunkOf(validator);
      const [bytes, proof] = [chunks[chunkIndex], proofs[chunkIndex]];
      if (bytes === undefined || proof === undefined) {
        throw new RangeError(`mapping: chunk ${chunkIndex} is not among the encoded chunks`);
      }
      return encodeChunkEntry({ bytes, chunkIndex, proof });
    },
  });
}

/** Checks one chunk's proof and stores it. */
export async function storeOneChunk(
  context: StoreContext,
  entry: ChunkEntry,
  signal: AbortSignal,
): Promise<StoreReport> {
  assertIdentity(entry);
  assertValidator(entry.validatorIndex, entry.validatorCount);
  const { erasureRoot, chunk, validatorCount } = entry;
  const verdict = verifyChunk({ erasureRoot, chunk, validatorCount });
  if (verdict.type === 'invalid') {
    throw invalidChunk(verdict.reason);
  }
  const stored = boundedEntry(verdict.chunk);
  return await addEntries(context, entry, signal, {
    validators: [entry.validatorIndex],
    chunkEntry: () => stored,
  });
}

type NewEntries = {
  readonly data?: Uint8Array;
  readonly dataHash?: Uint8Array;
  readonly validators: readonly ValidatorIndex[];
  /** Stored form of the chunk that belongs to a validator. */
  chunkEntry(validator: ValidatorIndex): Uint8Array;
};

/** Writes those of the new entries that are not held yet, with the metadata, in one batch. */
async function addEntries(
  context: StoreContext,
  candidate: CandidateIdentity,
  signal: AbortSignal,
  entries: NewEntries,
): Promise<StoreReport> {
  const hash = candidate.candidateHash;
  return await context.locks.run(hash, async () => {
    signal.throwIfAborted();
    const before = await metadataWhileLocked(context, hash);
    assertSameCandidate(before, candidate);
    const base = before ?? newMetadata(context, candidate);
    const missing = entries.validators.filter((validator) => !hasBit(base.heldChunks, validator));
    const newData = base.dataHash === undefined ? entries.data : undefined;
    if (before !== undefined && missing.length === 0 && newData === undefined) {
      return NOTHING_STORED;
    }
    const after: Metadata = {
      ...base,
      heldChunks: withBits(base.heldChunks, missing),
      ...(newData === undefined || entries.dataHash === undefined
        ? {}
        : { dataHash: entries.dataHash }),
    };
    const changes: DatabaseChange[] = missing.map((validator) => ({
      type: 'put',
      key: chunkKey(hash, validator),
      value: entries.chunkEntry(validator),
    }));
    if (newData !== undefined) {
      changes.push({ type: 'put', key: dataKey(hash), value: newData });
    }
    await context.database.commit([...changes, ...replaceMetadata(hash, before, after)]);
    return report(context, missing.length, newData !== undefined);
  });
}

function report(context: StoreContext, storedChunks: number, hasStoredData: boolean): StoreReport {
  if (storedChunks > 0) {
    context.metrics.increment(CHUNKS_STORED, undefined, storedChunks);
  }
  if (hasStoredData) {
    context.metrics.increment(DATA_STORED);
  }
  return { storedChunks, hasStoredData };
}

/** Spec: data that does not encode counts as a wrong root (recovery spec §4.8). */
function encodeChecked(
  context: StoreContext,
  entry: AvailableDataEntry,
  data: Uint8Array,
): Encoding {
  try {
    const chunks = context.codec.encodeChunks(data, entry.validatorCount);
    const { root, proofs } = FAST_HEX_TRIE.commit(chunks);
    if (equalBytes(root, entry.erasureRoot)) {
      return { chunks, proofs };
    }
  } catch (error: unknown) {
    if (!(error instanceof ErasureError)) {
      throw error;
    }
    throw new StoreError('invalid_erasure_root', 'the data does not encode', {}, error);
  }
  throw new StoreError('invalid_erasure_root', 'the data encodes to another erasure root');
}

/** A proof may hold and yet have more nodes than travel (recovery spec §2.6); such a one is refused. */
function boundedEntry(chunk: Chunk): Uint8Array {
  try {
    return encodeChunkEntry(chunk);
  } catch (error: unknown) {
    throw invalidChunk('bad_proof_bounds', error);
  }
}

function invalidChunk(reason: string, cause?: unknown): StoreError {
  const message = 'the chunk does not belong under the erasure root';
  return new StoreError('invalid_chunk', message, { reason }, cause);
}

function keptValidators(entry: AvailableDataEntry): readonly ValidatorIndex[] {
  const { mapping, validatorCount, keep = 'all' } = entry;
  if (mapping.validatorCount !== validatorCount) {
    throw new RangeError(
      `mapping: expected one of ${validatorCount} validators, got ${mapping.validatorCount}`,
    );
  }
  if (keep === 'all') {
    return Array.from({ length: validatorCount }, (_, index) => toValidatorIndex(index));
  }
  for (const validator of keep) {
    assertValidator(validator, validatorCount);
  }
  return [...new Set(keep)];
}

function isAllHeld(
  metadata: Metadata,
  kept: readonly ValidatorIndex[],
  dataHash: Uint8Array,
): boolean {
  return (
    metadata.dataHash !== undefined &&
    equalBytes(metadata.dataHash, dataHash) &&
    kept.every((validator) => hasBit(metadata.heldChunks, validator))
  );
}
