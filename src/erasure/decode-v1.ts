/**
 * @module
 * Decoding of codec v1 from shards that were admitted: the block form, which transforms only blocks
 * of k positions (erasure spec §4.6). Errors in the data are not noticed here; the commitment is for that.
 */

import type { CodeParameters } from './codec.ts';
import type { ColumnRange, Rows, TransformEngine } from './engine.ts';
import { rowsFrom } from './engine.ts';
import { fieldTables, inverse, multiply, UNITS } from './field.ts';
import { chunkLayout, eachStripe, payloadLayout, stripeColumns } from './layout.ts';
import { locatorLogs } from './locator.ts';
import type { ReceivedShards } from './shards.ts';

/** One block of k positions that has received shards. */
type Block = {
  /** First position. */
  readonly base: number;
  /** By row; undefined where nothing was received. */
  readonly shards: readonly (Uint8Array | undefined)[];
  /** What each row is multiplied by before the inverse transform; 0 where nothing was received. */
  readonly factors: Uint16Array;
};

/** All that follows from which positions were received, the same for every column. */
type DecodePlan = {
  readonly k: number;
  readonly dataShards: readonly (Uint8Array | undefined)[];
  readonly blocks: readonly Block[];
  /** By data row: what the transformed row is multiplied by. Rows that were received are not used. */
  readonly unscale: Uint16Array;
};

/**
 * Factors of a block: `exp(L_i)` (§4.5 step 1), times `1 / ω_b` for block b > 0, the constant by which
 * §4.6 multiplies its transform before it is added to that of block 0.
 */
function blockFactors(logs: Uint16Array, base: number, block: Block['shards']): Uint16Array {
  const blockNumber = base / block.length;
  const constant = blockNumber === 0 ? 1 : inverse(blockNumber);
  const { exp } = fieldTables();
  return Uint16Array.from(block, (shard, row) =>
    shard === undefined ? 0 : multiply(exp[logs[base + row]!]!, constant),
  );
}

function planDecode(parameters: CodeParameters, received: ReceivedShards): DecodePlan {
  const { codeLength, systematicThreshold: k } = parameters;
  const erased = new Uint8Array(codeLength).fill(1);
  received.byPosition.forEach((shard, position) => {
    erased[position] = shard === undefined ? 1 : 0;
  });
  const logs = locatorLogs(erased);
  const { exp } = fieldTables();
  const blocks: Block[] = [];
  for (let base = 0; base < codeLength; base += k) {
    const shards = Array.from({ length: k }, (_, row) => received.byPosition[base + row]);
    if (base === 0 || shards.some((shard) => shard !== undefined)) {
      blocks.push({ base, shards, factors: blockFactors(logs, base, shards) });
    }
  }
  return {
    k,
    dataShards: received.byPosition.slice(0, k),
    blocks,
    unscale: Uint16Array.from(logs.subarray(0, k), (log) => exp[UNITS - log]!),
  };
}

/** Loads the received shards of a block into its rows; the other rows stay as they are. */
function loadShards(
  engine: TransformEngine,
  shards: readonly (Uint8Array | undefined)[],
  rows: Rows,
  columns: ColumnRange,
  first: number,
): void {
  shards.forEach((bytes, row) => {
    if (bytes !== undefined) {
      const place = { rows: rowsFrom(rows, row), rowCount: 1, columns };
      engine.load({ ...place, bytes, layout: chunkLayout(first) });
    }
  });
}

/** Leaves the k data rows of one stripe in `sum`; `work` holds garbage afterwards. */
function decodeStripe(
  engine: TransformEngine,
  plan: DecodePlan,
  rows: { readonly sum: Rows; readonly work: Rows },
  columns: ColumnRange,
  first: number,
): void {
  const { k, blocks, dataShards } = plan;
  const { sum, work } = rows;
  const ones = new Uint16Array(k).fill(1);
  for (const { base, shards, factors } of blocks) {
    const target = base === 0 ? sum : work;
    loadShards(engine, shards, target, columns, first);
    engine.scale({ rows: target, columns, factors });
    engine.transform({ kind: 'ifft', base, size: k, rows: target, columns });
    if (base === 0) {
      engine.addDerivative({ rows: sum, columns, size: k });
    } else {
      engine.multiplyAdd({ target: sum, source: work, columns, factors: ones });
    }
  }
  engine.transform({ kind: 'fft', base: 0, size: k, rows: sum, columns });
  engine.scale({ rows: sum, columns, factors: plan.unscale });
  loadShards(engine, dataShards, sum, columns, first);
}

/**
 * The data rows as a payload, from any `k` or more received shards.
 *
 * Of more than `k` shards all are used: the result is that of the polynomial through all of them, and
 * received data rows stay as they came (erasure spec §4.5).
 */
export function reconstructReceived(
  engine: TransformEngine,
  parameters: CodeParameters,
  received: ReceivedShards,
): Uint8Array {
  const k = parameters.systematicThreshold;
  if (received.byPosition.slice(0, k).every((shard) => shard !== undefined)) {
    return reassembleReceived(engine, k, received);
  }
  const plan = planDecode(parameters, received);
  const columnCount = received.shardBytes / 2;
  const payload = new Uint8Array(k * received.shardBytes);
  const stride = stripeColumns(engine, k, columnCount);
  const memory = engine.workspace(2 * k * stride);
  const sum = { memory, start: 0, stride };
  const work = { memory, start: k * stride, stride };

  eachStripe(columnCount, stride, (first, width) => {
    const columns = { from: 0, to: width };
    decodeStripe(engine, plan, { sum, work }, columns, first);
    const layout = payloadLayout(k, first);
    engine.store({ rows: sum, rowCount: k, columns, bytes: payload, layout });
  });
  return payload;
}

/** The payload from its `k` data rows, all received: bytes are moved and nothing is computed. */
export function reassembleReceived(
  engine: TransformEngine,
  k: number,
  received: ReceivedShards,
): Uint8Array {
  const columnCount = received.shardBytes / 2;
  const payload = new Uint8Array(k * received.shardBytes);
  const stride = stripeColumns(engine, k, columnCount);
  const rows = { memory: engine.workspace(k * stride), start: 0, stride };

  eachStripe(columnCount, stride, (first, width) => {
    const columns = { from: 0, to: width };
    loadShards(engine, received.byPosition.slice(0, k), rows, columns, first);
    const layout = payloadLayout(k, first);
    engine.store({ rows, rowCount: k, columns, bytes: payload, layout });
  });
  return payload;
}
