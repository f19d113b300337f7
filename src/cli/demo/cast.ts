/**
 * @module
 * Who plays what in the demo: backers, systematic holders, the validator that recovers, and the peers
 * that will fail. Pure: the same numbers give the same cast.
 */

import { type ChunkMapping, chunkMapping } from '../../mapping/assignment.ts';
import { systematicThreshold } from '../../primitives/thresholds.ts';
import { misuse } from '../failure.ts';

/** What becomes of a validator's peer before the third round. */
export type Fault = 'gone' | 'lies' | 'stopped' | 'flipped_byte';

/** The cast of one demo. All members are validator indices. */
export type Cast = {
  readonly validatorCount: number;
  readonly coreIndex: number;
  readonly mapping: ChunkMapping;
  readonly groups: readonly (readonly number[])[];
  readonly backingGroup: number;
  readonly backers: readonly number[];
  readonly systematicHolders: readonly number[];
  /** The validator for which the demo recovers; it is not asked. */
  readonly own: number;
  /** Validators that fail from the third round on, besides the backers. */
  readonly faults: ReadonlyMap<number, Fault>;
  /** Everybody else: they always answer. Together with `own` at least k of them. */
  readonly honest: readonly number[];
  /** Of the honest, those that go before the fourth round. */
  readonly goneAtLast: readonly number[];
};

/** Faults in the order in which they are given out; a small demo has room for the first ones only. */
const FAULTS: readonly Fault[] = ['gone', 'lies', 'stopped', 'flipped_byte'];

/** Backers of one candidate, at most: the size of a backing group on live networks. */
const MAX_GROUP_SIZE = 5;

/** How a demo is cast. */
export type CastOptions = {
  /** Whether processes can be frozen here; Windows has no way, there the peer is gone instead. */
  readonly canStop: boolean;
  /** For the chacha8 mapping; rfc47 without. */
  readonly seed: Uint8Array | undefined;
};

/** Casts a demo. */
export function castDemo(validatorCount: number, { canStop, seed }: CastOptions): Cast {
  const needed = systematicThreshold(validatorCount);
  const groupSize = Math.min(MAX_GROUP_SIZE, Math.max(1, validatorCount - needed - FAULTS.length));
  const validators = Array.from({ length: validatorCount }, (_, v) => v);
  const groups = groupsOf(validators, groupSize);
  const place = findPlace(validatorCount, groups, seed);
  const { backers, systematicHolders } = place;
  const ordinary = validators.filter((v) => !backers.includes(v) && !systematicHolders.includes(v));
  const [own, ...others] = ordinary;
  if (own === undefined) {
    throw misuse('--validators: too few for a demo');
  }
  // Our own chunk counts; of the others as many must stay honest as are needed besides.
  const spare = systematicHolders.length + others.length - (needed - 1);
  const wanted = canStop ? FAULTS : FAULTS.map((fault) => (fault === 'stopped' ? 'gone' : fault));
  const faults = giveFaults([...systematicHolders, ...others], wanted, spare, needed);
  const honest = [...systematicHolders, ...others].filter((v) => !faults.has(v));
  return {
    validatorCount,
    groups,
    ...place,
    own,
    faults,
    honest,
    goneAtLast: honest.slice(Math.max(0, needed - 2)),
  };
}

type Place = Pick<Cast, 'coreIndex' | 'mapping' | 'backingGroup' | 'backers' | 'systematicHolders'>;

/** A core and a group such that no backer holds a systematic chunk. */
function findPlace(
  validatorCount: number,
  groups: readonly (readonly number[])[],
  seed: Uint8Array | undefined,
): Place {
  for (let coreIndex = 1; coreIndex <= validatorCount; coreIndex += 1) {
    const mapping = chunkMapping({
      scheme: seed === undefined ? 'rfc47' : 'chacha8',
      validatorCount,
      coreIndex,
      seed,
    });
    const systematicHolders = mapping.systematicHolders();
    const backingGroup = groups.findIndex((group) =>
      group.every((v) => !systematicHolders.some((holder) => holder === v)),
    );
    const backers = groups[backingGroup];
    if (backers !== undefined) {
      return { coreIndex, mapping, backingGroup, backers, systematicHolders };
    }
  }
  throw misuse('--validators: no group without systematic holders');
}

function giveFaults(
  candidates: readonly number[],
  basic: readonly Fault[],
  spare: number,
  needed: number,
): ReadonlyMap<number, Fault> {
  // With many systematic holders several are gone, so that one of each fault is still among them.
  const extraGone = Math.max(0, Math.min(spare, needed >> 1) - basic.length);
  const wanted: Fault[] = [...basic, ...Array.from({ length: extraGone }, () => 'gone' as const)];
  const faults = new Map<number, Fault>();
  for (const [i, fault] of wanted.slice(0, Math.max(0, spare)).entries()) {
    const validator = candidates[i];
    if (validator !== undefined) {
      faults.set(validator, fault);
    }
  }
  return faults;
}

function groupsOf(validators: readonly number[], size: number): readonly (readonly number[])[] {
  const groups: number[][] = [];
  for (let first = 0; first < validators.length; first += size) {
    groups.push(validators.slice(first, first + size));
  }
  return groups;
}
