/**
 * @module
 * Results worth keeping: checked data and `invalid`. `unavailable` and everything local is never kept
 * (recovery spec §4.2).
 */

import { LRUCache } from 'lru-cache';
import type { RecoveryError } from './errors.ts';
import type { CheckedRequest } from './request.ts';
import type { CheckedData } from './result-check.ts';

/** A kept result. */
export type CachedResult =
  | { readonly type: 'data'; readonly data: CheckedData }
  | { readonly type: 'invalid'; readonly error: RecoveryError };

/**
 * What makes two recoveries the same: candidate, session, check mode and use of the store. Group, core
 * and strategies only say how to get there.
 */
export function recoveryKey({
  candidate,
  sessionIndex,
  checkMode,
  useStore,
}: CheckedRequest): string {
  return `${candidate.candidateHash}:${sessionIndex}:${checkMode}:${useStore ? 'store' : 'bypass'}`;
}

/** Least recently used results go first; a hit counts as use. */
export function resultCache(entries: number): LRUCache<string, CachedResult> {
  return new LRUCache({ max: entries });
}
