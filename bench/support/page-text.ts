/**
 * @module
 * Pieces of the pages' text.
 */

import type { Machine } from './machine.ts';
import { sizeText } from './sizes.ts';
import { markdownTable, type Table } from './table.ts';

/** Stands where a table will be. */
export const NOT_YET = 'Not measured yet.';

/** A size as people read it. */
export function size(bytes: number): string {
  return sizeText(bytes).replace(/(?=[KM]iB)/, ' ');
}

/** A number with commas. */
export function count(n: number): string {
  return n.toLocaleString('en-US');
}

/** Where it was measured, in a line. */
export function machineText({ cpu, cores, system, node, date }: Machine): string {
  return `${cpu}, ${cores} cores, ${system}, Node ${node}, ${date}`;
}

/** A table with its machine under it, or a line where there is nothing. */
export function block(
  stored: { readonly machine: Machine } | undefined,
  table: () => Table,
): string {
  return stored === undefined
    ? NOT_YET
    : `${markdownTable(table())}\n\n${machineText(stored.machine)}.`;
}
