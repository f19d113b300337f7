/**
 * @module
 * Sizes as people write them.
 */

const UNITS: Readonly<Record<string, number>> = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20 };

/** `10MiB`, `2.5MiB`, `100KiB`, `62B` or `62`, in bytes; undefined for anything else. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(B|KiB|MiB)?$/.exec(text);
  const bytes = Number(match?.[1]) * (UNITS[match?.[2] ?? 'B'] ?? Number.NaN);
  return Number.isInteger(bytes) && bytes > 0 ? bytes : undefined;
}

/** The shortest of these forms. */
export function sizeText(bytes: number): string {
  for (const [unit, size] of [['MiB', 2 ** 20] as const, ['KiB', 2 ** 10] as const]) {
    if (bytes >= size && Number.isInteger((bytes / size) * 10)) {
      return `${bytes / size}${unit}`;
    }
  }
  return `${bytes}B`;
}
