/**
 * @module
 * Branded names for the numbers and hashes of the protocol. Validator and chunk indices are two
 * types on purpose: only `mapping/` converts one into the other.
 */

declare const brand: unique symbol;

/** Place in the session's validator list. */
export type ValidatorIndex = number & { readonly [brand]: 'ValidatorIndex' };

/** Place in the erasure code. */
export type ChunkIndex = number & { readonly [brand]: 'ChunkIndex' };

/** BLAKE2b-256 of the 324 receipt bytes as 64 lower-case hex characters, without `0x`. */
export type CandidateHash = string & { readonly [brand]: 'CandidateHash' };

/** Authority-discovery key of a validator, in whatever text form the session directory uses. */
export type AuthorityId = string & { readonly [brand]: 'AuthorityId' };

/** Brands a number as a validator index, after a range check by the caller. */
export function validatorIndex(value: number): ValidatorIndex {
  return value as ValidatorIndex;
}

/** Brands a number as a chunk index, after a range check by the caller. */
export function chunkIndex(value: number): ChunkIndex {
  return value as ChunkIndex;
}

/** Brands a text as an authority id. */
export function authorityId(value: string): AuthorityId {
  return value as AuthorityId;
}

/**
 * Checks and brands the text form of a candidate hash.
 *
 * @throws TypeError when it is not 64 lower-case hex characters.
 */
export function candidateHash(value: string): CandidateHash {
  if (!/^[0-9a-f]{64}$/.test(value)) {
    throw new TypeError(
      `candidateHash: expected 64 lower-case hex characters, got ${value.length}`,
    );
  }
  return value as CandidateHash;
}
