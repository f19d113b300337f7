/**
 * @module
 * The names of sources as they are shown: in which order, and how many.
 */

const COLLATOR = new Intl.Collator('en', { numeric: true });

/** Natural order: `v2` before `v10`. */
export function byName(one: string, other: string): number {
  return COLLATOR.compare(one, other);
}

/**
 * A name for a line of text. Names come from the session directory or from a file: what a terminal would
 * obey, and what hides or turns text around, is replaced, and a long one is cut.
 */
export function shownName(name: string): string {
  const shown = name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
  return shown.length > MAX_NAME_CHARACTERS ? `${shown.slice(0, MAX_NAME_CHARACTERS - 1)}…` : shown;
}

/** Long enough for an SS58 address (48) and a hex key (66). */
const MAX_NAME_CHARACTERS = 72;

/** The first few of a list, and how many more there are. */
export function firstOf(items: readonly string[], count: number): string {
  const rest = items.length - count;
  return rest > 0 ? `${items.slice(0, count).join(', ')} and ${rest} more` : items.join(', ');
}
