/**
 * @module
 * Whether a candidate file and a config are about the same network. Recovery would find out as well, but
 * only by asking everybody in vain.
 */

import { equalBytes } from '../primitives/bytes.ts';
import type { CandidateHash } from '../primitives/ids.ts';
import { misuse } from './failure.ts';
import { hexOf } from './hex.ts';

/**
 * Refuses a file that was made for another chain.
 *
 * @param genesisHash - Of the file; a file without one fits every chain.
 * @param path - The file's, for the message.
 */
export function assertSameChain(
  genesisHash: Uint8Array | undefined,
  config: { readonly genesisHash: Uint8Array },
  path: string,
): void {
  if (genesisHash !== undefined && !equalBytes(genesisHash, config.genesisHash)) {
    throw misuse(
      `${path}: genesisHash is ${hexOf(genesisHash)}, the config has ${hexOf(config.genesisHash)}`,
    );
  }
}

/** Refuses a candidate whose chunks were made for another number of validators, if the file says how many. */
export function assertSameValidatorCount(
  candidate: {
    readonly candidateHash: CandidateHash;
    readonly validatorCount: number | undefined;
  },
  sessionValidatorCount: number,
): void {
  const { candidateHash, validatorCount = sessionValidatorCount } = candidate;
  if (validatorCount !== sessionValidatorCount) {
    throw misuse(
      `candidate ${candidateHash} is for ${validatorCount} validators, ` +
        `the session has ${sessionValidatorCount}`,
    );
  }
}
