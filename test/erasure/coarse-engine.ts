/**
 * @module
 * An engine that uses every freedom the contract gives: rows in groups of 16 columns, garbage written
 * up to the next group, memory dirtied whenever it is asked for. Codecs must not notice.
 */

import type { ColumnRange, Rows, TransformEngine } from '../../src/erasure/engine.ts';
import { scalarEngine } from '../../src/erasure/engine-scalar.ts';

const ALIGNMENT = 16;
const GARBAGE = 0xbad;

/** What a job says about the rows it writes. */
type Written = { readonly rows: Rows; readonly rowCount: number; readonly columns: ColumnRange };

function assertAligned(value: number, what: string): void {
  if (value % ALIGNMENT !== 0) {
    throw new Error(`${what}: ${value} is no multiple of ${ALIGNMENT}`);
  }
}

function spill({ rows, rowCount, columns }: Written): void {
  assertAligned(rows.start, 'start');
  assertAligned(rows.stride, 'stride');
  assertAligned(columns.from, 'from');
  const end = Math.ceil(columns.to / ALIGNMENT) * ALIGNMENT;
  for (let row = 0; row < rowCount; row += 1) {
    const start = rows.start + row * rows.stride;
    if (start + end > rows.memory.length) {
      throw new Error('the memory has no room for the last aligned group');
    }
    rows.memory.fill(GARBAGE, start + columns.to, start + end);
  }
}

/** Counts the products that its jobs ask for, symbol by symbol. */
export type CountingEngine = TransformEngine & { readonly products: () => number };

/** A new coarse engine. */
export function coarseEngine(): CountingEngine {
  const inner = scalarEngine();
  let products = 0;
  const width = ({ from, to }: ColumnRange): number => to - from;
  return {
    id: 'coarse',
    columnAlignment: ALIGNMENT,
    products: () => products,
    workspace(symbols) {
      // Exactly as long as asked for, so that overruns show.
      return inner.workspace(symbols).subarray(0, symbols).fill(GARBAGE);
    },
    load(job) {
      inner.load(job);
      spill(job);
    },
    store(job) {
      inner.store(job);
    },
    transform(job) {
      inner.transform(job);
      products += (job.size / 2) * Math.log2(job.size) * width(job.columns);
      spill({ ...job, rowCount: job.size });
      const used = job.kind === 'fft' ? (job.used ?? job.size) : job.size;
      for (let row = used; row < job.size; row += 1) {
        const start = job.rows.start + row * job.rows.stride;
        job.rows.memory.fill(GARBAGE, start + job.columns.from, start + job.columns.to);
      }
    },
    scale(job) {
      inner.scale(job);
      products += job.factors.length * width(job.columns);
      spill({ ...job, rowCount: job.factors.length });
    },
    multiplyAdd(job) {
      inner.multiplyAdd(job);
      products += job.factors.length * width(job.columns);
      spill({ rows: job.target, columns: job.columns, rowCount: job.factors.length });
    },
    addDerivative(job) {
      inner.addDerivative(job);
      spill({ ...job, rowCount: job.size });
    },
  };
}
