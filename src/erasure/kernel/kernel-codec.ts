/**
 * @module
 * Codec v1 on the kernel behind the codec's own interface: synchronous, results in buffers of their own.
 * Bytes go through the arena in groups of columns, so its size does not depend on the payload's.
 */

import type { CodeParameters, ErasureCodec } from '../codec.ts';
import { PLAIN_CODEC_V1 } from '../codec-v1.ts';
import { reassembleReceived, reconstructReceived } from '../decode-v1.ts';
import { SCALAR_ENGINE } from '../engine-scalar.ts';
import { columnCount, parametersV1 } from '../parameters.ts';
import {
  admitShards,
  admitSystematicShards,
  bytesInOrder,
  type ReceivedShards,
  type Shard,
  shardsOf,
} from '../shards.ts';
import { COLUMN_ALIGNMENT, paddedColumns, payloadBytesInArena, rowStride } from './code-shape.ts';
import { coefficientRows } from './coefficient-rows.ts';
import { decodeColumns } from './decode-columns.ts';
import { decodePlan } from './decode-plan.ts';
import { encodeColumns } from './encode-columns.ts';
import type { KernelContext } from './kernel-context.ts';
import type { KernelMemory } from './kernel-memory.ts';
import { reassembleColumns, recoverRowsColumns } from './row-columns.ts';

/** Bytes that a group of columns takes in the arena, rows and payload together, if the code allows. */
const GROUP_BYTES = 8 * 1024 * 1024;

/**
 * Most missing data rows that are computed as combinations of k others. Beyond, transforms take less time
 * (16 to 18 rows at k = 256, erasure spec §4.10).
 */
const MOST_COMBINED_ROWS = 12;

/** One group of columns in the arena. */
type ColumnGroup = {
  /** Its first column in the payload; in the arena it is column 0. */
  readonly first: number;
  readonly columns: number;
  /** Address of its payload. */
  readonly payload: number;
  /** Address of its row 0. */
  readonly rows: number;
  readonly stride: number;
};

/** Most columns that fit into {@link GROUP_BYTES}, at least one aligned group. */
function groupColumns(k: number, rowCount: number, columns: number): number {
  const fitting = Math.floor(GROUP_BYTES / (2 * (k + rowCount)) / COLUMN_ALIGNMENT);
  return Math.min(paddedColumns(columns), Math.max(1, fitting) * COLUMN_ALIGNMENT);
}

/**
 * Runs `work` over groups of columns that lie in the arena one after the other in one place.
 *
 * @returns Whether there was room; if not, nothing was done.
 */
function inGroups(
  memory: KernelMemory,
  shape: { readonly k: number; readonly rowCount: number; readonly columns: number },
  work: (group: ColumnGroup) => void,
): boolean {
  const { k, rowCount, columns } = shape;
  const most = groupColumns(k, rowCount, columns);
  const stride = rowStride(2 * most);
  const payloadBytes = payloadBytesInArena(k, most);
  const payload = memory.take(payloadBytes + rowCount * stride);
  if (payload === undefined) {
    return false;
  }
  try {
    const rows = payload + Math.ceil(payloadBytes / 64) * 64;
    for (let first = 0; first < columns; first += most) {
      work({ first, columns: Math.min(most, columns - first), payload, rows, stride });
    }
  } finally {
    memory.give(payload);
  }
  return true;
}

function encodeChunks(
  context: KernelContext,
  memory: KernelMemory,
  payload: Uint8Array,
  validatorCount: number,
): Uint8Array[] {
  const k = parametersV1(validatorCount).systematicThreshold;
  const columns = columnCount(payload.length, k);
  const chunks = Array.from({ length: validatorCount }, () => new Uint8Array(2 * columns));
  const isDone = inGroups(memory, { k, rowCount: validatorCount, columns }, (group) => {
    const columnBytes = 2 * k;
    const bytes = context.bytes();
    const given = payload.subarray(
      group.first * columnBytes,
      (group.first + group.columns) * columnBytes,
    );
    bytes.set(given, group.payload);
    const end = group.payload + payloadBytesInArena(k, group.columns);
    bytes.fill(0, group.payload + given.length, end);
    encodeColumns(context, {
      validatorCount,
      payload: group.payload,
      chunks: { start: group.rows, stride: group.stride, firstColumn: 0 },
      columns: { from: 0, to: group.columns },
    });
    chunks.forEach((chunk, index) => {
      const row = group.rows + index * group.stride;
      chunk.set(bytes.subarray(row, row + 2 * group.columns), 2 * group.first);
    });
  });
  return isDone ? chunks : PLAIN_CODEC_V1.encodeChunks(payload, validatorCount);
}

/** A received row and its position. */
type ReceivedRow = { readonly position: number; readonly bytes: Uint8Array };

/** Copies the group's columns of each shard to the rows of the group, in the order given. */
function loadRows(context: KernelContext, group: ColumnGroup, received: ReceivedRow[]): void {
  const bytes = context.bytes();
  const from = 2 * group.first;
  received.forEach((row, index) => {
    const stretch = row.bytes.subarray(from, from + 2 * group.columns);
    bytes.set(stretch, group.rows + index * group.stride);
  });
}

/** Addresses of `count` rows of a group, from row `first` on. */
function addresses(group: ColumnGroup, first: number, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, i) => group.rows + (first + i) * group.stride);
}

/** What turns the loaded rows of a group into its payload. */
type GroupDecoder = {
  /** Rows of a group beyond the received ones. */
  readonly extraRows: number;
  readonly run: (group: ColumnGroup) => void;
};

/** All data rows were received, and lie in order. */
function reassembler(context: KernelContext, k: number): GroupDecoder {
  const run = (group: ColumnGroup): void =>
    reassembleColumns(context, {
      systematicThreshold: k,
      dataRows: addresses(group, 0, k),
      payload: group.payload,
      columns: { from: 0, to: group.columns },
    });
  return { extraRows: 0, run };
}

/** The decoder for rows of which some data rows are missing. */
function reconstructor(
  context: KernelContext,
  parameters: CodeParameters,
  received: readonly ReceivedRow[],
): GroupDecoder {
  const { systematicThreshold: k } = parameters;
  const positions = received.map(({ position }) => position);
  const plan = decodePlan(parameters, positions);
  const at = new Map(positions.map((position, index) => [position, index]));
  const missing = Array.from({ length: k }, (_, row) => row).filter((row) => !at.has(row));
  if (positions.length > k || missing.length > MOST_COMBINED_ROWS) {
    const run = (group: ColumnGroup): void =>
      decodeColumns(context, {
        plan,
        received: addresses(group, 0, positions.length),
        payload: group.payload,
        columns: { from: 0, to: group.columns },
      });
    return { extraRows: 0, run };
  }
  const combined = coefficientRows(plan, missing);
  missing.forEach((position, i) => {
    at.set(position, positions.length + i);
  });
  const run = (group: ColumnGroup): void =>
    recoverRowsColumns(context, {
      plan: combined,
      received: addresses(group, 0, k),
      missing: addresses(group, k, missing.length),
      dataRows: Uint32Array.from({ length: k }, (_, row) => {
        return group.rows + at.get(row)! * group.stride;
      }),
      payload: group.payload,
      columns: { from: 0, to: group.columns },
    });
  return { extraRows: missing.length, run };
}

/** @returns undefined when the arena has no room. */
function decodeRows(
  context: KernelContext,
  memory: KernelMemory,
  k: number,
  received: ReceivedRow[],
  decoder: GroupDecoder,
): Uint8Array | undefined {
  const chunkBytes = received[0]!.bytes.length;
  const payload = new Uint8Array(k * chunkBytes);
  const rowCount = received.length + decoder.extraRows;
  const isDone = inGroups(memory, { k, rowCount, columns: chunkBytes / 2 }, (group) => {
    loadRows(context, group, received);
    decoder.run(group);
    const end = group.payload + 2 * k * group.columns;
    payload.set(context.bytes().subarray(group.payload, end), 2 * k * group.first);
  });
  return isDone ? payload : undefined;
}

function receivedRows({ byPosition }: ReceivedShards): ReceivedRow[] {
  return byPosition.flatMap((bytes, position) =>
    bytes === undefined ? [] : [{ position, bytes }],
  );
}

/** Decoders of bare shards on a context: what comes out is as unverified as what went in. */
export type KernelDecoder = {
  /** `reconstructUnchecked` on the kernel, with its errors in its order. */
  readonly reconstruct: (shards: readonly Shard[], validatorCount: number) => Uint8Array;
  /** `reassembleUnchecked` on the kernel, with its errors in its order. */
  readonly reassemble: (shards: readonly Uint8Array[], validatorCount: number) => Uint8Array;
};

/** The decoders of {@link kernelCodec} before anything is verified. */
export function kernelDecoder(context: KernelContext, memory: KernelMemory): KernelDecoder {
  return {
    reconstruct: (given, validatorCount) => {
      const parameters = parametersV1(validatorCount);
      const k = parameters.systematicThreshold;
      const shards = admitShards(given, validatorCount, k);
      const received = receivedRows(shards);
      const hasData = received[k - 1]?.position === k - 1;
      const rows = hasData ? received.slice(0, k) : received;
      const decoder = hasData ? reassembler(context, k) : reconstructor(context, parameters, rows);
      return (
        decodeRows(context, memory, k, rows, decoder) ??
        reconstructReceived(SCALAR_ENGINE, parameters, shards)
      );
    },
    reassemble: (given, validatorCount) => {
      const k = parametersV1(validatorCount).systematicThreshold;
      const shards = admitSystematicShards(given, k);
      return (
        decodeRows(context, memory, k, receivedRows(shards), reassembler(context, k)) ??
        reassembleReceived(SCALAR_ENGINE, k, shards)
      );
    },
  };
}

/**
 * Codec v1 on a context. Results are buffers of their own; errors are those of the plain codec, in the same
 * order. Where the memory has no room for a group of columns the plain codec does the work.
 *
 * @param context - Not in use by anything else while a call runs.
 * @param memory - The context's memory; this thread may take from it. A call takes some 8 MiB at most, or
 *   32 columns of all rows, and gives them back.
 */
export function kernelCodec(context: KernelContext, memory: KernelMemory): ErasureCodec {
  const decoder = kernelDecoder(context, memory);
  return {
    id: 'v1',
    parameters: parametersV1,
    chunkBytes: (payloadBytes, validatorCount) =>
      PLAIN_CODEC_V1.chunkBytes(payloadBytes, validatorCount),
    encodeChunks: (payload, validatorCount) =>
      encodeChunks(context, memory, payload, validatorCount),
    reconstruct: (chunks, validatorCount) => decoder.reconstruct(shardsOf(chunks), validatorCount),
    reassemble: (chunks, validatorCount) => {
      const k = parametersV1(validatorCount).systematicThreshold;
      return decoder.reassemble(bytesInOrder(chunks, k), validatorCount);
    },
  };
}
