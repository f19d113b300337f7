/**
 * @module
 * Who plays what in the demo: backers, systematic holders, the validator that recovers, and the peers
 * that will fail. Pure: the same numbers give the same cast.
 */

import { type ChunkMapping, chunkMapping } from '../../mapping/assignment.ts';
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
  // Away from core 0, where rotation and identity are the same.
  const coreIndex = 1;
  const mapping = chunkMapping({
    scheme: seed === undefined ? 'rfc47' : 'chacha8',
    validatorCount,
    coreIndex,
    seed,
  });
  const needed = mapping.systematicThreshold;
  const systematicHolders: readonly number[] = mapping.systematicHolders();
  const ordinary = Array.from({ length: validatorCount }, (_, v) => v).filter(
    (v) => !systematicHolders.includes(v),
  );
  const groupSize = Math.min(MAX_GROUP_SIZE, Math.max(1, validatorCount - needed - FAULTS.length));
  const backers = ordinary.slice(0, groupSize);
  const [own, ...others] = ordinary.slice(groupSize);
  if (own === undefined) {
    throw misuse('--validators: too few for a demo');
  }
  // Our own chunk counts; of the others as many must stay honest as are needed besides.
  const spare = systematicHolders.length + others.length - (needed - 1);
  const wanted = canStop ? FAULTS : FAULTS.map((fault) => (fault === 'stopped' ? 'gone' : fault));
  const candidates = [...systematicHolders, ...others];
  const faults = giveFaults(candidates, wanted, spare, needed);
  const honest = candidates.filter((v) => !faults.has(v));
  return {
    validatorCount,
    coreIndex,
    mapping,
    groups: [
      backers,
      ...groupsOf(
        [own, ...candidates].sort((a, b) => a - b),
        groupSize,
      ),
    ],
    backingGroup: 0,
    backers,
    systematicHolders,
    own,
    faults,
    honest,
    goneAtLast: honest.slice(Math.max(0, needed - 2)),
  };
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
