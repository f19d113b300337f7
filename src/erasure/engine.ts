/**
 * @module
 * The seam between a code and the arithmetic on its rows: jobs over a work memory. What a code is
 * (rates, positions, which chunk is where) stays above; how symbols are multiplied stays below.
 *
 * A job touches `rows` × `columns`. Columns never meet, so any split of a column range, in any order
 * or in parallel, gives the same symbols (erasure spec §4.8).
 */

/**
 * Rows of symbols in a work memory: row `r` starts at symbol `start + r * stride`.
 *
 * Only the engine that gave the memory knows how it represents symbols inside a row: it may use
 * other coordinates, or hold each aligned group of {@link TransformEngine.columnAlignment} columns as
 * byte planes. Bytes come in by `load` and go out by `store`, by nothing else.
 */
export type Rows = {
  /** From {@link TransformEngine.workspace}. */
  readonly memory: Uint16Array;
  /** Symbols before row 0; a multiple of the column alignment. */
  readonly start: number;
  /** Symbols from row to row; a multiple of the column alignment. 0 names one row again and again. */
  readonly stride: number;
};

/** Columns `from <= c < to` of each row; `from` is a multiple of the column alignment. */
export type ColumnRange = {
  /** First column. */
  readonly from: number;
  /** End of the range. What the row holds from here to the next aligned column may become garbage. */
  readonly to: number;
};

/**
 * Where symbols lie in a byte string: row `r`, column `c` is the byte pair at
 * `offset + r * rowStep + c * columnStep`, `columnStep >= 2`.
 */
export type ByteLayout = {
  /** Byte position of row 0, column 0. */
  readonly offset: number;
  /** Bytes from row to row. */
  readonly rowStep: number;
  /** Bytes from column to column. */
  readonly columnStep: number;
  /** Which byte of the pair comes first: the high one (`big`) or the low one. */
  readonly byteOrder: 'big' | 'little';
};

/** Moves symbols between a byte string and rows `0 .. rowCount - 1`. */
export type CopyJob = {
  readonly rows: Rows;
  readonly rowCount: number;
  readonly columns: ColumnRange;
  readonly bytes: Uint8Array;
  readonly layout: ByteLayout;
};

/**
 * One additive FFT of the code or its inverse, in every column (erasure spec §4.1).
 *
 * `fft`: before, rows `0 .. size - 1` hold coefficients of the novel polynomial basis; after, row `i`
 * holds the value at position `base + i`. `ifft` is the other way round.
 */
export type TransformJob = {
  readonly kind: 'fft' | 'ifft';
  /** First position; a multiple of `size`. */
  readonly base: number;
  /** Number of rows, a power of two; 1 changes nothing. */
  readonly size: number;
  readonly rows: Rows;
  readonly columns: ColumnRange;
  /**
   * How many leading rows matter; all of them when absent. `ifft`: the other rows count as zero,
   * whatever they hold. `fft`: the other rows hold garbage afterwards.
   */
  readonly used?: number;
  /** Where the input is; `rows` when absent. Other rows are not written to and must not overlap. */
  readonly source?: Rows;
};

/** Multiplies row `r` by `factors[r]`, for each factor. A factor of 0 clears what the row held. */
export type ScaleJob = {
  readonly rows: Rows;
  readonly columns: ColumnRange;
  /** Symbols in the coordinates of the field. */
  readonly factors: Uint16Array;
};

/**
 * Adds `factors[r]` times row `r` of `source` to row `r` of `target`, for each factor. With a target
 * stride of 0 all products meet in one row: a linear combination of the source rows (erasure spec §4.9).
 */
export type MultiplyAddJob = {
  readonly target: Rows;
  /** Left as it is; must not overlap `target`. */
  readonly source: Rows;
  readonly columns: ColumnRange;
  /** Symbols in the coordinates of the field; 1 is plain addition. */
  readonly factors: Uint16Array;
};

/**
 * Adds to the polynomial in rows `0 .. size - 1` its formal derivative: before, the rows hold the
 * coefficients of `g`; after, those of `g + g'` (erasure spec §4.5 step 3).
 */
export type DerivativeJob = {
  readonly rows: Rows;
  readonly columns: ColumnRange;
  /** Number of rows, a power of two. */
  readonly size: number;
};

/**
 * Does the arithmetic of a code.
 *
 * **Guarantees.**
 * - Synchronous; a job is done when its call returns. Nothing is allocated per symbol or per row.
 * - A job writes to the rows and columns it names and, up to the next aligned column, beside them;
 *   every other symbol of the memory stays.
 * - The result depends on the named rows and columns alone, never on garbage left in the memory.
 * - All engines give the same bytes.
 *
 * **Asked of the caller.** Jobs fit the memory and use this engine's own memory; they are not checked.
 */
export interface TransformEngine {
  /** Name in benchmarks and reports. */
  readonly id: string;
  /** Row starts, strides and first columns are multiples of this many symbols. */
  readonly columnAlignment: number;

  /**
   * The engine's work memory, with room for `symbols` symbols or more. It holds garbage, and it is the
   * caller's until the next call of `workspace` on this engine: codecs finish inside one call.
   */
  workspace(symbols: number): Uint16Array;

  /** Bytes -> rows. Bytes past the end of `job.bytes` read as 0: this is the zero padding. */
  load(job: CopyJob): void;

  /** Rows -> bytes, which must have room for every symbol. The rows stay as they are. */
  store(job: CopyJob): void;

  /** See {@link TransformJob}. */
  transform(job: TransformJob): void;

  /** See {@link ScaleJob}. */
  scale(job: ScaleJob): void;

  /** See {@link MultiplyAddJob}. */
  multiplyAdd(job: MultiplyAddJob): void;

  /** See {@link DerivativeJob}. */
  addDerivative(job: DerivativeJob): void;
}

/** The same rows, counted from row `first`. */
export function rowsFrom(rows: Rows, first: number): Rows {
  return { memory: rows.memory, start: rows.start + first * rows.stride, stride: rows.stride };
}
