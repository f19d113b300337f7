/**
 * @module
 * The store's own metrics, all counters. What is served is counted by `protocol/`, not here.
 */

/** Chunks written; those that were held already do not count. */
export const CHUNKS_STORED = 'availability_store_chunks_stored_total';

/** Full data written. */
export const DATA_STORED = 'availability_store_data_stored_total';

/**
 * Entries found corrupt and dropped, each once. Label `entry`: `chunk`, `available_data`, or `metadata`
 * (then everything held of the candidate went).
 */
export const CORRUPTIONS = 'availability_store_corruptions_total';

/** Candidates pruned. Label `state`: `unavailable`, `finalized`. */
export const CANDIDATES_PRUNED = 'availability_store_candidates_pruned_total';
