/**
 * @module
 * Node features of a session: which protocol extensions the relay chain has switched on.
 */

/** Bit by feature index; a missing bit is off (recovery spec §3.1). */
export type NodeFeatures = readonly boolean[];

/** Feature bit that switches the RFC-47 chunk mapping on (recovery spec §3.1). */
export const AVAILABILITY_CHUNK_MAPPING_BIT = 2;

/** Highest feature bit with a meaning that this package knows, plus one (recovery spec §3.1). */
export const FIRST_UNASSIGNED_FEATURE_BIT = 5;
