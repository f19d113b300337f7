/**
 * @module
 * The verdict of one who sees everything at once, for random worlds: no order, no time, no requests.
 */

import { verifyChunk } from '../../src/commitment/verify-chunk.ts';
import { chunkIndex, validatorIndex } from '../../src/primitives/ids.ts';
import { recoveryThreshold } from '../../src/primitives/thresholds.ts';
import type { CheckMode } from '../../src/recovery/request.ts';
import type { RecoverySettings } from '../../src/recovery/settings.ts';
import { type AnyWorld, hasOwnEntry, placesOf } from './any-world.ts';
import type { CandidateKind, TestCandidate } from './candidate-world.ts';

/** How a recovery may end here. */
export type Verdict = 'recovered' | 'invalid' | 'unavailable';

const RIGHT_ROOT: readonly CandidateKind[] = ['honest', 'wrong_pov_hash'];
const DECODES_TO_POV: readonly CandidateKind[] = ['honest', 'trailing_garbage', 'long_chunks'];

/**
 * The verdicts that are right; more than one where the order of the strategies decides:
 *
 * - The systematic chunks can be had, but one of them only from a validator that is not its holder, and
 *   there are fewer chunks than regular recovery needs. Not in re-encode mode with `STANDARD`, where k
 *   chunks of any index are enough.
 * - In PoV-hash mode a backer has the right PoV, but the chunks that were committed to do not decode to
 *   it: whichever is looked at first.
 */
export function rightVerdicts(
  world: AnyWorld,
  candidate: TestCandidate,
  settings: RecoverySettings,
  checkMode: CheckMode,
): readonly Verdict[] {
  const { kind } = world;
  const { stored, fromBackers, fromHolders, chunks } = obtainable(world, candidate, settings);
  const isReEncode = checkMode === 're_encode';
  const dataPasses = isReEncode ? RIGHT_ROOT.includes(kind) : kind !== 'wrong_pov_hash';
  const chunksPass = (isReEncode ? RIGHT_ROOT : DECODES_TO_POV).includes(kind);
  const k = candidate.mapping.systematicThreshold;
  const isKEnough = isReEncode && settings.stopAt === 'systematic_threshold';
  const needed = isKEnough ? k : recoveryThreshold(world.behaviours.length);
  const end = chunksPass ? 'recovered' : 'invalid';
  const systematicEnd =
    chunksPass || isReEncode || settings.systematicFailure === 'invalid' ? end : 'unavailable';
  const hasAllBelowK = (set: ReadonlySet<number>): boolean =>
    Array.from({ length: k }, (_, i) => i).every((i) => set.has(i));

  if (stored !== undefined && (!settings.checkStoredData || (stored === 'right' && dataPasses))) {
    return ['recovered'];
  }
  const byChunks: readonly Verdict[] =
    chunks.size >= needed
      ? [end]
      : hasAllBelowK(fromHolders)
        ? [systematicEnd]
        : hasAllBelowK(chunks)
          ? [systematicEnd, 'unavailable']
          : ['unavailable'];
  return fromBackers && dataPasses
    ? [...new Set<Verdict>(['recovered', ...byChunks.filter((one) => one !== 'unavailable')])]
    : byChunks;
}

/** What can be had at all. */
type Obtainable = {
  readonly stored: 'right' | 'wrong' | undefined;
  /** Full data from somebody in the group. */
  readonly fromBackers: boolean;
  /** Chunk indices from those who hold them. */
  readonly fromHolders: ReadonlySet<number>;
  /** Chunk indices from anybody. */
  readonly chunks: ReadonlySet<number>;
};

function obtainable(
  world: AnyWorld,
  { chunks: all, erasureRoot, mapping }: TestCandidate,
  { askSelf }: RecoverySettings,
): Obtainable {
  const { behaviours, store } = world;
  const { group, own } = placesOf(world);
  const isAskable = (place: number): boolean => place !== own || askSelf;
  const fromHolders = new Set<number>();
  const chunks = new Set<number>();
  behaviours.forEach((behaviour, place) => {
    const index = mapping.chunkOf(validatorIndex(place));
    const isOwnEntry = place === own && hasOwnEntry(world);
    if (isOwnEntry ? store === 'own_chunk' : isAskable(place) && behaviour === 'good') {
      fromHolders.add(index);
    } else if (!isOwnEntry && isAskable(place) && behaviour === 'other_chunk') {
      chunks.add(mapping.chunkOf(validatorIndex(0)));
    } else if (!isOwnEntry && isAskable(place) && behaviour === 'old') {
      // Chunks of two and three validators are all alike, and one proof may hold for several.
      const chunk = { ...all[index]!, chunkIndex: chunkIndex(place) };
      const question = { erasureRoot, chunk, validatorCount: behaviours.length };
      if (verifyChunk(question).type === 'verified') {
        (index === place ? fromHolders : chunks).add(place);
      }
    }
  });
  const hasData = (place: number): boolean =>
    isAskable(place) && (behaviours[place] === 'good' || behaviours[place] === 'old');
  return {
    stored: store === 'data' ? 'right' : store === 'wrong_data' ? 'wrong' : undefined,
    fromBackers: group.some(hasData),
    fromHolders,
    chunks: new Set([...fromHolders, ...chunks]),
  };
}
