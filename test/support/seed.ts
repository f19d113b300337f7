/**
 * @module
 * The seed of random tests: fixed unless the environment gives another, and printed in the test's
 * name, so that a failure can be repeated with `SEED=<number> npm test`.
 */

/** Used when `SEED` is not set. Any number would do; a fixed one keeps runs equal. */
const DEFAULT_SEED = 20_261_130;

/** The seed of this run, an unsigned 32-bit integer: hand it to `fc.assert` or to a generator. */
export const SEED: number = seedFrom(process.env['SEED']);

/** Reads a seed as the environment spells it. @throws RangeError for text that is no u32. */
export function seedFrom(text: string | undefined): number {
  if (text === undefined || text === '') {
    return DEFAULT_SEED;
  }
  const seed = Number(text);
  if (!/^\d+$/.test(text) || seed > 0xffff_ffff) {
    throw new RangeError(`SEED: expected an integer in 0..4294967295, got ${JSON.stringify(text)}`);
  }
  return seed;
}

/** A test's name with the seed that it runs under. */
export function seeded(name: string): string {
  return `${name} (seed ${SEED})`;
}
