/**
 * @module
 * The plain engine: every job as its definition reads, in symbols of the field. It is the reference
 * for other engines and the one to read first; it is not the fast one.
 */

import type {
  CopyJob,
  DerivativeJob,
  MultiplyAddJob,
  Rows,
  ScaleJob,
  TransformEngine,
  TransformJob,
} from './engine.ts';
import {
  addRow,
  butterfly,
  fillProductTable,
  inverseButterfly,
  multiplyAddRow,
  PRODUCT_TABLE_LENGTH,
  scaleRow,
} from './row-arithmetic.ts';

/** Where the byte of weight 256 stands in a pair, and where the other. */
function pairOrder(job: CopyJob): { high: number; low: number } {
  return job.layout.byteOrder === 'big' ? { high: 0, low: 1 } : { high: 1, low: 0 };
}

/** Copies input rows to where the transform works, unless they are there. */
function copyRows(source: Rows, target: Rows, rowCount: number, job: TransformJob): void {
  const { from, to } = job.columns;
  for (let row = 0; row < rowCount; row += 1) {
    const start = source.start + row * source.stride;
    target.memory.set(
      source.memory.subarray(start + from, start + to),
      target.start + row * target.stride + from,
    );
  }
}

class ScalarEngine implements TransformEngine {
  readonly id = 'scalar';
  readonly columnAlignment = 1;

  /** Products of the constant at hand; filled anew for each constant, used before the next. */
  readonly #products = new Uint16Array(PRODUCT_TABLE_LENGTH);
  #memory = new Uint16Array(0);

  workspace(symbols: number): Uint16Array {
    if (this.#memory.length < symbols) {
      this.#memory = new Uint16Array(symbols);
    }
    return this.#memory;
  }

  load(job: CopyJob): void {
    const { rows, columns, bytes, layout } = job;
    const { high, low } = pairOrder(job);
    for (let row = 0; row < job.rowCount; row += 1) {
      const start = rows.start + row * rows.stride;
      let at = layout.offset + row * layout.rowStep + columns.from * layout.columnStep;
      for (let c = columns.from; c < columns.to; c += 1) {
        const upper = at + high < bytes.length ? bytes[at + high]! : 0;
        const lower = at + low < bytes.length ? bytes[at + low]! : 0;
        rows.memory[start + c] = (upper << 8) | lower;
        at += layout.columnStep;
      }
    }
  }

  store(job: CopyJob): void {
    const { rows, columns, bytes, layout } = job;
    const { high, low } = pairOrder(job);
    for (let row = 0; row < job.rowCount; row += 1) {
      const start = rows.start + row * rows.stride;
      let at = layout.offset + row * layout.rowStep + columns.from * layout.columnStep;
      for (let c = columns.from; c < columns.to; c += 1) {
        const symbol = rows.memory[start + c]!;
        bytes[at + high] = symbol >> 8;
        bytes[at + low] = symbol & 255;
        at += layout.columnStep;
      }
    }
  }

  transform(job: TransformJob): void {
    const { rows, size, columns } = job;
    const used = job.used ?? size;
    const given = job.kind === 'ifft' ? used : size;
    if (job.source !== undefined) {
      copyRows(job.source, rows, given, job);
    }
    for (let row = given; row < size; row += 1) {
      const start = rows.start + row * rows.stride;
      rows.memory.fill(0, start + columns.from, start + columns.to);
    }
    if (job.kind === 'fft') {
      for (let half = size >> 1; half >= 1; half >>= 1) {
        this.#layer(job, half, used);
      }
    } else {
      for (let half = 1; half < size; half <<= 1) {
        this.#layer(job, half, used);
      }
    }
  }

  /**
   * All butterflies of one half-width. Blocks that start at or behind `used` are left out: going
   * forward nobody wants them, going back they are zero.
   */
  #layer(job: TransformJob, half: number, used: number): void {
    const { memory, stride } = job.rows;
    const length = job.columns.to - job.columns.from;
    const origin = job.rows.start + job.columns.from;
    const step = job.kind === 'fft' ? butterfly : inverseButterfly;
    for (let block = 0; block < used; block += 2 * half) {
      // T = (P + s) >> m; dividing by 2^m = half is the shift (erasure spec §4.1).
      fillProductTable(this.#products, (job.base + block) / half);
      for (let row = block; row < block + half; row += 1) {
        const a = origin + row * stride;
        step(memory, a, a + half * stride, length, this.#products);
      }
    }
  }

  scale(job: ScaleJob): void {
    const { rows, columns, factors } = job;
    factors.forEach((factor, row) => {
      const start = rows.start + row * rows.stride + columns.from;
      fillProductTable(this.#products, factor);
      scaleRow(rows.memory, start, columns.to - columns.from, this.#products);
    });
  }

  multiplyAdd(job: MultiplyAddJob): void {
    const { target, source, columns, factors } = job;
    factors.forEach((factor, row) => {
      fillProductTable(this.#products, factor);
      multiplyAddRow(
        {
          into: target.memory,
          target: target.start + row * target.stride + columns.from,
          from: source.memory,
          source: source.start + row * source.stride + columns.from,
          length: columns.to - columns.from,
        },
        this.#products,
      );
    });
  }

  addDerivative(job: DerivativeJob): void {
    const { rows, columns } = job;
    const length = columns.to - columns.from;
    const origin = rows.start + columns.from;
    for (let i = 1; i < job.size; i += 1) {
      const width = i & -i;
      for (let row = i; row < i + width; row += 1) {
        const source = origin + row * rows.stride;
        addRow(rows.memory, source - width * rows.stride, source, length);
      }
    }
  }
}

/** A new scalar engine with a work memory of its own. */
export function scalarEngine(): TransformEngine {
  return new ScalarEngine();
}

/** The scalar engine that the package shares. Its work memory stays at the size of its largest job. */
export const SCALAR_ENGINE: TransformEngine = scalarEngine();
