/**
 * @module
 * Damages vector files on purpose: one value at a time, in a copy. For the tests that a runner looks at
 * what it claims to check.
 */

/** Keys and positions from the top of a JSON value down to one of its leaves. */
export type Path = readonly (string | number)[];

/** A record of one section, alone in its file. */
export type Sample = {
  readonly section: string;
  readonly content: Readonly<Record<string, unknown>>;
};

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The paths of all leaves under a value. */
export function leavesOf(value: unknown, path: Path = []): Path[] {
  if (!isObject(value)) {
    return [path];
  }
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([key, child]) => leavesOf(child, [...path, key]));
}

/** A copy in which the leaf at a path is another value of its kind. */
export function damaged(value: unknown, path: Path): unknown {
  const [key, ...rest] = path;
  if (key === undefined) {
    return otherLeaf(value);
  }
  if (Array.isArray(value)) {
    return value.map((child, i) => (i === key ? damaged(child, rest) : child));
  }
  const object = value as Json;
  return { ...object, [key]: damaged(object[key], rest) };
}

function otherLeaf(leaf: unknown): unknown {
  switch (typeof leaf) {
    case 'number':
      return leaf + 1;
    case 'boolean':
      return !leaf;
    case 'string':
      return otherText(leaf);
    default:
      return 1;
  }
}

/** Hex stays hex of the same length, a decimal number a number; other text gets longer. */
function otherText(text: string): string {
  if (/^\d{1,20}$/.test(text)) {
    return String(BigInt(text) - 1n);
  }
  if (/^([0-9a-f]{2})+$/.test(text)) {
    return (Number.parseInt(text[0]!, 16) ^ 1).toString(16) + text.slice(1);
  }
  return `${text}x`;
}

/** Which keys a record has, two levels deep: records of one shape are read by the same code. */
function shapeOf(record: unknown): string {
  const keys = (value: unknown, depth: number): unknown =>
    !isObject(value) || Array.isArray(value) || depth === 0
      ? 0
      : Object.fromEntries(
          Object.entries(value).map(([key, child]) => [
            /^\d+$/.test(key) ? '0' : key,
            keys(child, depth - 1),
          ]),
        );
  return JSON.stringify(keys(record, 2));
}

/** Orders records by the work they make: validators first, then length. */
function weightOf(record: unknown): number {
  const n = isObject(record) && 'n' in record ? Number(record.n) : 0;
  return n * 1e6 + JSON.stringify(record).length;
}

/** For every section of a file and every shape of record in it: the smallest such record, alone. */
export function samplesOf(content: Json, sections: readonly string[]): Sample[] {
  const empty = Object.fromEntries(sections.map((section) => [section, []]));
  return sections.flatMap((section) => {
    const smallest = new Map<string, unknown>();
    for (const record of content[section] as readonly unknown[]) {
      const shape = shapeOf(record);
      const held = smallest.get(shape);
      if (held === undefined || weightOf(record) < weightOf(held)) {
        smallest.set(shape, record);
      }
    }
    return [...smallest.values()].map((record): Sample => {
      return { section, content: { ...content, ...empty, [section]: [record] } };
    });
  });
}

/** A path as text, positions left out: `cases.chunks` for chunk 3 of case 0. */
export function pathName(path: Path): string {
  return path.filter((key) => typeof key === 'string' && !/^\d+$/.test(key)).join('.');
}
