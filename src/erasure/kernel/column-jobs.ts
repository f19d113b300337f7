/**
 * @module
 * The jobs of codec v1 on a range of columns, as plain data of addresses: what is read, what is written.
 * The functions that do them are in the files named `…-columns.ts`.
 *
 * For all of them: columns are worked on in whole groups of 32, so byte rows and payloads have room for
 * `paddedColumns` of the whole, and what lies beyond the last column there is read as it is and written
 * with garbage. Other bytes stay. Different ranges of one job may be done in any order, in parallel and
 * again: the bytes are the same.
 */

import type { ColumnRange } from '../engine.ts';
import type { OutputRows } from './code-shape.ts';
import type { CoefficientRows } from './coefficient-rows.ts';
import type { DecodePlan } from './decode-plan.ts';

/** Payload → all chunk rows. */
export type EncodeColumnsJob = {
  /** Chunk rows to write, N. */
  readonly validatorCount: number;
  /** Address of the payload's column 0. Zeros follow it up to the padded columns. */
  readonly payload: number;
  /** By chunk index. */
  readonly chunks: OutputRows;
  readonly columns: ColumnRange;
};

/** The k data rows → payload: bytes are moved. */
export type ReassembleColumnsJob = {
  /** Data rows, k. */
  readonly systematicThreshold: number;
  /** Address of column 0 of each data row. */
  readonly dataRows: Uint32Array;
  /** Address of the payload's column 0. */
  readonly payload: number;
  readonly columns: ColumnRange;
};

/** Exactly k rows → some missing ones, as linear combinations; then the payload from all data rows. */
export type RecoverRowsColumnsJob = {
  readonly plan: CoefficientRows;
  /** Address of column 0 of each row of `plan.received`, in that order. */
  readonly received: Uint32Array;
  /** Address of column 0 of each row of `plan.targets`, in that order: written. */
  readonly missing: Uint32Array;
  /** Address of column 0 of each of the k data rows, the written ones among them. */
  readonly dataRows: Uint32Array;
  /** Address of the payload's column 0. */
  readonly payload: number;
  readonly columns: ColumnRange;
};

/** The rows received → payload, by transforms of blocks. */
export type DecodeColumnsJob = {
  readonly plan: DecodePlan;
  /** Address of column 0 of each row of `plan.received`, in that order. */
  readonly received: Uint32Array;
  /** Address of the payload's column 0. */
  readonly payload: number;
  readonly columns: ColumnRange;
  /**
   * When present, the code of the payload as it was written to `payload` is written here at every position
   * that was not received.
   */
  readonly reencode?: OutputRows;
};

/**
 * The rows received → payload, all data rows and the parity rows that are missing, the latter by the decoding
 * transforms. Of exactly k rows the bytes are those of a decode with `reencode`.
 */
export type RevealColumnsJob = {
  readonly plan: DecodePlan;
  /** Address of column 0 of each row of `plan.received`, in that order. */
  readonly received: Uint32Array;
  /** Address of the payload's column 0. */
  readonly payload: number;
  readonly columns: ColumnRange;
  /** By chunk index: all data rows are written, and parity rows that were not received. */
  readonly chunks: OutputRows;
};
