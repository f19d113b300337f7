/**
 * @module
 * Recovery of available data, and the pure parts it stands on: codec, erasure code, commitment and
 * chunk mapping. No libp2p, no Node API.
 */

export type * from './callers/in-order-events.ts';
export * from './callers/pov.ts';
export * from './callers/recover-in-order.ts';
export * from './callers/recover-with-retries.ts';
export * from './callers/requests.ts';
export {
  APPROVAL_RETRY,
  COLLATOR_RETRY,
  type DelayRange,
  FULL_NODE_RETRY,
  RELAY_SLOT_MS,
  type RepeatableCode,
  type RetryPolicy,
} from './callers/retry-policy.ts';
export * from './callers/too-early.ts';
export * from './codec/available-data.ts';
export * from './codec/candidate.ts';
export * from './codec/erasure-chunk.ts';
export * from './codec/node-features.ts';
export type { Production } from './coding/chunk-production.ts';
export * from './coding/coding.ts';
export * from './coding/engine.ts';
export type * from './coding/erasure-work.ts';
export { FAST_HEX_TRIE } from './coding/fast-commitment.ts';
export type { HostCosts } from './coding/host-costs.ts';
export type { DrainTime, WorkWarning } from './coding/kernel-host.ts';
export {
  ARENA_BYTES,
  type CodingWork,
  type CodingWorkOptions,
  codingWork,
} from './coding/kernel-work.ts';
export * from './coding/plain-work.ts';
export * from './commitment/commitment.ts';
export * from './commitment/verify-chunk.ts';
export * from './create-recovery.ts';
export * from './erasure/index.ts';
export type { EngineChoice, EngineId } from './erasure/kernel/index.ts';
export * from './mapping/assignment.ts';
export * from './primitives/bytes.ts';
export * from './primitives/chacha8.ts';
export * from './primitives/chunk.ts';
export * from './primitives/errors.ts';
export * from './primitives/hash.ts';
export * from './primitives/ids.ts';
export * from './primitives/node-features.ts';
export * from './primitives/random.ts';
export * from './primitives/thresholds.ts';
export type * from './recovery/account.ts';
export * from './recovery/account-book.ts';
export * from './recovery/errors.ts';
export type * from './recovery/events.ts';
export * from './recovery/from-abortable.ts';
export * from './recovery/labels.ts';
export type * from './recovery/orchestrator.ts';
export * from './recovery/ports.ts';
export * from './recovery/report.ts';
export type * from './recovery/request.ts';
export * from './recovery/settings.ts';
