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
 * Whoever delivers in every run, and whoever never does. Left out are dead backers (whether one is asked
 * in place of a holder depends on which answer came first), the honest where more of them are left than
 * are needed, and those still honest in a recovery that fails: it ends as soon as too few are left, which
 * may be before they answered.
 */
function sourceLines(account: RecoveryAccount, { cast }: World): readonly string[] {
  const delivered = new Set<string>(
    account.attempts.filter(({ answer }) => answer === 'success').map(({ source }) => source),
  );
  return namedIn(account, cast, delivered)
    .toSorted((a, b) => a - b)
    .map((v) => {
      const name = authorityName(v);
      return `${name} ${delivered.has(name) ? 'delivered' : 'delivered nothing'}`;
    });
}

function namedIn(
  { strategies }: RecoveryAccount,
  { faults, honest, goneAtLast, mapping, validatorCount }: World['cast'],
  delivered: ReadonlySet<string>,
): readonly number[] {
  const last = strategies.at(-1);
  if (last?.strategy !== 'regular_chunks') {
    const all = Array.from({ length: validatorCount }, (_, v) => v);
    return all.filter((v) => delivered.has(authorityName(v)));
  }
  if (last.reason !== 'recovered') {
    return [...new Set([...faults.keys(), ...goneAtLast])];
  }
  const areAllNeeded = honest.length + 1 === mapping.systematicThreshold;
  return [...faults.keys(), ...(areAllNeeded ? honest : [])];
}
