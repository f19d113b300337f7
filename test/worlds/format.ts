/**
 * @module
 * The format of recorded worlds, as its own `format` section explains it: what the reference subsystem
 * was given, and what it did. Types only; the names are the file's.
 */

/** A file of worlds. */
export type WorldsFile = {
  readonly scenarios?: readonly World[];
  readonly worlds?: readonly World[];
};

/** Which strategies the recorded instance was made with. */
export type WorldKind =
  | 'validator'
  | 'collator'
  | 'backers-first-if-smaller'
  | 'backers-first-if-smaller-then-systematic'
  | 'backers-first-always'
  | 'chunks-always'
  | 'backers-then-systematic'
  | 'systematic-then-regular';

/** One instance, the recoveries asked of it one after the other, and what came of them. */
export type World = {
  readonly id?: number;
  readonly name?: string;
  readonly n: number;
  readonly kind: WorldKind;
  readonly threshold?: number;
  readonly features: string;
  readonly groups: readonly (readonly number[])[];
  readonly reverse?: boolean;
  readonly cands: readonly CandidateRecipe[];
  /** Per candidate: erasure root, candidate hash, and groups of indices with equal bytes. */
  readonly ids: readonly (readonly [string, string, (readonly (readonly number[])[])?])[];
  readonly steps: readonly Step[];
  readonly got: readonly Got[];
  readonly m: Readonly<Record<string, number>>;
  readonly open?: readonly (readonly Verdict[])[];
};

/** How a candidate is made, and what its backers did wrong. */
export type CandidateRecipe = {
  readonly pov: readonly [length: number, a: number, b: number];
  readonly rpn?: number;
  readonly povhash?: 'dummy';
  readonly raw?: readonly [length: number, a: number, b: number];
  readonly trail?: readonly [count: number, byte: number];
  readonly const?: number;
  readonly patch?: readonly (readonly [index: number, position: number, xor: number])[];
  readonly grow?: readonly (readonly [index: number, count: number])[];
  readonly extra?: number;
};

/** One recovery, and how everybody answers meanwhile. */
export type Step = {
  readonly cand?: number;
  readonly session?: number;
  readonly group?: number;
  readonly core?: number;
  readonly mapcore?: number;
  readonly leaves?: readonly number[];
  readonly rt?: 'session' | 'none' | 'features' | 'params';
  readonly callers?: number;
  readonly drop?: readonly [callers: number, batch: number];
  readonly store?: StoreRecipe;
  readonly ck?: Behaviours;
  readonly bk?: Behaviours;
  readonly fd?: Behaviours;
  readonly rounds?: readonly (readonly [count: number, action: string])[];
};

/** What the store of the step holds. */
export type StoreRecipe = {
  readonly full?: 'ok' | 'bad' | 'pvd' | 'drop';
  readonly chunks?: readonly (readonly [validator: number, chunk: number, 'ok' | 'bad'])[] | 'drop';
  readonly size?: number | 'drop';
};

/** Actions by validator index; `def` for all others. */
export type Behaviours = Readonly<Record<string, string>>;

/** How one caller's recovery ended; `null` for a caller who left. */
export type Verdict =
  | 'data'
  | 'invalid'
  | 'unavailable'
  | 'dropped'
  | null
  | readonly ['data', string];

/** What happened in one step. */
export type Got = {
  readonly v: Verdict | { readonly each: readonly Verdict[] };
  readonly t: readonly string[];
  /** Requests for full data, systematic and regular chunks: a number, or the range found. */
  readonly count: readonly (number | readonly [least: number, most: number])[];
};

/** What a world is called in reports: its number, or a scenario's name. */
export function nameOf(world: World): number | string {
  return world.id ?? world.name ?? 'nameless';
}

/** Every world of a file, the numbered scenarios first. */
export function worldsOf(file: WorldsFile): readonly World[] {
  return [...(file.scenarios ?? []), ...(file.worlds ?? [])];
}
