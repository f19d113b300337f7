/**
 * @module
 * Every bound that foreign bytes are held against, with its source. Checked before memory is taken.
 */

/** Smallest and largest number of validators: 2 and the size of the field (erasure spec §2). */
export const MIN_VALIDATORS = 2;
/** Largest number of validators: the size of the field GF(2^16) (erasure spec §2). */
export const MAX_VALIDATORS = 65_536;

/** Request frames of all protocols, in bytes (recovery spec §0). */
export const MAX_REQUEST_BYTES = 1_000;
/** Response frames of all protocols, in bytes (recovery spec §0: 16 MiB). */
export const MAX_RESPONSE_BYTES = 16_777_216;

/** Nodes in one proof (recovery spec §2.6). */
export const MAX_PROOF_NODES = 8;
/** Bytes in one proof node: 512 + 100 (recovery spec §2.6). */
export const MAX_PROOF_NODE_BYTES = 612;

/** A candidate receipt: 292 bytes of descriptor and the commitments hash (recovery spec §2.3). */
export const RECEIPT_BYTES = 324;

/** PoV bytes a block may have: 10 MiB (recovery spec §0). Informative; recovery does not enforce it. */
export const MAX_POV_BYTES = 10_485_760;

/**
 * Bits in a node-feature vector. No number of the protocol: five bits have a meaning (recovery spec
 * §3.1). This leaves ample room and keeps a decoded vector below 1 MiB.
 */
export const MAX_NODE_FEATURE_BITS = 65_536;
