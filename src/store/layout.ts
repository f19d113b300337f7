/**
 * @module
 * Which key holds what. All numbers in keys are hex of fixed width, so that the order of keys is the
 * order of the numbers.
 *
 * ```
 * /candidate/<hash>              metadata (metadata.ts)
 * /data/<hash>                   SCALE bytes of the full available data, as they are served
 * /chunk/<hash>/<V>              one chunk (chunk-entry.ts); V in 4 digits
 * /unavailable/<ms>/<hash>       index for pruning, empty: unavailable since; ms in 12 digits
 * /finalized/<ms>/<hash>         index for pruning, empty: finalized at
 * ```
 */

import { Key } from 'interface-datastore';
import type { CandidateHash, ValidatorIndex } from '../primitives/ids.ts';
import { candidateHash, validatorIndex } from '../primitives/ids.ts';
import type { CandidateState } from './lifecycle.ts';

/** States that have a time after which the data may go; also the first part of their index keys. */
export const INDEXED_STATES: readonly IndexedState[] = ['unavailable', 'finalized'];

/** See {@link INDEXED_STATES}. */
export type IndexedState = 'unavailable' | 'finalized';

/** One line of the pruning index. */
export type IndexEntry = {
  readonly type: IndexedState;
  readonly atMs: number;
  readonly candidateHash: CandidateHash;
};

/** Where a candidate's metadata is. */
export function metadataKey(hash: CandidateHash): Key {
  return new Key(`/candidate/${hash}`, false);
}

/** Where a candidate's full data is. */
export function dataKey(hash: CandidateHash): Key {
  return new Key(`/data/${hash}`, false);
}

/** Where the chunk of one validator is. */
export function chunkKey(hash: CandidateHash, validator: ValidatorIndex): Key {
  return new Key(`${chunkPrefix(hash)}${validator.toString(16).padStart(4, '0')}`, false);
}

/** Prefix of all chunks of a candidate, in ascending order of V. */
export function chunkPrefix(hash: CandidateHash): string {
  return `/chunk/${hash}/`;
}

/** V of a chunk's key. */
export function validatorOfKey(key: Key): ValidatorIndex {
  return validatorIndex(Number.parseInt(key.toString().slice(-4), 16));
}

/** Prefix of one half of the pruning index, in ascending order of time. */
export function indexPrefix(type: IndexedState): string {
  return `/${type}/`;
}

/** The line of the pruning index that a state has, if any. */
export function indexKey(hash: CandidateHash, state: CandidateState): Key | undefined {
  if (state.type === 'unfinalized') {
    return undefined;
  }
  const atMs = state.type === 'finalized' ? state.finalizedAtMs : state.sinceMs;
  return new Key(`/${state.type}/${atMs.toString(16).padStart(12, '0')}/${hash}`, false);
}

/** Reads a line of the pruning index; `undefined` when it is none of ours. */
export function parseIndexKey(key: Key): IndexEntry | undefined {
  const match = /^\/(unavailable|finalized)\/([0-9a-f]{12})\/([0-9a-f]{64})$/.exec(key.toString());
  if (match?.[1] === undefined || match[2] === undefined || match[3] === undefined) {
    return undefined;
  }
  return {
    type: match[1] === 'finalized' ? 'finalized' : 'unavailable',
    atMs: Number.parseInt(match[2], 16),
    candidateHash: candidateHash(match[3]),
  };
}
