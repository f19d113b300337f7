/**
 * @module
 * Phases of a request window for its tests.
 */

import { RequestQueue } from '../../strategies/request-queue.ts';
import type { WindowPhase } from '../../strategies/request-window.ts';
import type { SourceKey } from '../../strategies/retry-table.ts';
import type { TestContext } from './support.ts';

/** A phase that waits for 7 of 7 chunks, wants `wanted` live attempts and allows two each. */
export function phaseOver(
  { context }: TestContext,
  sources: readonly SourceKey[],
  fields: Partial<WindowPhase> = {},
): WindowPhase {
  return {
    strategy: 'regular_chunks',
    queue: new RequestQueue(sources),
    attempts: 2,
    backups: [],
    threshold: 7,
    wants: () => true,
    held: () => context.known.count,
    desired: () => 10,
    ...fields,
  };
}
