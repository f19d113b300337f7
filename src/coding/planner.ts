/**
 * @module
 * Chooses how chunks become a payload, and how the root of its codeword is found, by what the steps
 * cost on this host. Every choice gives the same bytes; only time differs.
 */

import type { ColumnRange } from '../erasure/kernel/index.ts';
import type { CodeLayout } from './code-layout.ts';
import type { DecodePath } from './erasure-work.ts';
import type { HostCosts } from './host-costs.ts';

/** Paths of the kernel. */
export type KernelPath = Exclude<DecodePath, 'plain'>;

/** What there is to decode. */
export type DecodeCase = Pick<CodeLayout, 'systematicThreshold' | 'validatorCount' | 'columns'> & {
  /** Positions to decode from, ascending: k of them, or more where all that were received count. */
  readonly used: readonly number[];
  /** Whether all other positions of the codeword are wanted too, to be hashed. */
  readonly wantsRoot: boolean;
};

/** A path and what it is thought to take, in ms of one thread, hashing left out. */
export type PathCost = { readonly path: KernelPath; readonly costMs: number };

const NS_PER_MS = 1e6;

/** Shares of a butterfly: adding one row to another, and the formal derivative of a row. */
const ADD_SHARE = 0.4;
const DERIVATIVE_SHARE = 0.6;
/** A product with a 16-bit constant that is done while a symbol is moved, as a share of a butterfly. */
const SCALE_SHARE = 1;

/** Costs per column, in ns. */
class ColumnCosts {
  readonly #costs: HostCosts;
  readonly #k: number;
  readonly #n: number;

  constructor(
    costs: HostCosts,
    {
      systematicThreshold,
      validatorCount,
    }: Pick<CodeLayout, 'systematicThreshold' | 'validatorCount'>,
  ) {
    this.#costs = costs;
    this.#k = systematicThreshold;
    this.#n = validatorCount;
  }

  /** One transform over k positions. */
  transform(): number {
    return (this.#k / 2) * Math.log2(this.#k) * this.#costs.butterfly;
  }

  /** The transforms of a codeword, one inverse and one for each block of parity. */
  codeword(): number {
    return this.transform() * Math.ceil(this.#n / this.#k);
  }

  /** Moves symbols between chunks and work rows. */
  move(rows: number): number {
    return rows * this.#costs.move;
  }

  scaled(rows: number): number {
    return rows * (this.#costs.move + SCALE_SHARE * this.#costs.butterfly);
  }

  transpose(): number {
    return this.#k * this.#costs.transpose;
  }

  add(rows: number): number {
    return rows * ADD_SHARE * this.#costs.butterfly;
  }

  derivative(): number {
    return this.#k * DERIVATIVE_SHARE * this.#costs.butterfly;
  }

  products(count: number): number {
    return count * this.#costs.product;
  }
}

/** Positions below `end` that aren't among `used`. By marks: a set takes ten times as long. */
export function missingBelow(used: readonly number[], end: number): number[] {
  const isUsed = new Uint8Array(end);
  for (const position of used) {
    isUsed[position] = 1;
  }
  const missing: number[] = [];
  for (let position = 0; position < end; position += 1) {
    if (isUsed[position] === 0) {
      missing.push(position);
    }
  }
  return missing;
}

/** Blocks of k positions in which something was received. */
function receivedBlocks({ used, systematicThreshold: k }: DecodeCase): number {
  let blocks = 0;
  let last = -1;
  for (const position of used) {
    const block = Math.floor(position / k);
    blocks += block === last ? 0 : 1;
    last = block;
  }
  return blocks;
}

/** Most missing rows that the path of coefficient rows takes: far above where it pays. */
const MAX_ROWS_MISSING = 64;

/** Paths that the case allows, in no order. */
export function possiblePaths(one: DecodeCase): readonly KernelPath[] {
  const { systematicThreshold: k, used, wantsRoot } = one;
  const missing = missingBelow(used, k).length;
  const paths: KernelPath[] = ['blocks'];
  if (missing === 0) {
    paths.push('transposition');
  } else if (missing <= MAX_ROWS_MISSING && used.length === k) {
    paths.push('rows');
  }
  if (wantsRoot) {
    paths.push('reveal');
  }
  return paths;
}

/** What a path is thought to take, in ms of one thread, hashing left out. */
export function pathCostMs(path: KernelPath, one: DecodeCase, costs: HostCosts): number {
  const column = new ColumnCosts(costs, one);
  const { systematicThreshold: k, validatorCount: n, used, columns, wantsRoot } = one;
  const missing = missingBelow(used, k).length;
  const unused = n - used.length;
  const encodedAgain = wantsRoot ? column.codeword() + column.move(k + n) : 0;
  const blocks = receivedBlocks(one);
  const inverse = column.scaled(used.length) + blocks * column.transform();
  const once = path === 'rows' ? missing * k * costs.coefficient : 0;
  const perColumn = {
    transposition: () => column.transpose() + encodedAgain,
    rows: () =>
      column.move(k + missing) + column.products(missing * k) + column.transpose() + encodedAgain,
    blocks: () =>
      inverse +
      column.transform() +
      column.derivative() +
      column.add(blocks * k) +
      column.scaled(missing) +
      column.move(2 * k - missing) +
      (wantsRoot ? column.codeword() + column.transpose() + column.move(unused) : 0),
    reveal: () =>
      inverse +
      Math.ceil(n / k) * (column.transform() + column.derivative() + column.products(blocks * k)) +
      column.scaled(unused) +
      column.move(2 * k) +
      column.transpose() +
      2 * (k - missing) * costs.hash,
  }[path]();
  return (once + columns * perColumn) / NS_PER_MS;
}

/**
 * The cheapest path, or the forced one where the case allows it.
 *
 * @param forced - A path to take if it can be taken.
 */
export function choosePath(one: DecodeCase, costs: HostCosts, forced?: DecodePath): PathCost {
  const paths = possiblePaths(one);
  // Without a root nothing beats moving what is there.
  const sure = one.wantsRoot || forced !== undefined ? undefined : paths[1];
  const considered: readonly KernelPath[] = sure === 'transposition' ? [sure] : paths;
  const possible = considered.map(
    (path): PathCost => ({ path, costMs: pathCostMs(path, one, costs) }),
  );
  const wanted = possible.find(({ path }) => path === forced);
  return wanted ?? possible.reduce((best, next) => (next.costMs < best.costMs ? next : best));
}

/** Ms of one thread to encode so many columns of a payload. */
export function encodeCostMs(
  costs: HostCosts,
  layout: CodeLayout,
  { from, to }: ColumnRange,
): number {
  const { systematicThreshold: k, validatorCount: n } = layout;
  const column = new ColumnCosts(costs, layout);
  return ((to - from) * (column.move(k + n) + column.codeword())) / NS_PER_MS;
}

/** Ms of one thread to hash so many rows. */
export function hashCostMs(costs: HostCosts, rowCount: number, rowBytes: number): number {
  // A block of 128 bytes is the least, and an address is not free.
  return (rowCount * Math.max(128, rowBytes) * costs.hash) / NS_PER_MS;
}
