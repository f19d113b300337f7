/**
 * @module
 * Holds a parsed JSON file against its schema. Every message names the file and the key.
 */

import { Ajv, type ErrorObject } from 'ajv';
import { misuse } from './failure.ts';

/**
 * The value, proven to have the form that the schema describes.
 *
 * @param schema - Draft 7; the caller vouches that `T` says no more than it does.
 * @param file - For messages: its path, and what it should be, such as `a config`.
 * @throws {@link CliError} `misuse` with the first fault.
 */
export function assertSchema<T>(
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
  file: { readonly path: string; readonly what: string },
): T {
  const { path, what } = file;
  // Compiled per call: a command reads one file, and commands without one do not pay for it.
  const check = new Ajv({ allowUnionTypes: true, strict: true }).compile<T>(schema);
  if (check(value)) {
    return value;
  }
  const [first] = check.errors ?? [];
  throw misuse(first === undefined ? `${path}: not ${what}` : messageOf(first, path));
}

function messageOf(error: ErrorObject, path: string): string {
  const key = error.instancePath
    .slice(1)
    .replaceAll('/', '.')
    .replace(/\.(\d+)/g, '[$1]');
  const at = key === '' ? '' : `${key}: `;
  const params = error.params as Readonly<Record<string, unknown>>;
  switch (error.keyword) {
    case 'required':
      return `${path}: ${joinKey(key, params['missingProperty'])}: missing`;
    case 'additionalProperties':
      return `${path}: ${joinKey(key, params['additionalProperty'])}: unknown key`;
    case 'enum':
      return `${path}: ${at}expected one of ${String(params['allowedValues'])}`;
    case 'type':
      return `${path}: ${at}expected ${String(params['type']).replaceAll(',', ' or ')}`;
    default:
      return `${path}: ${at}${error.message ?? 'refused'}`;
  }
}

function joinKey(key: string, name: unknown): string {
  return key === '' ? String(name) : `${key}.${String(name)}`;
}
