/**
 * @module
 * Tables for terminals and for Markdown.
 */

/** Rows of cells; the first row is the head. */
export type Table = readonly (readonly string[])[];

/** Columns aligned with spaces, those of numbers to the right. */
export function plainTable(table: Table): string {
  const [head = [], ...rows] = table;
  const columns = head.map((_, c) => {
    const cells = rows.map((row) => row[c] ?? '').filter((cell) => cell !== '');
    return {
      width: Math.max(...table.map((row) => (row[c] ?? '').length)),
      isOfNumbers: cells.length > 0 && cells.every((cell) => /^[-\d–]/.test(cell)),
    };
  });
  return table
    .map((row) =>
      columns
        .map(({ width, isOfNumbers }, c) =>
          isOfNumbers ? (row[c] ?? '').padStart(width) : (row[c] ?? '').padEnd(width),
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
