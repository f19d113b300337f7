/**
 * @module
 * Tables for terminals and for Markdown.
 */

/** Rows of cells; the first row is the head. */
export type Table = readonly (readonly string[])[];

/** Columns aligned with spaces, numbers to the right. */
export function plainTable(table: Table): string {
  const widths = (table[0] ?? []).map((_, c) =>
    Math.max(...table.map((row) => (row[c] ?? '').length)),
  );
  return table
    .map((row) =>
      row
        .map((cell, c) =>
          /^[-\d–]/.test(cell) ? cell.padStart(widths[c] ?? 0) : cell.padEnd(widths[c] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A Markdown table. */
export function markdownTable(table: Table): string {
  const [head = [], ...rows] = table;
  const line = (row: readonly string[]): string => `| ${row.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** Three digits or so: 0.123, 1.23, 12.3, 123; a dash for what was not measured. */
export function short(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) {
    return '–';
  }
  if (value >= 100) {
    return value.toFixed(0);
  }
  return value.toFixed(value >= 10 ? 1 : value >= 1 ? 2 : 3);
}
