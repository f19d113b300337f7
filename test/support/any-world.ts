/**
 * @module
 * Worlds as random data: sessions, candidates, peers, stores and settings, for properties that hold in
 * every one of them. What the right verdict is, is said elsewhere.
 */

import fc from 'fast-check';
import { encodeAvailableData } from '../../src/codec/available-data.ts';
import { validatorIndex } from '../../src/primitives/ids.ts';
import { recoveryThreshold, systematicThreshold } from '../../src/primitives/thresholds.ts';
import type { StrategyType } from '../../src/recovery/labels.ts';
import type { CheckMode, RecoveryRequest } from '../../src/recovery/request.ts';
import { type RecoverySettings, STANDARD, UPSTREAM } from '../../src/recovery/settings.ts';
import type { CandidateKind, TestCandidate } from './candidate-world.ts';
import type { Behaviour } from './fake-network.ts';
import { FakeStore } from './fake-store.ts';
import { slowWork } from './fake-work.ts';
import { RecoveryWorld } from './recovery-world.ts';

/** Every order in which the three strategies can be tried. */
export const ORDERS: readonly (readonly StrategyType[])[] = [
  ['full_from_backers', 'systematic_chunks', 'regular_chunks'],
  ['full_from_backers', 'regular_chunks', 'systematic_chunks'],
  ['systematic_chunks', 'full_from_backers', 'regular_chunks'],
  ['systematic_chunks', 'regular_chunks', 'full_from_backers'],
  ['regular_chunks', 'full_from_backers', 'systematic_chunks'],
  ['regular_chunks', 'systematic_chunks', 'full_from_backers'],
];

/** The presets by name. */
export const PRESETS: { readonly STANDARD: RecoverySettings; readonly UPSTREAM: RecoverySettings } =
  { STANDARD, UPSTREAM };

/** What our own store has of the candidate. */
export type StoreKind =
  | 'none'
  | 'data'
  /** Full data that decodes, with a bit of its PoV turned over. */
  | 'wrong_data'
  /** Full data, in a recovery that is told not to read the store. */
  | 'bypassed'
  | 'own_chunk'
  | 'corrupt_own_chunk'
  | 'failing';

/** A world without preset, order and check mode. */
export type AnyWorld = {
  /** By validator; silence is `timeout`. */
  readonly behaviours: readonly Behaviour[];
  /** Answers come at once, or after these in turn. */
  readonly delays: readonly number[];
  readonly isSlow: boolean;
  readonly hasSlowWork: boolean;
  readonly kind: CandidateKind;
  readonly members: readonly number[];
  /** Our place; beyond the session we are none of its validators. */
  readonly own: number;
  readonly store: StoreKind;
  readonly scheme: 'identity' | 'rfc47' | 'chacha8';
  readonly coreIndex: number;
  readonly seed: number;
  /** On top of the preset; none of them has a say in the verdict. */
  readonly tweaks: Partial<RecoverySettings>;
};

const KINDS: readonly CandidateKind[] = [
  'honest',
  'honest',
  'wrong_pov_hash',
  'no_codeword',
  'trailing_garbage',
  'long_chunks',
  'undecodable',
];

/** What peers do when they do not do what they should. */
const BAD_BEHAVIOURS: readonly Behaviour[] = [
  'old',
  'no_such',
  'flipped',
  'other_chunk',
  'undecodable',
  'timeout',
  'refused',
  'dial_failed',
  'reset',
];

const STORES: readonly StoreKind[] = [
  ...(['none', 'none', 'none', 'own_chunk', 'own_chunk', 'corrupt_own_chunk'] as const),
  ...(['data', 'wrong_data', 'bypassed', 'failing'] as const),
];

const tweaks: fc.Arbitrary<Partial<RecoverySettings>> = fc.record(
  {
    carryInFlight: fc.boolean(),
    refill: fc.constantFrom('on_answer' as const, 'after_round' as const),
    networkRetries: fc.constantFrom('by_code' as const, 'alike' as const),
    parallelAttempts: fc.constantFrom(1, 3, 50),
    softTimeoutMs: fc.constantFrom(100, 1_000),
  },
  { requiredKeys: [] },
);

/** What each validator does, from all good to all bad. */
function anyBehaviours(maxValidators: number): fc.Arbitrary<readonly Behaviour[]> {
  const behaviour = fc.oneof(
    { weight: 2, arbitrary: fc.constant<Behaviour>('good') },
    { weight: 3, arbitrary: fc.constantFrom(...BAD_BEHAVIOURS) },
  );
  return fc.array(behaviour, { minLength: 2, maxLength: maxValidators, size: 'max' });
}

/** So many good ones, anywhere, that a threshold is just met or just missed. */
function behavioursAtThreshold(maxValidators: number): fc.Arbitrary<readonly Behaviour[]> {
  const validator = fc.tuple(fc.constantFrom(...BAD_BEHAVIOURS), fc.nat({ max: 1_000_000 }));
  return fc
    .tuple(
      fc.array(validator, { minLength: 2, maxLength: maxValidators, size: 'max' }),
      fc.constantFrom(systematicThreshold, recoveryThreshold),
      fc.constantFrom(-1, 0, 1),
    )
    .map(([validators, thresholdOf, more]) => {
      const good = thresholdOf(validators.length) + more;
      const byRank = validators.map((_, place) => place);
      byRank.sort((a, b) => (validators[a]?.[1] ?? 0) - (validators[b]?.[1] ?? 0));
      const isGood = new Set(byRank.slice(0, good));
      return validators.map(([bad], place) => (isGood.has(place) ? 'good' : bad));
    });
}

/** Any world of 2 to `maxValidators`; in half of them about as many are good as are needed. */
export function anyWorld(maxValidators: number): fc.Arbitrary<AnyWorld> {
  return fc.record({
    behaviours: fc.oneof(anyBehaviours(maxValidators), behavioursAtThreshold(maxValidators)),
    delays: fc.array(fc.nat({ max: 1_500 }), { minLength: 5, maxLength: 5 }),
    isSlow: fc.boolean(),
    hasSlowWork: fc.boolean(),
    kind: fc.constantFrom(...KINDS),
    members: fc.uniqueArray(fc.nat({ max: maxValidators - 1 }), { maxLength: 3 }),
    own: fc.nat({ max: maxValidators - 1 }),
    store: fc.constantFrom(...STORES),
    scheme: fc.constantFrom('identity' as const, 'rfc47' as const, 'chacha8' as const),
    coreIndex: fc.nat({ max: 20 }),
    seed: fc.nat({ max: 255 }),
    tweaks,
  });
}

/** Group and own place as far as the session has them. */
export function placesOf({ behaviours, members, own }: AnyWorld): {
  readonly group: readonly number[];
  readonly own: number | undefined;
} {
  const n = behaviours.length;
  return { group: members.filter((member) => member < n), own: own < n ? own : undefined };
}

/** Whether the store has an entry for our own chunk, right or wrong. */
export function hasOwnEntry(world: AnyWorld): boolean {
  const { store } = world;
  const isEntry = store === 'own_chunk' || store === 'corrupt_own_chunk';
  return isEntry && placesOf(world).own !== undefined;
}

/**
 * Opens a world under a preset. Backers of a candidate that is not honest have no chunks of others:
 * whether a backer is asked in the place of a holder depends on the order of the strategies.
 */
export function openAny(world: AnyWorld, preset: keyof typeof PRESETS): Promise<RecoveryWorld> {
  const { behaviours, delays, isSlow, hasSlowWork, kind, scheme, coreIndex, seed } = world;
  const { group, own } = placesOf(world);
  return RecoveryWorld.open({
    validatorCount: behaviours.length,
    kind,
    seed,
    coreIndex,
    scheme,
    isMapped: scheme !== 'identity',
    groups: [group],
    // All backers have their say, however long the others took.
    settings: { ...PRESETS[preset], ...world.tweaks, totalBackerTimeMs: null },
    ...(own === undefined ? {} : { ownValidatorIndex: own }),
    ...(world.store === 'none' ? {} : { store: (candidate) => storeOf(world, candidate) }),
    ...(hasSlowWork ? { ports: ({ runtime }) => ({ work: slowWork(runtime, 300, 70) }) } : {}),
    behaviour: ({ kind: asked, index, validatorIndex: place, times }) => {
      const isForAnother = asked === 'chunk' && place !== index && kind !== 'honest';
      const behaviour = isForAnother ? 'no_such' : (behaviours[index] ?? 'no_such');
      return isSlow ? { behaviour, delayMs: delays[(index + times) % 5] ?? 0 } : behaviour;
    },
  });
}

/** The fields of the request that a world decides. */
export function requestFields(
  { scheme, store }: AnyWorld,
  checkMode: CheckMode,
): Partial<RecoveryRequest> {
  return {
    backingGroup: 0,
    checkMode,
    useStore: store !== 'bypassed',
    // Sessions have no features for it; the seed is that of the candidate's own mapping.
    ...(scheme === 'chacha8' ? { mapping: { scheme, seed: new Uint8Array(32).fill(7) } } : {}),
  };
}

function storeOf(
  world: AnyWorld,
  { candidateHash, chunks, data, mapping }: TestCandidate,
): FakeStore {
  const store = new FakeStore();
  const { own } = placesOf(world);
  switch (world.store) {
    case 'none':
      return store;
    case 'failing':
      return store.failWith(new Error('the disk is gone'));
    case 'data':
    case 'bypassed':
      return store.putAvailableData(candidateHash, encodeAvailableData(data));
    case 'wrong_data': {
      const blockData = data.pov.blockData.map((byte, i) => (i === 5 ? byte ^ 1 : byte));
      return store.putAvailableData(
        candidateHash,
        encodeAvailableData({ ...data, pov: { blockData } }),
      );
    }
    case 'own_chunk':
    case 'corrupt_own_chunk': {
      const place = own === undefined ? undefined : validatorIndex(own);
      const chunk = place === undefined ? undefined : chunks[mapping.chunkOf(place)];
      if (place !== undefined && chunk !== undefined) {
        store.putChunk(candidateHash, place, chunk);
        if (world.store === 'corrupt_own_chunk') {
          store.corrupt(candidateHash, { type: 'chunk', validatorIndex: place });
        }
      }
      return store;
    }
  }
}
