/**
 * @module
 * The table at the end of the demo.
 */

import type { RecoveryAccount } from '../../recovery/account.ts';
import { failuresOf } from '../follow-recovery.ts';
import { readableBytes } from '../readable.ts';
import { heldText } from '../shortfall.ts';
import type { RoundResult } from './rounds.ts';

const HEAD = ['recovery', 'strategy', 'time', 'bytes', 'requests', 'data', 'who failed'];

/** One row per round; who failed stands last because it may be long. */
export function resultTable(results: readonly RoundResult[]): readonly string[] {
  const rows = [HEAD, ...results.map(rowOf)];
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** The account of a recovery that did not get the data, in words. */
export function unavailableText(results: readonly RoundResult[]): readonly string[] {
  return results.flatMap(({ round, outcome }) => {
    if (outcome.type === 'recovered' || outcome.error.account === undefined) {
      return [];
    }
    const { account } = outcome.error;
    const { issued, succeeded, failed, canceled } = account.totals;
    return [
      '',
      `Recovery ${round.number} ended ${outcome.error.code}:`,
      ...account.strategies.map(
        ({ strategy, reason }) => `  ${strategy}: ${reason ?? 'cut short'}`,
      ),
      `  ${issued} requests: ${succeeded} delivered, ${failed} failed, ${canceled} given up`,
      `  ${receivedText(account)}`,
      `  ${heldText(account)}${indexText(account.chunksHeld)}`,
    ];
  });
}

/** How much came, and how much of it was wrong: nothing delivered need not mean that nothing came. */
function receivedText({ totals, attempts }: RecoveryAccount): string {
  const wrong = attempts.filter(({ answer, bytes }) => answer === 'invalid' && bytes > 0);
  const wrongBytes = wrong.reduce((sum, { bytes }) => sum + bytes, 0);
  const senders = [...new Set(wrong.map(({ source }) => numberOf(source)))].join(', ');
  const blame = wrong.length === 0 ? '' : `, ${readableBytes(wrongBytes)} of it wrong (${senders})`;
  return `${readableBytes(totals.bytes)} received${blame}`;
}

function indexText(indices: readonly number[]): string {
  const word = indices.length === 1 ? 'index' : 'indices';
  return indices.length === 0 ? '' : ` (${word} ${indices.join(', ')})`;
}

/** The validators of each reason, by their numbers. */
function failureText(account: RecoveryAccount): string {
  return [...failuresOf(account)]
    .map(([reason, sources]) => `${reason} ${sources.map(numberOf).join(',')}`)
    .join('; ');
}

function numberOf(source: string): string {
  return source.replace(/^validator-/, '');
}

function rowOf({ round, outcome, ms, isExact }: RoundResult): string[] {
  const isRecovered = outcome.type === 'recovered';
  const account = isRecovered ? outcome.result.account : outcome.error.account;
  return [
    `${round.number} ${round.title}`,
    isRecovered ? outcome.result.from : outcome.error.code,
    `${Math.round(ms)} ms`,
    readableBytes(account?.totals.bytes ?? 0),
    String(account?.totals.issued ?? 0),
    isRecovered ? (isExact ? 'exact' : 'WRONG') : 'none',
    account === undefined ? '' : failureText(account),
  ];
}
