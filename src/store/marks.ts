/**
 * @module
 * Moves a candidate along its lifecycle. Entries are neither added nor removed here.
 */

import type { CandidateHash } from '../primitives/ids.ts';
import { assertIdentity, assertSameCandidate } from './checks.ts';
import type { CandidateIdentity, StoreContext } from './context.ts';
import { newMetadata, replaceMetadata } from './context.ts';
import { metadataWhileLocked } from './corruption.ts';
import type { CandidateState } from './lifecycle.ts';

/** Makes a candidate known: *unavailable since now*. Whether it was unknown. */
export async function addCandidate(
  context: StoreContext,
  candidate: CandidateIdentity,
  signal: AbortSignal,
): Promise<boolean> {
  assertIdentity(candidate);
  const hash = candidate.candidateHash;
  return await context.locks.run(hash, async () => {
    signal.throwIfAborted();
    const before = await metadataWhileLocked(context, hash);
    assertSameCandidate(before, candidate);
    if (before === undefined) {
      const changes = replaceMetadata(hash, undefined, newMetadata(context, candidate));
      await context.database.commit(changes);
    }
    return before === undefined;
  });
}

/** Moves a known candidate to another state. Whether it is known. */
export async function changeState(
  context: StoreContext,
  hash: CandidateHash,
  signal: AbortSignal,
  next: (state: CandidateState, nowMs: number) => CandidateState,
): Promise<boolean> {
  return await context.locks.run(hash, async () => {
    signal.throwIfAborted();
    const before = await metadataWhileLocked(context, hash);
    if (before === undefined) {
      return false;
    }
    const state = next(before.state, context.nowMs());
    if (state !== before.state) {
      await context.database.commit(replaceMetadata(hash, before, { ...before, state }));
    }
    return true;
  });
}
