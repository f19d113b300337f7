/**
 * @module
 * The four recoveries of the demo: what goes wrong before each, and how each must end.
 */

import { realRuntime } from '../../create-recovery.ts';
import { equalBytes } from '../../primitives/bytes.ts';
import type { RecoveryEvent } from '../../recovery/events.ts';
import type { StrategyType } from '../../recovery/labels.ts';
import type { RecoveryRequest } from '../../recovery/request.ts';
import { SIZE_LIMITS } from '../../recovery/settings.ts';
import { followRecovery, type RecoveryOutcome } from '../follow-recovery.ts';
import { tryBytesOfHex } from '../hex.ts';
import { POLKADOT_GENESIS } from '../options.ts';
import { openPeer } from '../peer-process.ts';
import { derive } from './seeds.ts';
import type { Troupe } from './troupe.ts';
import { flipStoredByte, ownStoreOf, type World } from './world.ts';

/** One recovery of the demo. */
export type Round = {
  readonly number: number;
  readonly title: string;
  /** The strategy that must supply the data, or the error that must come. */
  readonly expected: StrategyType | 'unavailable';
  /** Makes things go wrong; returns what it did, one entry per peer. */
  readonly prepare: (stage: Stage) => Promise<readonly Mishap[]>;
};

/** What a round works on. */
export type Stage = {
  readonly world: World;
  readonly troupe: Troupe;
  readonly signal: AbortSignal;
};

/** Something that was done to a peer. */
export type Mishap = {
  readonly validator: number;
  readonly mishap: 'killed' | 'stopped' | 'flipped_byte' | 'lies';
};

/** How a round ended. */
export type RoundResult = {
  readonly round: Round;
  readonly outcome: RecoveryOutcome;
  readonly ms: number;
  /** Whether the data is the original, byte for byte. */
  readonly isExact: boolean;
  /** Whether the end is the expected one, with the exact data where there is any. */
  readonly isAsExpected: boolean;
};

/** The rounds, in order. Each leaves its damage to the next. */
export const ROUNDS: readonly Round[] = [
  {
    number: 1,
    title: 'healthy',
    expected: 'full_from_backers',
    prepare: async () => [],
  },
  {
    number: 2,
    title: 'backers gone',
    expected: 'systematic_chunks',
    prepare: async ({ world, troupe }) => kill(troupe, world.cast.backers),
  },
  {
    number: 3,
    title: 'holders fail',
    expected: 'regular_chunks',
    prepare: failHolders,
  },
  {
    number: 4,
    title: 'too many gone',
    expected: 'unavailable',
    prepare: async ({ world, troupe }) => {
      const { faults, goneAtLast } = world.cast;
      const stopped = [...faults].filter(([, fault]) => fault === 'stopped').map(([v]) => v);
      return kill(troupe, [...goneAtLast, ...stopped]);
    },
  },
];

/** Runs one recovery with a peer and a recovery of its own, and checks the result. */
export async function runRound(
  round: Round,
  { world, troupe, signal }: Stage,
  onEvent: (event: RecoveryEvent) => void,
): Promise<RoundResult> {
  const { session, folder, seed } = world;
  const peer = await openPeer(
    {
      genesisHash: tryBytesOfHex(POLKADOT_GENESIS) ?? new Uint8Array(32),
      forkId: undefined,
      listen: [],
      store: ownStoreOf(folder),
      identity: undefined,
      session,
      locations: troupe.locations,
      settings: {},
      work: {},
    },
    { listenByDefault: [] },
  );
  try {
    const runtime = realRuntime(derive(seed, `round ${round.number}`));
    await using recovery = peer.node.createRecovery({ runtime });
    await recovery.start();
    const startedAtMs = performance.now();
    const outcome = await followRecovery({ recovery, request: requestOf(world), signal, onEvent });
    return judge(round, outcome, performance.now() - startedAtMs, world);
  } finally {
    await peer.stop();
  }
}

function requestOf({ candidate, cast, session }: World): RecoveryRequest {
  return {
    receipt: candidate.receipt.bytes,
    sessionIndex: session.index,
    coreIndex: cast.coreIndex,
    backingGroup: cast.backingGroup,
    // The first round shows full data from backers, however large a file was given.
    sizeLimitBytes: Math.max(SIZE_LIMITS.relaxed, 2 * candidate.payload.length),
  };
}

function judge(round: Round, outcome: RecoveryOutcome, ms: number, world: World): RoundResult {
  if (outcome.type === 'failed') {
    const isAsExpected = outcome.error.code === round.expected;
    return { round, outcome, ms, isExact: false, isAsExpected };
  }
  const { data, from } = outcome.result;
  const isExact = equalBytes(data.pov.blockData, world.candidate.data.pov.blockData);
  return { round, outcome, ms, isExact, isAsExpected: isExact && from === round.expected };
}

async function failHolders({ world, troupe, signal }: Stage): Promise<readonly Mishap[]> {
  const mishaps: Mishap[] = [];
  const victims = (fault: string): number[] =>
    [...world.cast.faults].filter(([, given]) => given === fault).map(([v]) => v);
  mishaps.push(...(await kill(troupe, victims('gone'))));
  const changed = [...victims('flipped_byte'), ...victims('lies')];
  await Promise.all(changed.map((validator) => troupe.closeOne(validator)));
  for (const validator of victims('flipped_byte')) {
    await flipStoredByte(world, validator);
    mishaps.push({ validator, mishap: 'flipped_byte' });
  }
  await Promise.all([
    troupe.start(victims('flipped_byte'), signal),
    troupe.start(victims('lies'), signal, true),
  ]);
  mishaps.push(...victims('lies').map((validator) => ({ validator, mishap: 'lies' as const })));
  for (const validator of victims('stopped')) {
    troupe.stop(validator);
    mishaps.push({ validator, mishap: 'stopped' });
  }
  return mishaps;
}

async function kill(troupe: Troupe, validators: readonly number[]): Promise<readonly Mishap[]> {
  await troupe.kill(validators);
  return validators.map((validator) => ({ validator, mishap: 'killed' }));
}
