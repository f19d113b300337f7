/**
 * @module
 * The candidate that both processes of the kill test make.
 */

import { type StoreCandidate, storeCandidate } from '../support/store-candidate.ts';

/** 1,000 chunks of some 800 bytes each. */
export function killCandidate(seed: number): StoreCandidate {
  return storeCandidate({ seed, validatorCount: 1_000, povBytes: 200_000 });
}
