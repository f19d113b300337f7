/**
 * @module
 * What of a round is the same in every run with one seed. Over real sockets the order of answers, their
 * times, ports and, once enough is there, which questions were still asked depend on the machine; who
 * is asked for sure, who delivers and how each strategy ends do not.
 */

import type { RecoveryAccount } from '../../recovery/account.ts';
import type { Mishap, RoundResult } from './rounds.ts';
import { authorityName, type World } from './world.ts';

/** The log of one round, one fact per line, in a fixed order. */
export function roundLog(
  { round, outcome, isExact }: RoundResult,
  mishaps: readonly Mishap[],
  world: World,
): readonly string[] {
  const at = `round ${round.number}`;
  const account = outcome.type === 'recovered' ? outcome.result.account : outcome.error.account;
  const end =
    outcome.type === 'recovered'
      ? `recovered from ${outcome.result.from}, exact: ${isExact}`
      : `failed: ${outcome.error.code}`;
  return [
    ...mishaps.map(({ validator, mishap }) => `${at}: ${authorityName(validator)} ${mishap}`),
    ...(account?.strategies ?? []).map(
      ({ strategy, reason }) => `${at}: ${strategy} ended: ${reason ?? 'never'}`,
    ),
    ...(account === undefined ? [] : sourceLines(account, world).map((line) => `${at}: ${line}`)),
    `${at}: ${end}`,
  ];
}

/** The world of a run: all of it follows from seed and data. */
export function worldLog({ cast, candidateHash, peerIds }: World): readonly string[] {
  return [
    `candidate ${candidateHash}`,
    `core ${cast.coreIndex}, group ${cast.backingGroup}, recoverer ${cast.own}`,
    ...peerIds.map(
      (peerId, v) => `${authorityName(v)} is ${peerId}, holds chunk ${chunkOf(cast, v)}`,
    ),
  ];
}

function chunkOf({ mapping }: World['cast'], validator: number): number | undefined {
  return mapping.chunkByValidator()[validator];
}

/**
 * Peers that are gone are left out: whether a dead backer is asked in place of a holder depends on
 * which answer came first. So are the honest ones where more of them are left than are needed.
 */
function sourceLines(account: RecoveryAccount, { cast }: World): readonly string[] {
  const delivered = new Set<string>(
    account.attempts.filter(({ answer }) => answer === 'success').map(({ source }) => source),
  );
  const isRegular = account.strategies.at(-1)?.strategy === 'regular_chunks';
  const isChosenByChance = isRegular && cast.honest.length + 1 > cast.mapping.systematicThreshold;
  const named = isRegular
    ? [...cast.faults.keys(), ...(isChosenByChance ? [] : cast.honest)]
    : Array.from({ length: cast.validatorCount }, (_, v) => v);
  return named
    .filter((v) => isRegular || delivered.has(authorityName(v)))
    .sort((a, b) => a - b)
    .map((v) => {
      const name = authorityName(v);
      return `${name} ${delivered.has(name) ? 'delivered' : 'delivered nothing'}`;
    });
}
