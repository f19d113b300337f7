/**
 * @module
 * The two things that the coding work reads from its host: a clock to measure the cost of kernels with, and
 * a variable of the environment. No result depends on either.
 */

type Host = {
  readonly performance?: { now(): number };
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
};

/** Milliseconds since some moment; stands still where the host has no clock. */
export function hostClockMs(host: object = globalThis): number {
  return (host as Host).performance?.now() ?? 0;
}

/** A variable of the environment; undefined where there is none, or no environment. */
export function hostVariable(name: string, host: object = globalThis): string | undefined {
  return (host as Host).process?.env?.[name];
}
