/**
 * @module
 * Entry `./store`: what a peer holds of each candidate, on LevelDB or in memory.
 */

export type { StoreSettings } from './availability-store.ts';
export { AvailabilityStore } from './availability-store.ts';
export type { CandidateIdentity } from './context.ts';
export type { StoreErrorCode } from './errors.ts';
export { StoreError } from './errors.ts';
export { chunkKey, dataKey, metadataKey } from './layout.ts';
export type { CandidateState, IncludingBlock, Retention } from './lifecycle.ts';
export { DEFAULT_RETENTION } from './lifecycle.ts';
export * from './metrics.ts';
export { memoryStore, openLevelDatastore, openLevelStore } from './open.ts';
export { PRUNE_EVERY_MS } from './pruner.ts';
export type { CandidateRecord } from './reads.ts';
export type { AvailableDataEntry, ChunkEntry, StoreReport } from './writes.ts';
