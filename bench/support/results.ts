/**
 * @module
 * Stored results: one JSON file per bench in `bench/results`, from which the tables of the pages are made.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Machine, thisMachine } from './machine.ts';
import { IS_STORING } from './settings.ts';

/** Rows of one bench, and where they were measured. */
export type Stored<Row> = { readonly machine: Machine; readonly rows: readonly Row[] };

/** Path of the stored results of a bench. */
export function resultPath(name: string): string {
  return join(import.meta.dirname, '..', 'results', `${name}.json`);
}

/** Keeps the rows of a bench, when results are being stored. */
export function storeRows<Row>(name: string, rows: readonly Row[]): void {
  if (IS_STORING && rows.length > 0) {
    const stored: Stored<Row> = { machine: thisMachine(), rows };
    writeFileSync(resultPath(name), `${JSON.stringify(stored, null, 2)}\n`);
  }
}

/** The stored rows of a bench; undefined when there are none. */
export function loadRows<Row>(name: string): Stored<Row> | undefined {
  const path = resultPath(name);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Stored<Row>) : undefined;
}

/** Four digits, so that stored figures do not pretend. */
export function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
