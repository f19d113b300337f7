/**
 * @module
 * The chunk mapping of a configured session for one candidate.
 */

import { type ChunkMapping, chunkMapping, schemeOf } from '../mapping/assignment.ts';
import type { SessionInfo } from '../recovery/ports.ts';
import { misuse } from './failure.ts';

/**
 * Which chunk each validator of the session holds.
 *
 * @param coreIndex - Needed unless the mapping is the identity.
 */
export function sessionMapping(session: SessionInfo, coreIndex: number | undefined): ChunkMapping {
  const scheme = session.mapping?.scheme ?? schemeOf(session.nodeFeatures);
  if (scheme !== 'identity' && coreIndex === undefined) {
    throw misuse(`the core index is not known, and the mapping ${scheme} needs it`);
  }
  return chunkMapping({
    scheme,
    validatorCount: session.validators.length,
    coreIndex: coreIndex ?? 0,
    seed: session.mapping?.seed,
  });
}
