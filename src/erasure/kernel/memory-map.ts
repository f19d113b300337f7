/**
 * @module
 * Where tables and constants lie at the bottom of every kernel's memory. The module brings them along
 * and writes them when it is instantiated; nothing else may write below {@link TABLES_END}.
 *
 * Addresses are bytes. Bytes 0..15 are unused, so that 0 can mean "none".
 */

/** 16 bytes 0x0f: takes the low half of each byte. */
export const NIBBLE_MASK = 16;

/** Eight 16-bit words 0x00ff: takes the first byte of each pair. */
export const FIRST_BYTES = 32;

/**
 * Products in GF(2^8), 32 bytes for each constant `c`: `c * x` for x = 0..15, then `c * 16x`. Any
 * product by c is the sum of one entry of each half (erasure spec §1.4).
 */
export const PRODUCTS = 1024;

/** Bytes of one constant's products, and their logarithm. */
export const PRODUCT_BYTES = 32;
/** `PRODUCT_BYTES = 1 << PRODUCT_SHIFT`. */
export const PRODUCT_SHIFT = 5;

/** The map of high bytes into tower coordinates, `B[h]` of erasure spec §1.4, by half bytes: 32 bytes. */
export const TOWER: number = PRODUCTS + 256 * PRODUCT_BYTES;

/** Constants of BLAKE2b, from here to {@link TABLES_END}. */
const BLAKE2B: number = TOWER + 96;
/** Byte order that rotates two 64-bit words to the right by 16. */
export const BLAKE2B_ROTATE_16: number = BLAKE2B;
/** The same by 24. */
export const BLAKE2B_ROTATE_24: number = BLAKE2B + 16;
/** The eight initial values, each twice: 128 bytes. */
export const BLAKE2B_IV: number = BLAKE2B + 32;
/** The eight chain values of a new BLAKE2b-256 state, each twice: 128 bytes. */
export const BLAKE2B_START: number = BLAKE2B_IV + 128;
/** Offsets of message words in the order of their use: 192 for words of 16 bytes, 192 for words of 8. */
export const BLAKE2B_ORDER: number = BLAKE2B_START + 128;

/** End of all tables; memory from here on is handed out. */
export const TABLES_END = 16_384;
